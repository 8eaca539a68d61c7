import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { Actor } from "../events/Actor.ts"
import { Rows } from "../events/Rows.ts"
import { html, type Node } from "../html.ts"
import { Renewed } from "../live/Renewed.ts"
import { useLoaded } from "../loading.ts"
import { Chart } from "../overview/Chart.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { useSome } from "../parts/useSome.ts"
import { href } from "../router.ts"
import { may } from "../session.ts"
import { type Names, useNames } from "../usage/names.ts"
import { concerns } from "./concerns.ts"
import { binsOf, type Grading, gradingsIn, type Vote, votesIn } from "./votes.ts"

/** How many events, the newest ones, are read of each type that tells of votes and gradings. */
const read = 1_000
const kinds = ["VoteCast", "VoteRequested", "GradingFailed", "GradingCancelled"]
/** How many rows of a list are shown until somebody asks for more. */
const few = 10

const sources: { readonly [source: string]: string } = { human: "a person", ai: "an agent", grading: "the AI grading" }

const parts = [
  { kind: "votesFor", called: "for it" },
  { kind: "votesAgainst", called: "against it", tone: "bad" }
] as const

const VoteRow = ({ of, names }: { readonly of: Vote; readonly names: Names["names"] }): Node => html`
  <tr><td><span class=${`status ${of.isFor ? "completed" : "failed"}`}>${of.isFor ? "+" : "−"}${of.count}</span></td>
    <td>${Object.hasOwn(sources, of.source) ? sources[of.source] : html`<${Text} of=${of.source} />`}</td>
    <td><${Actor} of=${of.by} names=${names} /></td>
    <td class="path">${of.task !== "" && html`<${Text} of=${of.task} />`}${of.reason !== "" && html`<p class="quiet"><${Text} of=${of.reason} /></p>`}</td>
    <td><a class="quiet" href=${href("event", { position: of.position })}><${Time} at=${of.at} /></a></td></tr>`

/** The votes over time, and each vote: whose it is, for which task, and why. */
const VotesOverTime = ({ votes, names }: { readonly votes: ReadonlyArray<Vote>; readonly names: Names["names"] }) => {
  const [rows, more] = useSome(votes.toReversed(), { first: few, step: 200 })
  if (votes.length === 0) return html`<p class="note">Nobody has voted yet.</p>`
  return html`<${Chart} title="Votes" of=${binsOf(votes, Date.now())} parts=${parts} />
    <div class="scrolled" tabindex="0" role="region" aria-label="Votes"><table>
      <thead><tr><th>Vote</th><th>From</th><th>By</th><th>For the task</th><th>When</th></tr></thead>
      <tbody>${rows.map((vote) => html`<${VoteRow} key=${vote.position} of=${vote} names=${names} />`)}</tbody></table></div>${more && html`<p>${more}</p>`}`
}

const outcomes: { readonly [O in Grading["is"]]: readonly [said: string, status: string] } = {
  pending: ["pending", "waiting"],
  for: ["for it", "completed"],
  against: ["against it", "failed"],
  failed: ["failed", "errored"],
  expired: ["no longer due", "cancelled"]
}

/** The gradings that a model was asked for, and their results. */
const Gradings = ({ gradings }: { readonly gradings: ReadonlyArray<Grading> }): Node => {
  const [rows, more] = useSome(gradings.toReversed(), { first: few, step: 200 })
  if (gradings.length === 0) return html`<p class="note">No model was asked to grade this snippet.</p>`
  return html`<ul class="rows gradings">${rows.map(
    ({ position, at, is, reason, count }) => html`<li key=${position}>
      <span class=${`status ${outcomes[is][1]}`}>${outcomes[is][0]}${count > 1 && ` (counts ${count} times)`}</span>
      <span class="path">${reason !== "" && html`<${Text} of=${reason} />`}</span>
      <a class="quiet" href=${href("event", { position })}><${Time} at=${at} /></a></li>`
  )}</ul>${more && html`<p>${more}</p>`}`
}

interface Read {
  /** The newest events. */
  readonly latest: ReadonlyArray<RecordedEvent>
  /** The votes and gradings that were read, in their order; `hasMore`: there were earlier ones. */
  readonly votes: ReadonlyArray<RecordedEvent>
  readonly hasMore: boolean
}

const elsewhere = html`<p class="note">This snippet belongs to another organization: its votes and events are in that organization's log.</p>`

const Told = ({ id }: { readonly id: string }): Node => {
  const { names } = useNames()
  const log = href("events", {}, { stream: `snippet-${id}` })
  const loaded = useLoaded(id, async ({ cairn }, signal): Promise<Read> => {
    // by type: the snippet's executions are in the same stream, and may be many and long
    const ask = (more: { readonly type?: string; readonly limit: number }) =>
      cairn.system.newestEvents({ stream: `snippet-${id}`, ...more }, { signal })
    const [latest, ...told] = await Promise.all([
      ask({ limit: few }),
      ...kinds.map((type) => ask({ type, limit: read }))
    ])
    return {
      latest: latest.events,
      votes: told.flatMap(({ events }) => events),
      hasMore: told.some(({ nextBefore }) => nextBefore !== null)
    }
  })
  const there = loaded[0].value
  const isElsewhere = there?.latest.length === 0
  return html`
    <section class="votes-over-time"><header class="heads"><h2>Votes over time</h2>
        <${Renewed} by=${concerns(id)} list=${{ first: loaded }} /></header>
      ${whenThere(loaded, ({ votes }) => (isElsewhere ? elsewhere : html`<${VotesOverTime} votes=${votesIn(votes)} names=${names} />`), 3)}</section>
    ${
      there &&
      !isElsewhere &&
      html`<section><h2>AI gradings</h2><${Gradings} gradings=${gradingsIn(there.votes)} />
      ${there.hasMore && html`<p class="note">Only the latest ${read.toLocaleString("en")} of each kind are shown.</p>`}</section>
    <section><h2>Latest events</h2>
      <${Rows} of=${there.latest.toReversed()} names=${names} label="Events of the snippet, newest first" />
      <p class="note"><a href=${log}>All events in the log</a></p></section>`
    }`
}

/** A snippet's history from the log, for readers who may read it. Another organization's log is not shown. */
export const History = ({ id }: { readonly id: string }): Node | null =>
  may("events.newestEvents") ? html`<${Told} id=${id} />` : null
