import type { Steps } from "#engine/steps.ts"
import type { Encoder } from "./embeddings/Encoder.ts"
import { dot, type Vector } from "./embeddings/vector.ts"
import { log } from "./exact.ts"
import type { Asked } from "./query.ts"
import { firstTerms } from "./tokenize.ts"

/** What somebody said of a snippet: that it helped with a task, or did not. */
export interface TaskVote {
  readonly snippet: string
  readonly value: 1 | -1
  /** What it counts beside a person's, 0…1. */
  readonly weight: number
  /** Whose votes count as one, however many: the voter's, or among strangers all of their tenant's. */
  readonly bloc: string
  /** As much of it as is shown; `null`: it is not shown to who asks. */
  readonly task: string | null
  /** What it means, of length 1; zeros where nothing could be read. */
  readonly meaning: Vector
  readonly pieces: ReadonlyArray<WeighedPiece>
  readonly terms: ReadonlySet<string>
}

/** A piece of a task, by its number, and what it weighs there. */
export interface WeighedPiece {
  readonly piece: number
  readonly weight: number
}

/** What is made of a task by which others are compared with it. */
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

/** Terms of a task that count where it can't be read. */
const mostTerms = 64

/** A vote for a task near to the one that is asked. */
export interface NearVote {
  readonly vote: TaskVote
  /** How near the tasks are, 0…1; 1: they ask for the same. */
  readonly nearness: number
}

/** What was learned of one snippet for one task. */
export interface Learned {
  /** What it adds to the logit of the probability that the snippet answers the task. */
  readonly effect: number
  /** One a bloc, the nearest first. */
  readonly near: ReadonlyArray<NearVote>
}

/**
 * What votes weigh by who gave them, and how a vote without a task counts, whose task is that of a search before it.
 */
export const voteWeights = { human: 1, ai: 0.5, own: 0.05, recalled: 0.5 } as const

/**
 * How near tasks are, by their cosine: from `least` on, and steeper from `nearly` on, where they ask for the same. As
 * far as it comes of the same words it says less: tasks that differ in one word of many are often others of a kind.
 * With these the same task is about 1 away from nothing.
 */
const alike = { least: 0.35, slope: 3.5, nearly: 0.8, steeper: 6, sameWords: 2.5 } as const

/** What one person's vote for the same task adds to a logit, or takes off it, and what any number come to at most. */
const worth = { up: 5, down: 2 } as const
const bounds = { up: 8, down: 5 } as const

const clamped = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/** What so many votes of one kind come to, where one comes to 1. */
const amount = (weight: number): number => log(1 + weight) / Math.LN2

/** 0…1, by the cosine of two tasks, and by how far it is that both have the same words. */
export const nearnessOf = (cosine: number, sameWords: number): number => {
  if (cosine <= alike.least) return 0
  const far = alike.slope * (cosine - alike.least) + alike.steeper * Math.max(0, cosine - alike.nearly)
  return clamped(far - alike.sameWords * sameWords, 0, 1)
}

/** Of the words of two tasks the share that both have. */
const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  if (one.size + other.size === 0) return 0
  let both = 0
  for (const term of one) if (other.has(term)) both++
  return (2 * both) / (one.size + other.size)
}

/**
 * Of the pieces of two tasks how far each has the same in the other, 0…1: squares of cosines, so that what is merely
 * near counts little.
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

/** How near a task is to the ones that were voted for: of a long one the whole, or its best part. */
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
 * What votes for tasks say of snippets for a task that is asked. Of each bloc the vote of the nearest task counts, in
 * any order of them the same. A task in which words are mended is near to what is near to it `asWritten`, too: votes
 * are for tasks as they were written.
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
 * Votes of one kind: what all come to, each by its nearness beside the nearest one, and as much of it as that is near.
 */
const side = (near: ReadonlyArray<NearVote>, value: 1 | -1, worth: number, most: number): number => {
  const some = near.filter(({ vote }) => vote.value === value)
  const nearest = some.reduce((most, { nearness }) => Math.max(most, nearness), 0)
  const weight = some.reduce((sum, { vote, nearness }) => sum + (vote.weight * nearness) / nearest, 0)
  return nearest * Math.min(most, worth * amount(weight))
}

/** What votes add to a match's logit. That many say so of another task makes that task no nearer. */
const effectOf = (near: ReadonlyArray<NearVote>): number =>
  side(near, 1, worth.up, bounds.up) - side(near, -1, worth.down, bounds.down)

/**
 * Of two that are as near what weighs more, then what speaks against it, then the bloc's name: so that no order
 * matters.
 */
const isNearer = (one: NearVote, other: NearVote): boolean => {
  if (one.nearness !== other.nearness) return one.nearness > other.nearness
  if (one.vote.weight !== other.vote.weight) return one.vote.weight > other.vote.weight
  if (one.vote.value !== other.vote.value) return one.vote.value < other.vote.value
  return one.vote.bloc < other.vote.bloc
}

/** Snippets that an index is asked for by name, the best ones: what they were used for may say what they do not. */
const mostSought = 10

/** Those snippets for which votes of near tasks speak, the strongest, in order of id where they are as strong. */
export const sought = (learned: ReadonlyMap<string, Learned>): ReadonlySet<string> =>
  new Set(
    [...learned]
      .filter(([, { effect }]) => effect > 0)
      .sort(([id, one], [otherId, other]) => other.effect - one.effect || (id < otherId ? -1 : 1))
      .slice(0, mostSought)
      .map(([id]) => id)
  )
