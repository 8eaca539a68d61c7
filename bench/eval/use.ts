import { Effect } from "effect"
import { type TaskVote, taskRead, voteWeights } from "#domain/search/learned.ts"
import type { Embeddings } from "#ports/Embeddings.ts"
import type { SnippetIndex } from "#ports/SnippetIndex.ts"
import { find } from "#src/snippets/find.ts"
import { encoder } from "#test/embeddings.ts"
import { type EvaluationQuery, type Quality, qualityOf, queryOf } from "#test/evaluation.ts"
import { random } from "#test/random.ts"
import { documentOf } from "./groups.ts"
import { paraphrases } from "./paraphrases.ts"
import type { QuerySet } from "./sets.ts"

/** People who search and vote, and how many of them come with the same task in a month, at most. */
const people = 12
const mostAsking = 3

/** Gives the ids of the ten best, when so much was voted. */
type Ask = (task: string, votes: ReadonlyArray<TaskVote>) => ReadonlyArray<string>

const asking = (homes: ReadonlyArray<string>) =>
  Effect.map(
    Effect.context<Embeddings | SnippetIndex>(),
    (context): Ask =>
      (task, votes) => {
        const found = Effect.runSync(Effect.provideContext(find({ ...queryOf(task), homes, votes }), context))
        return found.matches.map(({ id }) => id)
      }
  )

/** Every second query is used, each by some people on some days of the month, in the order of these. */
const usesOf = (queries: ReadonlyArray<EvaluationQuery>, next: () => number) =>
  queries
    .flatMap((query) =>
      Array.from({ length: 1 + Math.floor(next() * mostAsking) }, () => ({
        query,
        voter: `person-${Math.floor(next() * people)}`,
        day: next()
      }))
    )
    .sort((one, other) => one.day - other.day)

const voteFor = (snippet: string, task: string, bloc: string, value: 1 | -1): TaskVote => ({
  ...taskRead(task, encoder),
  snippet,
  task,
  bloc,
  value,
  weight: voteWeights.human
})

/**
 * What is voted in a month. Who asks looks at the ten best: who is right votes for the right one where it is among
 * them, and against the first where that is a wrong one; who is wrong votes for another of the first five, or against
 * the right one.
 */
const monthOf = (queries: ReadonlyArray<EvaluationQuery>, wrongShare: number, ask: Ask) => {
  const next = random(7)
  // one vote of a voter for a task and snippet: the last
  const votes = new Map<string, TaskVote>()
  let wrong = 0
  for (const { query, voter } of usesOf(queries, next)) {
    const cast = (snippet: string, value: 1 | -1) =>
      votes.set(`${voter} ${snippet} ${query.text}`, voteFor(snippet, query.text, voter, value))
    const shown = ask(query.text, [...votes.values()])
    const isRight = (id: string) => query.relevant.includes(documentOf(id))
    const right = shown.find(isRight)
    const others = shown.slice(0, 5).filter((id) => !isRight(id))
    if (next() < wrongShare) {
      const other = others[Math.floor(next() * others.length)]
      if (right !== undefined && next() < 0.5) cast(right, -1)
      else if (other !== undefined) cast(other, 1)
      else continue
      wrong++
    } else {
      if (right !== undefined) cast(right, 1)
      if (shown[0] !== undefined && !isRight(shown[0])) cast(shown[0], -1)
    }
  }
  return { votes: [...votes.values()], wrong }
}

/** Somebody votes for what they have stored themselves, whatever is asked: the best of the wrong ones each time. */
const abuseOf = (queries: ReadonlyArray<EvaluationQuery>, ask: Ask): ReadonlyArray<TaskVote> =>
  queries.flatMap(({ text, relevant }) => {
    const own = ask(text, []).find((id) => !relevant.includes(documentOf(id)))
    return own === undefined ? [] : [{ ...voteFor(own, text, "author", 1), weight: voteWeights.own }]
  })

const inOtherWords = (queries: ReadonlyArray<EvaluationQuery>): ReadonlyArray<EvaluationQuery> =>
  queries.flatMap((query) => {
    const text = paraphrases[query.id]
    return text === undefined ? [] : [{ ...query, text }]
  })

/** How tasks of a kind are answered before and after a month of votes. */
export interface Used {
  readonly set: string
  readonly kind: string
  readonly queries: number
  readonly votes: string
  readonly before: Quality
  readonly after: Quality
}

/** A month of use of a set, for each kind of tasks; `others` are of another source. */
export const usedFor = Effect.fnUntraced(function* (
  set: Pick<QuerySet, "name" | "homes" | "queries">,
  others: ReadonlyArray<EvaluationQuery>,
  otherHome: string
) {
  const ask = yield* asking(set.homes)
  const askAmong = yield* asking([...new Set([...set.homes, otherHome])])
  const used = set.queries.filter((_, at) => at % 2 === 0)
  const left = set.queries.filter((_, at) => at % 2 === 1)
  const measure = (title: string, votes: ReadonlyArray<TaskVote>) => {
    return (kind: string, queries: ReadonlyArray<EvaluationQuery>, by = ask): Used => {
      const of = (some: ReadonlyArray<TaskVote>) => qualityOf(queries, (text) => by(text, some).map(documentOf))
      return { set: set.name, kind, queries: queries.length, votes: title, before: of([]), after: of(votes) }
    }
  }
  const rows = [0, 0.2].flatMap((share) => {
    const { votes, wrong } = monthOf(used, share, ask)
    const of = measure(`${votes.length} votes, ${wrong} wrong`, votes)
    return [
      of("voted tasks in other words", inOtherWords(used)),
      of("voted tasks again", used),
      of("other tasks of its kind", [...left, ...inOtherWords(left)]),
      of("other tasks", others, askAmong)
    ]
  })
  return [...rows, measure("an author for their own", abuseOf(used, ask))("voted tasks again", used)]
})

/** A row for each kind of tasks, as `report.ts` prints it. */
export const usedTable = (all: ReadonlyArray<Used>) =>
  all.map(({ set, kind, queries, votes, before, after }) => {
    const told = (of: keyof Quality) => `${before[of].toFixed(3)} → ${after[of].toFixed(3)}`
    return [`${set}: ${kind} (${votes})`, { queries, "MRR@10": told("mrr"), "nDCG@10": told("ndcg") }] as const
  })
