import { useEffect, useRef, useState } from "preact/hooks"
import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { isAimedAt, useSteady } from "../live/steady.ts"
import { useLive } from "../live/useLive.ts"
import { number } from "../parts/figures.ts"
import { More } from "../parts/More.ts"
import { usePages } from "../parts/pages.ts"
import { Empty, whenThere } from "../parts/States.ts"
import type { Session } from "../session.ts"
import { type Asked, isAsked } from "./asked.ts"
import { Rows } from "./Rows.ts"

const atOnce = 100
/** The most events that are kept as they come. Behind so many, the newest page is loaded again. */
const mostNew = 2_000

/** Events that came since the list was loaded, the newest first: those that are shown, and those that wait. */
interface Since {
  readonly shown: ReadonlyArray<RecordedEvent>
  readonly waiting: ReadonlyArray<RecordedEvent>
}

const nothingSince: Since = { shown: [], waiting: [] }
const countOf = ({ shown, waiting }: Since): number => shown.length + waiting.length
const letCome = ({ shown, waiting }: Since): Since => ({ shown: [...waiting, ...shown], waiting: [] })

const given = ({ type, stream, actor }: Asked) => ({
  ...(type === "" ? {} : { type }),
  ...(stream === "" ? {} : { stream }),
  ...(actor === "" ? {} : { actor })
})

/** A page of events, the newest first, from the log's end or from a place in it backwards. */
const back = async ({ cairn }: Session, asked: Asked, before: string | undefined, signal: AbortSignal) => {
  const from = before === undefined ? (asked.asOf === "" ? {} : { asOf: asked.asOf }) : { before }
  const { events, nextBefore } = await cairn.system.newestEvents(
    { ...given(asked), ...from, limit: atOnce },
    { signal }
  )
  return { rows: [...events].reverse(), next: nextBefore }
}

/**
 * A page of events, the oldest first, from the log's beginning or behind an event. A page of large events has fewer
 * than were asked for, so one with few is the last only if no event comes behind it.
 */
const onwards = async ({ cairn }: Session, asked: Asked, after: string | undefined, signal: AbortSignal) => {
  const pageBehind = (after: string | undefined, limit: number) =>
    cairn.system
      .events({ ...given(asked), after, limit }, { signal })
      .pages()
      .next()
  const page = await pageBehind(after, atOnce)
  if (page.done) return { rows: [], next: null }
  const { events, nextAfter } = page.value
  const isLast = events.length < atOnce && (await pageBehind(nextAfter, 1)).done === true
  return { rows: events, next: isLast ? null : nextAfter }
}

const nothing = html`<${Empty} title="No matching events"><p>No event in the log matches the filters.</p><//>`

/** The log as the filters want it, page by page. Seen from its end, it goes on as the log grows. */
export const Log = ({ asked, names }: { readonly asked: Asked; readonly names: ReadonlyMap<string, string> }): Node => {
  const name = JSON.stringify(asked)
  const [since, setSince] = useState(nothingSince)
  const place = useRef<HTMLDivElement>(null)
  const isLive = asked.asOf === "" && !asked.oldest
  /** Whether events may have come of which nothing was told. */
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    setSince(nothingSince)
    setMissing(false)
  }, [name])
  const hear = (event: RecordedEvent) => {
    if (!isLive || !isAsked(asked, event)) return
    const next = isAimedAt(place.current) ? (one: Since) => one : letCome
    setSince((before) =>
      countOf(before) === mostNew ? before : next({ ...before, waiting: [event, ...before.waiting] })
    )
  }
  useLive(hear, () => setMissing(isLive))
  const list = usePages<RecordedEvent>(name, (open, cursor, signal) =>
    asked.oldest ? onwards(open, asked, cursor, signal) : back(open, asked, cursor, signal)
  )
  const { first, rows } = list
  const [, again] = first
  // what comes from now on is kept; what came before is in the answer
  const renew = () => {
    setSince(nothingSince)
    setMissing(false)
    again()
  }
  const come = () => setSince(letCome)
  const { shown, waiting } = since
  useSteady(place, isLive && waiting.length > 0, come)
  const isFull = countOf(since) === mostNew
  const isOld = isFull || isMissing
  // a reader who has gone further back, or is about to press something, would lose their place
  const isHeld = list.isFurther || waiting.length > 0
  useEffect(() => {
    if (isOld && !isHeld) renew()
  }, [isOld, isHeld])
  const known = new Set((first[0].value?.rows ?? []).map(({ eventId }) => eventId))
  // events before one of the first page are on it or on a further page: more may have come than it shows
  const came = [...waiting, ...shown]
  const old = came.findIndex(({ eventId }) => known.has(eventId))
  const newer = old === -1 ? came : came.slice(0, old)
  const [above, news] = [newer.slice(waiting.length), newer.slice(0, waiting.length)]
  const all = [...above, ...rows]
  return html`${
    isLive &&
    html`<div class="since" ref=${place}>${
      isOld && isHeld
        ? html`<span role="status">${isFull ? `${number(mostNew)} new events came in, and later ones are not shown.` : "New events may be missing."}</span> <button type="button" class="small" onClick=${renew}>Show the newest</button>`
        : news.length > 0 &&
          html`<button type="button" class="small" onClick=${come}>Show ${number(news.length)} new</button>`
    }</div>`
  }
    ${whenThere(
      first,
      () => html`${all.length === 0 ? nothing : html`<${Rows} of=${all} names=${names} above=${above.length} label=${asked.oldest ? "Events, oldest first" : "Events, newest first"} />`}
        <${More} of=${list} label=${asked.oldest ? "Show later" : "Show earlier"} />`,
      10
    )}`
}
