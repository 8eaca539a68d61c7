import type { Activity } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useEvery } from "../live/useEvery.ts"
import { useAgain } from "../live/useLive.ts"
import { useLoaded } from "../loading.ts"
import { whenThere } from "../parts/States.ts"
import { href, route } from "../router.ts"
import { binsOf, type Range, rangeIn, sinceOf, totalOf } from "./bins.ts"
import { Chart } from "./Chart.ts"
import { FirstSteps } from "./FirstSteps.ts"
import { rest, slowly } from "./pace.ts"

/** The events that are counted. Each one changes the charts when it comes. */
const counted = [
  ...["SearchAnswered", "SnippetUploaded", "VoteCast", "VoteRequested", "GradingFailed"],
  ...["ExecutionRecorded", "CommentAdded", "ChatRequested", "ChatFailed"]
]

const names = { day: "24 hours", week: "7 days", month: "30 days" } as const

/** The first steps, if nothing is stored: an established service may have had a quiet day. */
const IfEmpty = (): Node | null => {
  const [{ value }] = useLoaded("stored", ({ cairn }, signal) => cairn.usage({}, { signal }))
  return value?.stored?.snippets === 0 ? html`<${FirstSteps} />` : null
}

const Charts = ({ of, range }: { readonly of: Activity; readonly range: Range }): Node => {
  const bins = binsOf(range, Date.parse(of.until), of.hours)
  const total = totalOf(of.hours)
  const isFresh = total.searches + total.uploads + total.chats === 0
  return html`
    ${isFresh && html`<${IfEmpty} />`}
    <div class="charts">
      <${Chart} title="Searches" of=${bins} parts=${[{ kind: "searches", called: "searches" }]} />
      <${Chart} title="Snippets stored" of=${bins} parts=${[{ kind: "uploads", called: "stored" }]} />
      <${Chart} title="Votes" of=${bins} parts=${[{ kind: "votesFor", called: "for" }, { kind: "votesAgainst", called: "against", tone: "bad" }]} />
      <${Chart} title="Chats requested" of=${bins} parts=${[{ kind: "chats", called: "chats" }]} />
      <${Chart} title="Chats failed or stopped" of=${bins} parts=${[{ kind: "chatsFailed", called: "failed", tone: "bad" }]} />
      <${Chart} title="Code runs" of=${bins} parts=${[{ kind: "executions", called: "runs" }]} />
    </div>
    <p class="note">${of.pendingGradings === 0 ? "No gradings are pending." : `${of.pendingGradings.toLocaleString("en")} ${of.pendingGradings === 1 ? "grading is" : "gradings are"} pending.`}</p>`
}

/** How much happened in a day, a week or a month, updated as it happens. */
export const Counts = (): Node => {
  const range = rangeIn(route.value.query)
  const loaded = useLoaded(`activity ${range}`, ({ cairn }, signal) =>
    cairn.system.activity({ since: sinceOf(range, Date.now()).toISOString() }, { signal })
  )
  useAgain(counted, loaded[1], 1_000, rest)
  // the hours go on where nothing happens, too
  useEvery(slowly, loaded[1])
  return html`<section class="happened"><header><h2>What happened</h2>
    <nav class="facets" aria-label="Time">${(["day", "week", "month"] as const).map(
      (one) =>
        html`<a key=${one} href=${href("overview", {}, { range: one === "day" ? undefined : one })} aria-current=${one === range ? "true" : undefined}>${names[one]}</a>`
    )}</nav></header>
    ${whenThere(loaded, (activity) => html`<${Charts} of=${activity} range=${range} />`, 5)}</section>`
}
