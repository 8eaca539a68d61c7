import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { hintOf, sentenceOf } from "../overview/sentence.ts"
import { Groups } from "../parts/Groups.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href } from "../router.ts"
import { Actor } from "./Actor.ts"

const Row = ({ of, names }: { readonly of: RecordedEvent; readonly names: ReadonlyMap<string, string> }): Node => {
  const hint = hintOf(of)
  return html`<li><a class="row" href=${href("event", { position: of.position })}>
    <code class="quiet">${of.position}</code>
    <span class="who">${sentenceOf(of)} ${hint !== "" && html`<span class="quiet hint"><${Text} of=${hint} /></span>`}</span>
    <span class="quiet stream" title=${of.stream}><${Text} of=${of.stream} /></span>
    <span class="by"><${Actor} of=${of.actor} names=${names} /></span>
    <span class="quiet"><${Time} at=${of.recordedAt} /></span></a></li>`
}

/** Events, one in each row, the newest first or the oldest first. */
export const Rows = ({
  of,
  names,
  label,
  above = 0
}: {
  readonly of: ReadonlyArray<RecordedEvent>
  readonly names: ReadonlyMap<string, string>
  readonly label: string
  /** How many of them came one by one. They stand above the others. */
  readonly above?: number
}): Node =>
  html`<${Groups} of=${of} by=${[names]} kind="events" label=${label} above=${above} show=${(one: RecordedEvent) => html`<${Row} key=${one.eventId} of=${one} names=${names} />`} />`
