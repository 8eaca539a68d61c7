import { Context, type Effect } from "effect"
import type { SnippetKind } from "#domain/Snippet/events.ts"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import type { IndexedText } from "#domain/search/IndexedText.ts"

/** The votes that a snippet has got; `humanUp` are those of `up` that people gave. */
export interface Votes {
  readonly up: number
  readonly down: number
  readonly humanUp: number
}

/** One snippet as the index keeps it: who may find it, its text already cut into terms, what it means, and its votes. */
export interface IndexedSnippet extends Votes {
  readonly id: string
  /** `tenant` or `tenant/workspace`: where it lives. */
  readonly home: string
  readonly isPublic: boolean
  /** The agent that it belongs to; `null`: to everyone in its home. */
  readonly agent: string | null
  readonly text: IndexedText
  /** What it means, of length 1, by the table of `Embeddings`; `null` when nothing in it could be read. */
  readonly vector: Vector | null
  /** 0…1, see `SourceAnalysis`. */
  readonly completeness: number
  readonly kind: SnippetKind
  /** Lower-case. */
  readonly language: string
}

export interface IndexQuery {
  readonly task: string
  /** Homes that are searched; every snippet of them whatever its flag. */
  readonly homes: ReadonlyArray<string>
  /** Public snippets of any home too. */
  readonly includePublic: boolean
  /** When given: this agent's own snippets and those of no agent. */
  readonly agent: string | null
  readonly preferComplete: boolean
  /** A snippet whose verdict is below is left out. */
  readonly minVerdict: number
  readonly limit: number
  /** A snippet with fewer votes of people for it is left out; 0 unless given. */
  readonly minHumanUp?: number
  /** When given, only snippets of these kinds. */
  readonly kinds?: ReadonlyArray<SnippetKind>
  /** When given, only snippets in this language. */
  readonly language?: string
  /** When given, only snippets it accepts count (the caller's further filters). */
  readonly accept?: (id: string) => boolean
}

/** Scores are all in 0…1. */
export interface IndexMatch {
  readonly id: string
  readonly score: number
  /** How well its words and its meaning match, without its votes. */
  readonly relevance: number
  /** How near its meaning is: the cosine, 0 where it is below or there is none. */
  readonly vector: number
  readonly verdict: number
}

export interface IndexAnswer {
  /** Best first, at most `limit`; ties in order of id. */
  readonly matches: ReadonlyArray<IndexMatch>
  /** All that pass the filters and share a term with the query, or a synonym of one, or have a score of 0.2 or more. */
  readonly total: number
}

/**
 * Finds snippets by the words of a task and by its meaning. Fed by a projection; knows no text, only terms and vectors.
 *
 * A score depends on nothing but the snippets that the query's homes (and `includePublic`) let it see: how rare a word is
 * elsewhere must not leak. `put` of an id that is there replaces it, wherever it was; `remove` and `votes` of an unknown one
 * do nothing. A long `put` lets searches in between.
 */
export class SnippetIndex extends Context.Service<
  SnippetIndex,
  {
    readonly put: (snippets: ReadonlyArray<IndexedSnippet>) => Effect.Effect<void>
    readonly remove: (ids: ReadonlyArray<string>) => Effect.Effect<void>
    readonly votes: (votes: ReadonlyArray<Votes & { readonly id: string }>) => Effect.Effect<void>
    readonly search: (query: IndexQuery) => Effect.Effect<IndexAnswer>
    readonly size: Effect.Effect<number>
  }
>()("cairn/SnippetIndex") {}
