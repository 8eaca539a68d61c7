import type { Profile } from "./embeddings/Profile.ts"
import type { Features } from "./Features.ts"
import type { Learned } from "./learned.ts"

/** What an index knows of one snippet that may be an answer. */
export interface Candidate {
  readonly id: string
  /** How often each of `Asked.terms` occurs in each field: `fieldCount` numbers a term, in the order of `fields`. */
  readonly counts: ArrayLike<number>
  /** Tokens per field. */
  readonly lengths: ArrayLike<number>
  /**
   * The cosine of what it means with the task; of a long one with the whole and its best part, as `merged`. 0: nothing
   * in it could be read.
   */
  readonly cosine: number
  readonly completeness: number
  /** By its votes, see `score.ts`. */
  readonly verdict: number
  readonly profile: Profile
}

/** Candidates, and what rareness and average lengths are among all that the search may see. */
export interface Candidates {
  readonly documents: number
  /** How many of them have each of `Asked.terms`. */
  readonly frequencies: ReadonlyArray<number>
  /** How many of them have each of the task's pieces, `Asked.reading.pieces`. */
  readonly pieceFrequencies: ReadonlyArray<number>
  /** Tokens per field over all of them. */
  readonly tokens: ReadonlyArray<number>
  /** The likeliest to rank first, in no order. */
  readonly candidates: ReadonlyArray<Candidate>
  /** All that pass the query's filters and share a word with the task, or a synonym of one. */
  readonly sharing: number
  /**
   * All others that pass them and match, see `matches`. An index that does not compare all vectors counts the ones that
   * it has looked at.
   */
  readonly near: number
}

/** A candidate as the first stage sees it. */
export interface Likely {
  readonly candidate: Candidate
  /** The share of the task's words that it has, 0…1. */
  readonly words: number
  /** 0…1 */
  readonly cosine: number
  readonly sharesWord: boolean
  readonly relevance: number
  readonly score: number
}

/** A candidate as the second stage sees it. */
export interface Judged {
  readonly likely: Likely
  readonly features: Features
  /** Of the probability that it answers the task. */
  readonly logit: number
  /** What its votes and its completeness add to that. */
  readonly votes: number
  /** What votes for tasks near to this one add; `undefined`: there are none. */
  readonly learned: Learned | undefined
  readonly completeness: number
}
