import { useEffect, useState } from "preact/hooks"
import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { CutOff } from "../live/Live.ts"
import { useLive } from "../live/useLive.ts"
import { number } from "../parts/figures.ts"
import { More } from "../parts/More.ts"
import { usePages } from "../parts/pages.ts"
import { Empty, whenThere } from "../parts/States.ts"
import type { Session } from "../session.ts"
import { type Asked, isAsked } from "./asked.ts"
import { Rows } from "./Rows.ts"

const atOnce = 100
/** Events that came while the page was open: behind so many, the newest ones are asked for anew. */
const mostNew = 2_000

/** To who has gone further back, and would lose their place by that. */
const Full = ({ renew }: { readonly renew: () => void }): Node =>
  html`<p class="note warn" role="status">${number(mostNew)} events came since, and later ones are not shown. <button type="button" class="small" onClick=${renew}>Show the newest</button></p>`

const given = ({ type, stream, actor }: Asked) => ({
  ...(type === "" ? {} : { type }),
  ...(stream === "" ? {} : { stream }),
  ...(actor === "" ? {} : { actor })
})

/** The newest first, from the end or from a place back. */
const back = async ({ cairn }: Session, asked: Asked, before: string | undefined, signal: AbortSignal) => {
  const from = before === undefined ? (asked.asOf === "" ? {} : { asOf: asked.asOf }) : { before }
  const { events, nextBefore } = await cairn.system.newestEvents(
    { ...given(asked), ...from, limit: atOnce },
    { signal }
  )
  return { rows: [...events].reverse(), next: nextBefore }
}

/** The oldest first, from the beginning on. */
const onwards = async ({ cairn }: Session, asked: Asked, after: string | undefined, signal: AbortSignal) => {
  const pages = cairn.system.events({ ...given(asked), after, limit: atOnce }, { signal }).pages()
  const page = await pages.next()
  if (page.done) return { rows: [], next: null }
  const { events, nextAfter } = page.value
  return { rows: events, next: events.length < atOnce ? null : nextAfter }
}

const nothing = html`<${Empty} title="No such event"><p>Nothing in the log is what was asked for.</p><//>`

/** The log as it is asked for, page by page, and on as it grows where it is looked at from its end. */
export const Log = ({ asked, names }: { readonly asked: Asked; readonly names: ReadonlyMap<string, string> }): Node => {
  const name = JSON.stringify(asked)
  const [come, setCome] = useState<ReadonlyArray<RecordedEvent>>([])
  const isLive = asked.asOf === "" && !asked.oldest
  useEffect(() => setCome([]), [name])
  useLive((event) => {
    if (isLive && isAsked(asked, event)) setCome((before) => (before.length < mostNew ? [event, ...before] : before))
  })
  const list = usePages<RecordedEvent>(name, (open, cursor, signal) =>
    asked.oldest ? onwards(open, asked, cursor, signal) : back(open, asked, cursor, signal)
  )
  const { first, rows } = list
  const [, again] = first
  // what comes from now on is kept, and what came before is in the answer
  const renew = () => {
    setCome([])
    again()
  }
  const isFull = come.length === mostNew
  const isBack = list.isFurther
  useEffect(() => {
    if (isFull && !isBack) renew()
  }, [isFull, isBack])
  const known = new Set(rows.map(({ eventId }) => eventId))
  const all = [...come.filter(({ eventId }) => !known.has(eventId)), ...rows]
  return html`${isLive && html`<${CutOff} />`}
    ${isFull && isBack && html`<${Full} renew=${renew} />`}
    ${whenThere(
      first,
      () => html`${all.length === 0 ? nothing : html`<${Rows} of=${all} names=${names} growsAtTop=${!asked.oldest} label=${asked.oldest ? "Events, the oldest first" : "Events, the newest first"} />`}
        <${More} of=${list} label=${asked.oldest ? "Show later ones" : "Show earlier ones"} />`,
      10
    )}`
}
