import type { IndexChanges, IndexedSnippet, IndexQuery, SnippetIndex, WholeQuery } from "#ports/SnippetIndex.ts"
import type { KeepingOptions, Origin } from "../memory/snapshot/keeping.ts"

/**
 * Ids as they are sent, some of them as one JSON text up to each of the `ends`: in memory that both see, since there
 * may be as many as there are snippets, and what is copied to a thread is copied in one piece. Not as an array of
 * bytes: Deno (2.9) goes through each entry of one that it receives.
 */
export interface PackedIds {
  readonly memory: SharedArrayBuffer
  readonly ends: ReadonlyArray<number>
}

/** A query as it is sent. */
export type Sent<Query extends Pick<IndexQuery, "only">> = Omit<Query, "only"> & { readonly only?: PackedIds }

/** What is asked of the thread, by name, with what is given for it. */
export interface Questions {
  readonly stand: []
  readonly candidates: [query: Sent<IndexQuery>, most: number]
  readonly frequencies: Parameters<SnippetIndex["Service"]["frequencies"]>
  readonly find: [query: Sent<WholeQuery>]
  readonly apply: [upTo: { readonly build: number; readonly position: number }]
}

/**
 * Snippets as they are sent: what lies in many small pieces of memory in two, which go over without a copy of each.
 * A count below 0: there is no vector.
 */
export interface PackedSnippets {
  readonly snippets: ReadonlyArray<
    Omit<IndexedSnippet, "vector" | "profile"> & { readonly profile: Omit<IndexedSnippet["profile"], "pieces"> }
  >
  /** 32-bit floats. */
  readonly numbers: ArrayBuffer
  readonly counts: ReadonlyArray<number>
  /** 16-bit numbers. */
  readonly pieces: ArrayBuffer
  readonly pieceCounts: ReadonlyArray<number>
}

/** What it is given where its index is kept on the disk. `full`: not 0 while that disk has no room. */
export interface KeptData extends Omit<KeepingOptions, "isFull"> {
  readonly whose: Origin["whose"]
  readonly full: SharedArrayBuffer
}

/**
 * What a thread is given when it begins, beside what its program wants: where it is said that it was given up, and the
 * milliseconds between two signs of life while it has something to do.
 */
export interface ThreadData {
  readonly beat: number
  readonly givenUp: SharedArrayBuffer
}

export type ToThread =
  | {
      readonly type: "ask"
      readonly id: number
      readonly name: keyof Questions
      readonly given: ReadonlyArray<unknown>
    }
  /** Nobody waits for it any more. */
  | { readonly type: "leave"; readonly id: number }
  /** Which event the log has where it asked; `failed`: nobody knows. */
  | { readonly type: "told"; readonly id: number; readonly event: string | undefined; readonly failed: boolean }
  /** It is to keep what it holds, and to end then. */
  | { readonly type: "finish" }
  /** It ends as soon as it hears that. */
  | { readonly type: "end" }
  /** Some of the changes that the next `apply` takes in; the `first` of them forgets those that came to none. */
  | (Omit<IndexChanges, "put"> & { readonly type: "changes"; readonly first: boolean; readonly put: PackedSnippets })

export type FromThread =
  /** It listens from now on: what was sent before is lost on Deno. */
  | { readonly type: "ready" }
  | { readonly type: "done"; readonly id: number; readonly value: unknown; readonly size: number }
  /** `where`: what was thrown and the lines of code that it came through, without its message. */
  | { readonly type: "threw"; readonly id: number; readonly where: string }
  | { readonly type: "left"; readonly id: number }
  /** It is at work on what it was asked, and comes back to its event loop. */
  | { readonly type: "alive" }
  /** Which event does the log have there? */
  | { readonly type: "asks"; readonly id: number; readonly position: number }
  /** A line for the service's log. */
  | { readonly type: "says"; readonly isWarning: boolean; readonly line: string }
