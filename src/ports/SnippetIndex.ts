import { Context, type Effect } from "effect"
import type { SnippetKind } from "#domain/Snippet/events.ts"
import type { IndexedText } from "#domain/search/IndexedText.ts"

/** The votes that a snippet has got; `humanUp` are those of `up` that people gave. */
export interface Votes {
  readonly up: number
  readonly down: number
  readonly humanUp: number
}

/** One snippet as the index keeps it: who may find it, its text already cut into terms, and its votes. */
export interface IndexedSnippet extends Votes {
  readonly id: string
  /** `tenant` or `tenant/workspace`: where it lives. */
  readonly home: string
  readonly isPublic: boolean
  /** The agent that it belongs to; `null`: to everyone in its home. */
  readonly agent: string | null
  readonly text: IndexedText
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
  /** R of design §6, of the text alone. */
  readonly relevance: number
  /** 0 as long as there are no vectors. */
  readonly vector: number
  readonly verdict: number
}

export interface IndexAnswer {
  /** Best first, at most `limit`; ties in order of id. */
  readonly matches: ReadonlyArray<IndexMatch>
  /** All that share a term with the query, or a synonym of one, and pass the filters. */
  readonly total: number
}

/**
 * Finds snippets by the words of a task. Fed by a projection; knows no text, only terms.
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
