import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** A snippet that everybody may see. */
export interface PublicSnippet {
  /** A UUID. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** What it does. */
  readonly description: string
  /** All of its code. */
  readonly source: string
  /** In lower case, such as `python`. */
  readonly language: string
  /** The function to call; `""` when there is none. */
  readonly entrypoint: string
  /** Votes for it. */
  readonly thumbsUp: number
  /** Votes against it. */
  readonly thumbsDown: number
  /** ISO 8601. */
  readonly createdAt: string | null
  /** `community`: whose it is stays with the service. */
  readonly namespace: string
}

/** What `snippets.listPublic` takes. */
export interface BrowsePublicParams {
  /** The most snippets, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** How many are left out first, up to 10,000: for the next page. Default: 0. */
  readonly offset?: number | undefined
  /**
   * The `nextCursor` of an answer to the same request: goes on behind it, whatever is written meanwhile. Not beside
   * `offset`.
   */
  readonly cursor?: string | undefined
  /** Those with the most votes for them first, or the newest. Default: `upvoted`. */
  readonly sortBy?: "upvoted" | "recent" | undefined
  /** Only those in this programming language. */
  readonly language?: string | undefined
}

/** What `snippets.listPublic` gives. */
export interface BrowsePublicResponse extends Result {
  /** In the order that was asked for. */
  readonly snippets: ReadonlyArray<PublicSnippet>
  /** How many there are without `limit`. */
  readonly total: number
  /** Whether there are more behind these. */
  readonly hasMore: boolean
  /** For `cursor`; `null` at the end, and of a service that has none. */
  readonly nextCursor: string | null
}

/** What `snippets.searchPublic` takes. */
export interface SearchPublicParams {
  /** What the code should do, in plain words. */
  readonly query: string
  /** The most snippets, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Only those in this programming language. */
  readonly language?: string | undefined
}

/** What `snippets.searchPublic` gives. */
export interface SearchPublicResponse extends Result {
  /** The best first. */
  readonly snippets: ReadonlyArray<PublicSnippet>
  /** How many there are without `limit`. */
  readonly total: number
  /** As it was asked. */
  readonly query: string
  /** What was stored last may be missing: it is found by the same call a moment later. */
  readonly stale: boolean
}

interface PublicWire {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly source: string
  readonly language: string
  readonly entrypoint: string
  readonly thumbs_up: number
  readonly thumbs_down: number
  readonly created_at: string | null
  readonly namespace: string
}

interface PublicListWire {
  readonly snippets: ReadonlyArray<PublicWire>
  readonly total: number
  readonly has_more: boolean
  readonly next_cursor?: string | null
}

const publicOf = ({ id, name, description, source, language, entrypoint, ...wire }: PublicWire): PublicSnippet => ({
  id,
  name,
  description,
  source,
  language,
  entrypoint,
  thumbsUp: wire.thumbs_up,
  thumbsDown: wire.thumbs_down,
  createdAt: wire.created_at,
  namespace: wire.namespace
})

export const browsePublic = (params: BrowsePublicParams): Call<BrowsePublicResponse> => ({
  method: "POST",
  path: "/api/snippets/public/list",
  open: true,
  body: {
    limit: params.limit,
    offset: params.offset,
    cursor: params.cursor,
    sort_by: params.sortBy,
    language: params.language
  },
  answer: json((wire: PublicListWire) => ({
    snippets: wire.snippets.map(publicOf),
    total: wire.total,
    hasMore: wire.has_more,
    nextCursor: wire.next_cursor ?? null
  }))
})

export const searchPublic = (params: SearchPublicParams): Call<SearchPublicResponse> => ({
  method: "POST",
  path: "/api/snippets/public/search",
  open: true,
  body: { query: params.query, limit: params.limit, language: params.language },
  answer: json((wire: { snippets: ReadonlyArray<PublicWire>; total: number; query: string; stale?: boolean }) => ({
    snippets: wire.snippets.map(publicOf),
    total: wire.total,
    query: wire.query,
    stale: wire.stale ?? false
  }))
})
