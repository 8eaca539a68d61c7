import { Context, type Effect, Schema } from "effect"
import type { SnippetKind } from "#domain/Snippet/events.ts"
import type { Candidates } from "#domain/search/Candidate.ts"
import type { Profile } from "#domain/search/embeddings/Profile.ts"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import type { IndexedText } from "#domain/search/IndexedText.ts"
import type { Learned } from "#domain/search/learned.ts"
import type { AskedModel, Mended, Worded } from "#domain/search/query.ts"
import type { Ranking } from "#domain/search/rank.ts"

/** The votes of a snippet; `humanUp` are those of `up` that people gave. */
export interface Votes {
  readonly up: number
  readonly down: number
  readonly humanUp: number
}

/**
 * One snippet as the index keeps it: who may find it, its text already cut into terms, what it means, and its votes.
 */
export interface IndexedSnippet extends Votes {
  readonly id: string
  /** `tenant` or `tenant/workspace`: where it lives. */
  readonly home: string
  readonly isPublic: boolean
  /** The agent that it belongs to; `null`: to everyone in its home. */
  readonly agent: string | null
  readonly text: IndexedText
  /** Its meaning, of length 1, by the table of `Embeddings`; `null` if nothing in it could be read. */
  readonly vector: Vector | null
  /** What the second stage of ranking needs of it. */
  readonly profile: Profile
  /** 0…1, see `SourceAnalysis`. */
  readonly completeness: number
  readonly kind: SnippetKind
  /** Lower-case. */
  readonly language: string
}

/** What became of the catalogue's snippets, as they are now. */
export interface IndexChanges {
  /**
   * New snippets, and snippets with another text or place. Each replaces what is there under its id, wherever that was;
   * of two, the last counts.
   */
  readonly put: ReadonlyArray<IndexedSnippet>
  /** All votes of a snippet. For a snippet that the index does not have, they mean nothing, as a removal does. */
  readonly voted: ReadonlyArray<Votes & { readonly id: string }>
  readonly removed: ReadonlyArray<string>
}

/**
 * How far an index has come: it holds all changes up to a position of the log, as one build of the catalogue has them.
 */
export interface IndexStand {
  /** `undefined` if it holds nothing yet. */
  readonly build: number | undefined
  readonly position: number
  /** The ids of what it could not take, if it keeps them and there are any. */
  readonly refused?: ReadonlyArray<string>
}

/** Which snippets count, and by what. */
export interface IndexQuery {
  readonly asked: Worded
  /** Homes that are searched, with all their snippets, public or not. */
  readonly homes: ReadonlyArray<string>
  /** Whether public snippets of any home are searched too. */
  readonly includePublic: boolean
  /** If given, only this agent's snippets and those of no agent count. */
  readonly agent: string | null
  /** As `rank` is told it: which snippets are likely depends on it. */
  readonly preferComplete: boolean
  /** Snippets with a lower verdict are left out. */
  readonly minVerdict: number
  /** Snippets with fewer votes for them by people are left out; 0 unless given. */
  readonly minHumanUp?: number
  /** If given, only snippets of these kinds count. */
  readonly kinds?: ReadonlyArray<SnippetKind>
  /** If given, only snippets in this language count. */
  readonly language?: string
  /** If given, only these snippets count (the caller's further filters). */
  readonly only?: ReadonlySet<string>
  /**
   * A few snippets that match whatever they say, if they pass all else that is asked, and are among the candidates:
   * what they were used for speaks for them.
   */
  readonly also?: ReadonlySet<string>
}

/** A query for an index that ranks by itself. */
export interface WholeQuery extends Omit<IndexQuery, "asked" | "also"> {
  readonly task: string
  /** How many matches are wanted. */
  readonly limit: number
  /** Whether each match says why it has its score. */
  readonly explain?: boolean
  /** What the task and its parts mean to a model, if one is used instead of the table. */
  readonly meant?: Meant
  /** What was learned of snippets for the task with these words `mended`. */
  readonly learned: ReadonlyMap<string, Learned>
  /** What its words were taken for; if absent, the index finds that out. */
  readonly mended?: Mended
  /** Whether more may be learned with other words mended. If there are such words, the index only tells them. */
  readonly asksAgain: boolean
}

/** What a model's vectors say of a task and its parts. */
export interface Meant {
  readonly meanings: ReadonlyArray<Vector>
  readonly model: AskedModel
}

export interface WholeAnswer extends Ranking {
  readonly mended: Mended
  /** Nothing was ranked: ask again, with these words `mended` and what was learned for them. */
  readonly again?: boolean
}

/** The index can't be reached or does not answer; the same may work in a moment. `fault` is for the service's log. */
export class IndexUnavailable extends Schema.TaggedError<IndexUnavailable>()("IndexUnavailable", {
  fault: Schema.String
}) {}

/**
 * Finds what may answer a task by its words and its meaning, for `domain/search/rank.ts` to judge. Knows no text, only
 * terms and vectors. What it says of rareness and lengths covers only the snippets that the query's homes (and
 * `includePublic`) let it see.
 */
export class SnippetIndex extends Context.Service<
  SnippetIndex,
  {
    /**
     * Takes in changes up to a position. It leaves alone what it has taken in already: repeating a call, even one that
     * was broken off, leads to the same state. Another build begins anew: searches find the old one until the new one
     * has come as far, and then only the new one. Answers with the ids of what it could not take, which it does not
     * hold. Searches can run in between.
     */
    readonly apply: (
      changes: IndexChanges,
      upTo: { readonly build: number; readonly position: number }
    ) => Effect.Effect<{ readonly refused: ReadonlyArray<string> }, IndexUnavailable>
    /**
     * How far it has come. It begins at nothing if it keeps nothing between processes; if it lost what it held, after
     * it has failed once; or if it holds what the log does not, as after a backup of the log was restored.
     */
    readonly stand: Effect.Effect<IndexStand, IndexUnavailable>
    /** At most `most` of all matches, those that it deems likeliest to rank first, and those of `also` besides. */
    readonly candidates: (query: IndexQuery, most: number) => Effect.Effect<Candidates, IndexUnavailable>
    /**
     * How many snippets of some homes, and of the public ones if they are asked for, have each of these terms. It does
     * not tell what stands only in the tasks that others' snippets were used for.
     */
    readonly frequencies: (
      scope: Pick<IndexQuery, "homes" | "includePublic">,
      terms: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<number>, IndexUnavailable>
    /**
     * The best matches of a task, from an index that ranks where its snippets are: the same as `candidates` gives with
     * the domain's ranking.
     */
    readonly find?: (query: WholeQuery) => Effect.Effect<WholeAnswer, IndexUnavailable>
    /**
     * Runs whole searches in turn. Of long tasks, only one at a time is in line, so the others wait for no more than
     * one. If the index is in this thread, all searches run one by one: many at once end no sooner, and one that waits
     * has not begun, so that garbage collections carry only what it was handed.
     */
    readonly inLine?: <A, E, R>(search: Effect.Effect<A, E, R>, isLong: boolean) => Effect.Effect<A, E, R>
    /**
     * Whether any snippet, whoever may see it, may have a term: `false` saves the question how many do. Absent if it
     * can't say so at once.
     */
    readonly mayHave?: (term: string) => boolean
    /** How many snippets it holds, if that costs nothing to know. */
    readonly size?: Effect.Effect<number>
    /**
     * What tells this index from others, if all processes have the same one: then one of them feeds it. Absent if it is
     * this process's own.
     */
    readonly sharedAs?: string
  }
>()("cairn/SnippetIndex") {}
