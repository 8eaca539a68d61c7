import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { CutOff, Live } from "../live/Live.ts"
import { newest, standing } from "../live/source.ts"
import { useLive } from "../live/useLive.ts"
import { Waiting } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { hintOf, pageOf, sentenceOf } from "./sentence.ts"

const most = 14
/** What comes many times for one thing that is told by itself. */
const slight = new Set(["KeyUsed", "ModelTurned", "ToolsRan", "ChatStarted"])

const Row = ({ of }: { readonly of: RecordedEvent }): Node => {
  const page = pageOf(of)
  const hint = hintOf(of)
  const sentence = sentenceOf(of)
  return html`<li><span class="what">${page === undefined ? sentence : html`<a href=${page}>${sentence}</a>`}</span>
    <span class="quiet hint">${hint !== "" && html`<${Text} of=${hint} />`}</span>
    <span class="quiet"><${Time} at=${of.recordedAt} /></span></li>`
}

/** What happened last, and goes on to happen. */
export const Activity = (): Node => {
  useLive()
  const events = newest.value.filter(({ type }) => !slight.has(type)).slice(0, most)
  return html`<section class="activity"><header><h2>Newest activity</h2><${Live} /></header>
    <${CutOff} />
    ${events.length === 0 && (standing.value.is === "live" ? html`<p class="note">Nothing has happened yet.</p>` : html`<${Waiting} lines=${4} />`)}
    <ul class="rows" aria-label="Newest activity">${events.map((one) => html`<${Row} key=${one.eventId} of=${one} />`)}</ul></section>`
}
