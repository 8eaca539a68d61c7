import type { IndexChanges, IndexedSnippet, IndexQuery, SnippetIndex, WholeQuery } from "#ports/SnippetIndex.ts"
import type { KeepingOptions, Origin } from "../memory/snapshot/keeping.ts"

/**
 * Ids as they are sent: a JSON text for some of them up to each of the `ends`, in memory that both threads see. There
 * may be as many ids as snippets, and what is copied to a thread is copied in one go. It is no array of bytes: Deno
 * (2.9) goes through each entry of one that it receives.
 */
export interface PackedIds {
  readonly memory: SharedArrayBuffer
  readonly ends: ReadonlyArray<number>
}

/** A query as it is sent. */
export type Sent<Query extends Pick<IndexQuery, "only">> = Omit<Query, "only"> & { readonly only?: PackedIds }

/** What the thread is asked, by name, with what is given for each question. */
export interface Questions {
  readonly stand: []
  readonly candidates: [query: Sent<IndexQuery>, most: number]
  readonly frequencies: Parameters<SnippetIndex["Service"]["frequencies"]>
  readonly find: [query: Sent<WholeQuery>]
  readonly apply: [upTo: { readonly build: number; readonly position: number }]
}

/**
 * Snippets as they are sent: what lies in many small pieces of memory is put into two, which are handed over without a
 * copy. A count below 0 means no vector.
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

/** What a thread is given if its index is kept on the disk. `full` is not 0 while that disk has no room. */
export interface KeptData extends Omit<KeepingOptions, "isFull"> {
  readonly whose: Origin["whose"]
  readonly full: SharedArrayBuffer
}

/**
 * What a thread is given when it begins, besides what its program wants. `givenUp` is not 0 once it was given up;
 * `beat`: milliseconds between two signs of life while it has something to do.
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
  /** Nobody waits for this question any more. */
  | { readonly type: "leave"; readonly id: number }
  /** Which event the log has at the position that the thread asked about; `failed`: the log did not answer. */
  | { readonly type: "told"; readonly id: number; readonly event: string | undefined; readonly failed: boolean }
  /** The thread is to keep what it holds, and then to end. */
  | { readonly type: "finish" }
  /** The thread ends as soon as it hears this. */
  | { readonly type: "end" }
  /** Some of the changes that the next `apply` takes in. The `first` message drops changes that no `apply` took in. */
  | (Omit<IndexChanges, "put"> & { readonly type: "changes"; readonly first: boolean; readonly put: PackedSnippets })

export type FromThread =
  /** The thread listens from now on. On Deno, what was sent before is lost. */
  | { readonly type: "ready" }
  | { readonly type: "done"; readonly id: number; readonly value: unknown; readonly size: number }
  /** `where`: what was thrown and the lines of code that it came through, without its message. */
  | { readonly type: "threw"; readonly id: number; readonly where: string }
  | { readonly type: "left"; readonly id: number }
  /** The thread is at work on what it was asked, and comes back to its event loop. */
  | { readonly type: "alive" }
  /** Asks which event the log has at a position. */
  | { readonly type: "asks"; readonly id: number; readonly position: number }
  /** A line for the service's log. */
  | { readonly type: "says"; readonly isWarning: boolean; readonly line: string }
