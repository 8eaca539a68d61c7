import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { sentenceOf } from "../overview/sentence.ts"
import { whenThere } from "../parts/States.ts"
import { Time } from "../parts/Time.ts"
import { href } from "../router.ts"
import { type Cause, causesOf } from "./caused.ts"

/** The most events of one request that are read. A chat has several for each turn. */
const most = 500

const Branch = ({ of, here }: { readonly of: ReadonlyArray<Cause>; readonly here: string }): Node => html`<ul>
  ${of.map(
    ({ event, effects }) => html`<li key=${event.eventId}>
      <a href=${href("event", { position: event.position })} aria-current=${event.eventId === here ? "true" : undefined}>${sentenceOf(event)}</a>
${" "}<span class="quiet">${event.type} · <code>${event.position}</code> · <${Time} at=${event.recordedAt} /></span>
      ${effects.length > 0 && html`<${Branch} of=${effects} here=${here} />`}</li>`
  )}</ul>`

/** What caused an event and what it caused: all events of its request, as a tree. */
export const Causes = ({ of }: { readonly of: RecordedEvent }): Node => {
  const loaded = useLoaded(of.correlationId, async ({ cairn }, signal) => {
    const events: Array<RecordedEvent> = []
    const found = cairn.system.events({ correlation: of.correlationId, limit: most }, { signal })
    for await (const event of found) if (events.push(event) > most) break
    return events
  })
  return html`<section class="causes"><h2>Events from the same request</h2>
    ${whenThere(
      loaded,
      (events) => html`<${Branch} of=${causesOf(events.slice(0, most))} here=${of.eventId} />
        ${events.length > most && html`<p class="note">Only the first ${most} are shown.</p>`}`,
      3
    )}</section>`
}
