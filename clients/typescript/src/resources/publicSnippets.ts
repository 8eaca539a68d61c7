import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** A snippet that everybody may see. */
export interface PublicSnippet {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly source: string
  readonly language: string
  readonly entrypoint: string
  readonly thumbsUp: number
  readonly thumbsDown: number
  /** ISO 8601. */
  readonly createdAt: string | null
  /** `community`: whose it is stays with the service. */
  readonly namespace: string
}

export interface BrowsePublicParams {
  /** 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** Default: `upvoted`. */
  readonly sortBy?: "upvoted" | "recent" | undefined
  readonly language?: string | undefined
}

export interface BrowsePublicResponse extends Result {
  readonly snippets: ReadonlyArray<PublicSnippet>
  readonly total: number
  readonly hasMore: boolean
}

export interface SearchPublicParams {
  readonly query: string
  /** 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  readonly language?: string | undefined
}

export interface SearchPublicResponse extends Result {
  /** The best first. */
  readonly snippets: ReadonlyArray<PublicSnippet>
  readonly total: number
  readonly query: string
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

const publicOf = ({ id, name, description, source, language, entrypoint, ...wire }: PublicWire): PublicSnippet => ({
  ...{ id, name, description, source, language, entrypoint },
  thumbsUp: wire.thumbs_up,
  thumbsDown: wire.thumbs_down,
  createdAt: wire.created_at,
  namespace: wire.namespace
})

export const browsePublic = (params: BrowsePublicParams): Call<BrowsePublicResponse> => ({
  method: "POST",
  path: "/api/snippets/public/list",
  open: true,
  body: { limit: params.limit, offset: params.offset, sort_by: params.sortBy, language: params.language },
  answer: json((wire: { snippets: ReadonlyArray<PublicWire>; total: number; has_more: boolean }) => ({
    snippets: wire.snippets.map(publicOf),
    total: wire.total,
    hasMore: wire.has_more
  }))
})

export const searchPublic = (params: SearchPublicParams): Call<SearchPublicResponse> => ({
  method: "POST",
  path: "/api/snippets/public/search",
  open: true,
  body: { query: params.query, limit: params.limit, language: params.language },
  answer: json((wire: { snippets: ReadonlyArray<PublicWire>; total: number; query: string }) => ({
    snippets: wire.snippets.map(publicOf),
    total: wire.total,
    query: wire.query
  }))
})
