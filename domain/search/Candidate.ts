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
   * The cosine of its meaning with the task's; for a long task, of the whole and its best part, as `merged`. 0 if
   * nothing in the snippet could be read.
   */
  readonly cosine: number
  readonly completeness: number
  /** By its votes, see `score.ts`. */
  readonly verdict: number
  readonly profile: Profile
}

/** Candidates, and what rareness and average lengths follow from, over all snippets that the search may see. */
export interface Candidates {
  readonly documents: number
  /** How many documents have each of `Asked.terms`. */
  readonly frequencies: ReadonlyArray<number>
  /** How many documents have each of the task's pieces, `Asked.reading.pieces`. */
  readonly pieceFrequencies: ReadonlyArray<number>
  /** Tokens per field over all documents. */
  readonly tokens: ReadonlyArray<number>
  /** Those likeliest to rank first, in no order. */
  readonly candidates: ReadonlyArray<Candidate>
  /** How many snippets pass the query's filters and share a word, or a synonym of one, with the task. */
  readonly sharing: number
  /**
   * How many others pass the filters and match, see `matches`. An index that does not compare all vectors counts only
   * those that it has looked at.
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
  /** The logit of the probability that it answers the task. */
  readonly logit: number
  /** What its votes add to the logit, as `completeness` does. */
  readonly votes: number
  /** What votes for tasks near this one add; `undefined` if there are none. */
  readonly learned: Learned | undefined
  readonly completeness: number
}
