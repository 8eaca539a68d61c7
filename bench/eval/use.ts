import { Effect } from "effect"
import { type TaskVote, taskRead, voteWeights } from "#domain/search/learned.ts"
import type { Embeddings } from "#ports/Embeddings.ts"
import type { SnippetIndex } from "#ports/SnippetIndex.ts"
import { find } from "#src/snippets/find.ts"
import { encoder } from "#test/embeddings.ts"
import { type EvaluationQuery, qualityOf, queryOf } from "#test/evaluation.ts"
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

/**
 * A month of use of a set: a row for each kind of tasks, with the means before and after. `others` are of another
 * source.
 */
export const usedFor = Effect.fnUntraced(function* (
  set: QuerySet,
  others: ReadonlyArray<EvaluationQuery>,
  otherHome: string
) {
  const ask = yield* asking(set.homes)
  const askAmong = yield* asking([...new Set([...set.homes, otherHome])])
  const used = set.queries.filter((_, at) => at % 2 === 0)
  const left = set.queries.filter((_, at) => at % 2 === 1)
  const row = (kind: string, queries: ReadonlyArray<EvaluationQuery>, votes: ReadonlyArray<TaskVote>, by = ask) => {
    const of = (some: ReadonlyArray<TaskVote>) => qualityOf(queries, (text) => by(text, some).map(documentOf))
    const [before, after] = [of([]), of(votes)]
    const told = (one: number, other: number) => `${one.toFixed(3)} → ${other.toFixed(3)}`
    const cells = {
      queries: queries.length,
      "MRR@10": told(before.mrr, after.mrr),
      "nDCG@10": told(before.ndcg, after.ndcg)
    }
    return [`${set.name}: ${kind}`, cells] as const
  }
  const rows = [0, 0.2].flatMap((share) => {
    const { votes, wrong } = monthOf(used, share, ask)
    const title = `${votes.length} votes, ${wrong} wrong`
    return [
      row(`voted tasks in other words (${title})`, inOtherWords(used), votes),
      row(`voted tasks again (${title})`, used, votes),
      row(`other tasks of its kind (${title})`, [...left, ...inOtherWords(left)], votes),
      row(`other tasks (${title})`, others, votes, askAmong)
    ]
  })
  return [...rows, row("voted tasks again, an author for their own", used, abuseOf(used, ask))]
})
