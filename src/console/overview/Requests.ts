import type { RequestHistory, RequestMinute } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useEvery } from "../live/useEvery.ts"
import { useLoaded } from "../loading.ts"
import { number } from "../parts/figures.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { Chart } from "./Chart.ts"
import { rest } from "./pace.ts"

const minute = 60_000
const clock = new Intl.DateTimeFormat("en", { weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" })

const kinds = ["answered", "refused", "failed", "left"] as const
type Counts = { readonly [kind in (typeof kinds)[number]]: number }

const totalOf = (all: ReadonlyArray<Counts>): Counts =>
  Object.fromEntries(kinds.map((kind) => [kind, all.reduce((sum, one) => sum + one[kind], 0)])) as unknown as Counts

/** `count` bins of `minutes` minutes each, up to a time, with those in which there was no request. */
export const requestBins = (all: ReadonlyArray<RequestMinute>, until: number, count: number, minutes: number) => {
  const width = minutes * minute
  const last = Math.floor(until / width) * width
  return Array.from({ length: count }, (_, index) => {
    const from = last - (count - 1 - index) * width
    const inside = all.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < from + width)
    return { from: new Date(from), label: clock.format(from), counts: totalOf(inside) }
  })
}

const parts = [
  { kind: "answered", called: "answered" },
  { kind: "left", called: "abandoned", tone: "mild" },
  { kind: "refused", called: "refused", tone: "mild" },
  { kind: "failed", called: "failed", tone: "bad" }
]
const errors = parts.filter(({ kind }) => kind === "refused" || kind === "failed")

const Charts = ({ of }: { readonly of: RequestHistory }): Node => {
  const until = Date.parse(of.until)
  const total = totalOf(of.minutes)
  const day = requestBins(of.minutes, until, 48, 30)
  return html`<div class="charts">
      <${Chart} title="Requests, last hour" of=${requestBins(of.minutes, until, 60, 1)} parts=${parts} />
      <${Chart} title="Requests, 24 hours" of=${day} parts=${parts} />
      <${Chart} title="Refused or failed, 24 hours" of=${day} parts=${errors} />
    </div>
    <p class="note">${number(total.answered)} answered, ${number(total.refused)} refused, ${number(total.failed)} failed, ${number(total.left)} abandoned by the caller.
      Counted since <${Time} at=${of.since} /> by process <${Text} of=${of.process} />, without health checks.</p>`
}

/** How many requests there were, and how they ended, as counted by the process that answers. */
export const Requests = (): Node => {
  const loaded = useLoaded("requests", ({ cairn }, signal) => cairn.system.requests({ signal }))
  useEvery(rest, loaded[1])
  return html`<section class="happened requests"><header><h2>Requests</h2></header>
    ${whenThere(loaded, (history) => html`<${Charts} of=${history} />`, 5)}</section>`
}
