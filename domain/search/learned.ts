import type { Steps } from "#engine/steps.ts"
import type { Encoder } from "./embeddings/Encoder.ts"
import { dot, type Vector } from "./embeddings/vector.ts"
import { log } from "./exact.ts"
import type { Asked } from "./query.ts"
import { firstTerms } from "./tokenize.ts"

/** What a voter said of a snippet: that it helped with a task, or did not. */
export interface TaskVote {
  readonly snippet: string
  readonly value: 1 | -1
  /** What the vote counts compared with a person's, 0…1. */
  readonly weight: number
  /** The bloc whose votes count as one: the voter or, among strangers, all voters of the voter's tenant. */
  readonly bloc: string
  /** As much of the task as is shown; `null`: the caller may not see it. */
  readonly task: string | null
  /** The task's meaning, of length 1; zeros if nothing in it could be read. */
  readonly meaning: Vector
  readonly pieces: ReadonlyArray<WeighedPiece>
  readonly terms: ReadonlySet<string>
}

/** A piece of a task, by its number, and what it weighs there. */
export interface WeighedPiece {
  readonly piece: number
  readonly weight: number
}

/** A task as it is read to be compared with others. */
export type TaskRead = Pick<TaskVote, "meaning" | "pieces" | "terms">

/** Reads a task, once for all that will be compared with it. */
export const taskRead = (task: string, encoder: Pick<Encoder, "query" | "reading">): TaskRead => {
  const { pieces, weights } = encoder.reading(task)
  return {
    meaning: encoder.query(task).vector,
    pieces: pieces.map((piece, at) => ({ piece, weight: Math.sqrt(weights[at]!) })),
    terms: new Set(firstTerms(task, mostTerms))
  }
}

/** The most terms of a task that count if it can't be read. */
const mostTerms = 64

/** A vote for a task near the one that is asked. */
export interface NearVote {
  readonly vote: TaskVote
  /** How near the tasks are, 0…1; 1: they ask for the same. */
  readonly nearness: number
}

/** What was learned of one snippet for one task. */
export interface Learned {
  /** What it adds to the logit of the probability that the snippet answers the task. */
  readonly effect: number
  /** One vote per bloc, nearest first. */
  readonly near: ReadonlyArray<NearVote>
}

/** What votes weigh by who gave them; `recalled`: the factor of a vote whose task is that of a search before it. */
export const voteWeights = { human: 1, ai: 0.5, own: 0.05, recalled: 0.5 } as const

/**
 * How near tasks are by their cosine: it counts from `least` on, and more from `nearly` on, where they ask for the
 * same. What comes of the same words counts less: tasks that differ in one word of many often ask for different things.
 * With these numbers the same task has a nearness of about 1.
 */
const alike = { least: 0.35, slope: 3.5, nearly: 0.8, steeper: 6, sameWords: 2.5 } as const

/** What one person's vote for the same task adds to a logit or takes from it, and the most that all votes do. */
const worth = { up: 5, down: 2 } as const
const bounds = { up: 8, down: 5 } as const

const clamped = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/** What votes of one kind come to by their total weight; a weight of 1 comes to 1. */
const amount = (weight: number): number => log(1 + weight) / Math.LN2

/** How near two tasks are, 0…1, by their cosine and by how far they have the same words. */
export const nearnessOf = (cosine: number, sameWords: number): number => {
  if (cosine <= alike.least) return 0
  const far = alike.slope * (cosine - alike.least) + alike.steeper * Math.max(0, cosine - alike.nearly)
  return clamped(far - alike.sameWords * sameWords, 0, 1)
}

/** The share of the words of two tasks that both have. */
const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  if (one.size + other.size === 0) return 0
  let both = 0
  for (const term of one) if (other.has(term)) both++
  return (2 * both) / (one.size + other.size)
}

/**
 * How far each piece of two tasks has the same piece in the other task, 0…1. Squares of cosines make pieces that are
 * merely near count little.
 */
const samePieces = (reading: Asked["reading"], pieces: ReadonlyArray<WeighedPiece>): number => {
  const { weights } = reading
  const size = weights.length
  const best = new Float64Array(size)
  let [theirs, all] = [0, 0]
  for (const { piece, weight } of pieces) {
    const from = reading.of(piece)
    let most = 0
    for (let at = 0; at < size; at++) {
      const cosine = reading.cosines[from + at]!
      if (cosine > best[at]!) best[at] = cosine
      if (cosine > most) most = cosine
    }
    theirs += weight * most * most
    all += weight
  }
  let [ours, sum] = [0, 0]
  for (let at = 0; at < size; at++) {
    const weight = Math.sqrt(weights[at]!)
    ours += weight * best[at]! * best[at]!
    sum += weight
  }
  return all === 0 || sum === 0 ? 0 : Math.sqrt((theirs / all) * (ours / sum))
}

