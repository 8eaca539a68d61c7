import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { hintOf, sentenceOf } from "../overview/sentence.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href } from "../router.ts"
import { Actor } from "./Actor.ts"

/** Rows that a browser lays out, or leaves alone, together. */
const together = 50

const Row = ({ of, names }: { readonly of: RecordedEvent; readonly names: ReadonlyMap<string, string> }): Node => {
  const hint = hintOf(of)
  return html`<li><a class="row" href=${href("event", { position: of.position })}>
    <code class="quiet">${of.position}</code>
    <span class="who">${sentenceOf(of)} ${hint !== "" && html`<span class="quiet hint"><${Text} of=${hint} /></span>`}</span>
    <span class="quiet stream" title=${of.stream}><${Text} of=${of.stream} /></span>
    <span class="by"><${Actor} of=${of.actor} names=${names} /></span>
    <span class="quiet"><${Time} at=${of.recordedAt} /></span></a></li>`
}

/** Events, one a row. */
export const Rows = ({
  of,
  names,
  label
}: {
  readonly of: ReadonlyArray<RecordedEvent>
  readonly names: ReadonlyMap<string, string>
  readonly label: string
}): Node => {
  const chunks = Array.from({ length: Math.ceil(of.length / together) }, (_, index) => {
    // counted from the end, so that what comes at the top leaves the chunks below as they are
    const end = of.length - (Math.ceil(of.length / together) - 1 - index) * together
    return of.slice(Math.max(0, end - together), end)
  })
  return html`<div class="events-list" role="group" aria-label=${label}>
    ${chunks.map((rows) => html`<ul class="rows events" key=${rows.at(-1)!.eventId} style=${{ "--rows": rows.length }}>${rows.map((one) => html`<${Row} key=${one.eventId} of=${one} names=${names} />`)}</ul>`)}</div>`
}
