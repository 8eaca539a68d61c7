import type { Result } from "../Result.ts"
import { type Call, json, part } from "../request.ts"
import { type FunctionReputation, type FunctionWire, functionOf } from "./functions.ts"

/** What `snippets.functions` gives. */
export interface SnippetFunctions extends Result {
  /** In the order of the source. */
  readonly functions: ReadonlyArray<FunctionReputation>
}

/** A search that found a snippet; those of one day that found the same snippets are one. */
export interface Retrieval {
  /** Where in the log it is. */
  readonly position: string
  /** ISO 8601: of the first of them. */
  readonly retrievedAt: string
  /** What it asked for; `null`: that was erased since. */
  readonly task: string | null
  /** How many snippets it found. */
  readonly found: number
  /** Votes for this snippet within half an hour after it, by who had asked. */
  readonly thumbsUp: number
  /** Votes against it, in the same way. */
  readonly thumbsDown: number
}

/** What `snippets.retrievals` gives. */
export interface RetrievalList extends Result {
  /** The latest first. */
  readonly retrievals: ReadonlyArray<Retrieval>
  /** For `cursor`; `null` at the end. */
  readonly nextCursor: string | null
}

interface RetrievalWire {
  readonly position: string
  readonly retrieved_at: string
  readonly task: string | null
  readonly found: number
  readonly thumbs_up: number
  readonly thumbs_down: number
}

const pathOf = (id: string): string => `/api/snippets/${part("codeBlockId", id)}`

export const functionsOf = (id: string): Call<SnippetFunctions> => ({
  method: "GET",
  path: `${pathOf(id)}/functions`,
  answer: json((wire: { functions: ReadonlyArray<FunctionWire> }) => ({ functions: wire.functions.map(functionOf) }))
})

export const retrievalsOf = (
  id: string,
  page: { readonly limit?: number | undefined; readonly cursor?: string | undefined }
): Call<RetrievalList> => ({
  method: "GET",
  path: `${pathOf(id)}/retrievals`,
  query: { limit: page.limit, cursor: page.cursor },
  answer: json((wire: { retrievals: ReadonlyArray<RetrievalWire>; next_cursor: string | null }) => ({
    retrievals: wire.retrievals.map(({ position, task, found, ...one }) => ({
      position,
      retrievedAt: one.retrieved_at,
      task,
      found,
      thumbsUp: one.thumbs_up,
      thumbsDown: one.thumbs_down
    })),
    nextCursor: wire.next_cursor
  }))
})