/** How near a task is to that of a vote: the whole task or, of a long one, the nearest of the whole and its parts. */
const nearnessTo = ({ meanings, read, reading, terms, texts }: Asked): ((vote: TaskVote) => number) => {
  const [whole, ...parts] = meanings
  const own = new Set(texts[0]!.map(([term]) => terms[term!]!))
  return ({ meaning, pieces, terms }) => {
    const words = read === 1 ? 0 : (1 - read) * shared(own, terms) ** 2
    if (read === 0) return words
    const cosine = parts.reduce((best, part) => Math.max(best, dot(part, meaning)), dot(whole!, meaning))
    if (cosine <= alike.least) return words
    return words + read * nearnessOf(cosine, samePieces(reading, pieces))
  }
}

const nearestOf =
  (one: (vote: TaskVote) => number, other: (vote: TaskVote) => number) =>
  (vote: TaskVote): number =>
    Math.max(one(vote), other(vote))

/**
 * What votes for tasks say of snippets, for a task that is asked. Per snippet, only the vote for the nearest task
 * counts of each bloc; the order of the votes makes no difference. A task with mended words is compared `asWritten`
 * too, because votes are for tasks as they were written.
 */
export function* learnedFor(
  asked: Asked,
  votes: Iterable<TaskVote>,
  asWritten: Asked = asked
): Steps<ReadonlyMap<string, Learned>> {
  const nearnessOfVote = asWritten === asked ? nearnessTo(asked) : nearestOf(nearnessTo(asked), nearnessTo(asWritten))
  const bySnippet = new Map<string, Map<string, NearVote>>()
  for (const vote of votes) {
    yield
    const nearness = nearnessOfVote(vote)
    if (nearness === 0) continue
    const blocs = bySnippet.get(vote.snippet) ?? new Map<string, NearVote>()
    const before = blocs.get(vote.bloc)
    if (before === undefined || isNearer({ vote, nearness }, before)) blocs.set(vote.bloc, { vote, nearness })
    bySnippet.set(vote.snippet, blocs)
  }
  return new Map(
    Array.from(bySnippet, ([snippet, blocs]) => {
      const near = [...blocs.values()].sort((one, other) => (isNearer(one, other) ? -1 : 1))
      return [snippet, { effect: effectOf(near), near }]
    })
  )
}

/**
 * What all votes of one kind come to: each counts by its nearness relative to the nearest, and the sum by that one's.
 */
const side = (near: ReadonlyArray<NearVote>, value: 1 | -1, worth: number, most: number): number => {
  const some = near.filter(({ vote }) => vote.value === value)
  const nearest = some.reduce((most, { nearness }) => Math.max(most, nearness), 0)
  const weight = some.reduce((sum, { vote, nearness }) => sum + (vote.weight * nearness) / nearest, 0)
  return nearest * Math.min(most, worth * amount(weight))
}

/** What votes add to a match's logit. Many votes for another task do not bring that task nearer. */
const effectOf = (near: ReadonlyArray<NearVote>): number =>
  side(near, 1, worth.up, bounds.up) - side(near, -1, worth.down, bounds.down)

/**
 * Of two equally near votes, the one that weighs more comes first, then one against, then the bloc's name decides, so
 * the order in which votes come makes no difference.
 */
const isNearer = (one: NearVote, other: NearVote): boolean => {
  if (one.nearness !== other.nearness) return one.nearness > other.nearness
  if (one.vote.weight !== other.vote.weight) return one.vote.weight > other.vote.weight
  if (one.vote.value !== other.vote.value) return one.vote.value < other.vote.value
  return one.vote.bloc < other.vote.bloc
}

/** How many of the best snippets an index is asked for by id: their tasks may say what their text does not. */
const mostSought = 10

/** The snippets that votes for near tasks speak for, strongest first; ties in order of id. */
export const sought = (learned: ReadonlyMap<string, Learned>): ReadonlySet<string> =>
  new Set(
    [...learned]
      .filter(([, { effect }]) => effect > 0)
      .sort(([id, one], [otherId, other]) => other.effect - one.effect || (id < otherId ? -1 : 1))
      .slice(0, mostSought)
      .map(([id]) => id)
  )
