import { Context, type Effect, Schema } from "effect"
import type { SnippetKind } from "#domain/Snippet/events.ts"
import type { Candidates } from "#domain/search/Candidate.ts"
import type { Profile } from "#domain/search/embeddings/Profile.ts"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import type { IndexedText } from "#domain/search/IndexedText.ts"
import type { Learned } from "#domain/search/learned.ts"
import type { AskedModel, Mended, Worded } from "#domain/search/query.ts"
import type { Ranking } from "#domain/search/rank.ts"

/** The votes that a snippet has got; `humanUp` are those of `up` that people gave. */
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
  /** What it means, of length 1, by the table of `Embeddings`; `null` when nothing in it could be read. */
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
   * New ones, and ones whose text or place is another: each replaces what is there under its id, wherever it was; of
   * two the last.
   */
  readonly put: ReadonlyArray<IndexedSnippet>
  /** All votes of a snippet; of one that the index does not have they mean nothing, as a removal does. */
  readonly voted: ReadonlyArray<Votes & { readonly id: string }>
  readonly removed: ReadonlyArray<string>
}

/**
 * How far an index has come: it holds all changes up to a position of the log, as one build of the catalogue has them.
 */
export interface IndexStand {
  /** `undefined`: it holds nothing yet. */
  readonly build: number | undefined
  readonly position: number
  /** What it could not take of what it holds, where it keeps that; there is some. */
  readonly refused?: ReadonlyArray<string>
}

/** Which snippets count, and by what. */
export interface IndexQuery {
  readonly asked: Worded
  /** Homes that are searched; every snippet of them whatever its flag. */
  readonly homes: ReadonlyArray<string>
  /** Public snippets of any home too. */
  readonly includePublic: boolean
  /** When given: this agent's own snippets and those of no agent. */
  readonly agent: string | null
  /** As `rank` is told it: what is likely depends on it. */
  readonly preferComplete: boolean
  /** A snippet whose verdict is below is left out. */
  readonly minVerdict: number
  /** A snippet with fewer votes of people for it is left out; 0 unless given. */
  readonly minHumanUp?: number
  /** When given, only snippets of these kinds. */
  readonly kinds?: ReadonlyArray<SnippetKind>
  /** When given, only snippets in this language. */
  readonly language?: string
  /** When given, only these count (the caller's further filters). */
  readonly only?: ReadonlySet<string>
  /**
   * When given, these match whatever they say, if they pass all else that is asked, and are among the candidates: what
   * they were used for speaks for them. A few.
   */
  readonly also?: ReadonlySet<string>
}

/** A task as it is asked of an index that ranks by itself. */
export interface WholeQuery extends Omit<IndexQuery, "asked" | "also"> {
  readonly task: string
  /** Matches that are wanted. */
  readonly limit: number
  /** Whether each match says why it has its score. */
  readonly explain?: boolean
  /** By what else than the table: what the task and its parts mean there. */
  readonly meant?: Meant
  /** What was learned of snippets for the task with these words `mended`. */
  readonly learned: ReadonlyMap<string, Learned>
  /** What its words were taken for; left out: that is to be found out. */
  readonly mended?: Mended
  /** Whether there is more to be learned for the task with other words mended: then it is only told which these are. */
  readonly asksAgain: boolean
}

/** What a model's vectors say of a task and its parts. */
export interface Meant {
  readonly meanings: ReadonlyArray<Vector>
  readonly model: AskedModel
}

export interface WholeAnswer extends Ranking {
  readonly mended: Mended
  /** Nothing was ranked: it is to be asked again, with these words `mended`, and what was learned for them. */
  readonly again?: boolean
}

/**
 * The index can't be reached or does not answer: what was asked may work in a moment. `fault` is for the service's log.
 */
export class IndexUnavailable extends Schema.TaggedError<IndexUnavailable>()("IndexUnavailable", {
  fault: Schema.String
}) {}

/**
 * Finds what may answer a task by its words and its meaning, for `domain/search/rank.ts` to judge. Knows no text, only
 * terms and vectors; what it says of rareness and lengths is of the snippets alone that the query's homes (and
 * `includePublic`) let it see.
 */
export class SnippetIndex extends Context.Service<
  SnippetIndex,
  {
    /**
     * Takes changes in, up to a position. What it has taken in already it leaves alone: the same again, whole or after
     * it was broken off, leads to the same. Another build begins anew: what is there is found until that one has come
     * as far, and then nothing but what it has itself. Answers with the ids of what it could not take; that is out of
     * it. Lets searches in between.
     */
    readonly apply: (
      changes: IndexChanges,
      upTo: { readonly build: number; readonly position: number }
    ) => Effect.Effect<{ readonly refused: ReadonlyArray<string> }, IndexUnavailable>
    /**
     * How far it has come. One that keeps nothing between processes begins at nothing; so does one that lost what it
     * held, after it has failed once, and one that holds what the log has not, as after a backup of that was restored.
     */
    readonly stand: Effect.Effect<IndexStand, IndexUnavailable>
    /** At most `most` of all that match, those that it deems likeliest to rank first, and those of `also` besides. */
    readonly candidates: (query: IndexQuery, most: number) => Effect.Effect<Candidates, IndexUnavailable>
    /**
     * How many snippets of some homes, and of the public ones where they are asked for, have each of these terms. Of
     * others' snippets it is not told what stands in the tasks alone that they were used for.
     */
    readonly frequencies: (
      scope: Pick<IndexQuery, "homes" | "includePublic">,
      terms: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<number>, IndexUnavailable>
    /**
     * The best matches of a task, of one that ranks where its snippets are: the same as by `candidates`, with the
     * domain's ranking.
     */
    readonly find?: (query: WholeQuery) => Effect.Effect<WholeAnswer, IndexUnavailable>
    /**
     * Lets whole searches come to it in turn. Of long tasks one at a time is among the others, which wait for no more
     * than one of them. Where it is searched in this thread, all come one by one: many at once are no sooner done, and
     * what waits has not begun, so that a collection has nothing of it to carry but what it was handed.
     */
    readonly inLine?: <A, E, R>(search: Effect.Effect<A, E, R>, isLong: boolean) => Effect.Effect<A, E, R>
    /**
     * Whether some snippet, whoever may see it, may have a term: `false` spares the question how many do. None where it
     * can't say so at once.
     */
    readonly mayHave?: (term: string) => boolean
    /** How many snippets it holds, where that costs nothing to know. */
    readonly size?: Effect.Effect<number>
    /**
     * What tells it from others, where all processes have the same one: then it is enough that one of them feeds it.
     * Left out: it is this process's own.
     */
    readonly sharedAs?: string
  }
>()("cairn/SnippetIndex") {}
