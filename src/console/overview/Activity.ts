import { useEffect, useRef, useState } from "preact/hooks"
import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Live } from "../live/Live.ts"
import { newest, standing } from "../live/source.ts"
import { isAimedAt, useSteady } from "../live/steady.ts"
import { useLive } from "../live/useLive.ts"
import { Waiting } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { hintOf, pageOf, sentenceOf } from "./sentence.ts"

const most = 14
/** Events that come many times for one thing, which another event tells. */
const slight = new Set(["KeyUsed", "ModelTurned", "ToolsRan", "ChatStarted"])

const Row = ({ of }: { readonly of: RecordedEvent }): Node => {
  const page = pageOf(of)
  const hint = hintOf(of)
  const sentence = sentenceOf(of)
  return html`<li><span class="what">${page === undefined ? sentence : html`<a href=${page}>${sentence}</a>`}</span>
    <span class="quiet hint">${hint !== "" && html`<${Text} of=${hint} />`}</span>
    <span class="quiet"><${Time} at=${of.recordedAt} /></span></li>`
}

/** The newest events, updated as they come, but not while the reader is about to press one of them. */
export const Activity = (): Node => {
  useLive()
  const place = useRef<HTMLElement>(null)
  const told = newest.value.filter(({ type }) => !slight.has(type)).slice(0, most)
  const [events, setEvents] = useState(told)
  const isNews = told[0]?.eventId !== events[0]?.eventId
  const come = () => setEvents(told)
  useEffect(() => {
    if (isNews && (events.length === 0 || !isAimedAt(place.current))) come()
  }, [told[0]?.eventId])
  useSteady(place, isNews && events.length > 0, come)
  const waiting = told.findIndex(({ eventId }) => eventId === events[0]?.eventId)
  return html`<section class="activity"><header ref=${place}><h2>Newest activity</h2><${Live} />
      ${isNews && events.length > 0 && html`<button type="button" class="small" onClick=${come}>Show ${waiting < 0 ? `${most} or more` : waiting} new</button>`}</header>
    ${events.length === 0 && (standing.value.is === "live" ? html`<p class="note">Nothing has happened yet.</p>` : html`<${Waiting} lines=${4} />`)}
    <ul class="rows" aria-label="Newest activity">${events.map((one) => html`<${Row} key=${one.eventId} of=${one} />`)}</ul></section>`
}
