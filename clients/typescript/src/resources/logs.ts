import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

export interface SearchLogsParams {
  /** Any of its words is enough. */
  readonly query: string
  /** 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly codeBlockId?: string | undefined
  readonly language?: string | undefined
  readonly daysBack?: number | undefined
}

/** What an upload or a run of a snippet printed. */
export interface LogMatch {
  readonly snippetId: string
  readonly name: string
  readonly language: string
  /** Of the log. ISO 8601. */
  readonly createdAt: string
  /** Not bounded. */
  readonly score: number
  /** Some 300 characters around the words. */
  readonly preview: string
  /** Relative to the service. */
  readonly rawMarkdownUrl: string
  readonly filename: string | null
  /** The task it was run for. */
  readonly triggeringQuery: string | null
  readonly logUrl: string | null
}

export interface SearchLogsResponse extends Result {
  /** The best first. */
  readonly matches: ReadonlyArray<LogMatch>
  readonly totalFound: number
  readonly hasMore: boolean
}

interface LogWire {
  readonly snippet_id: string
  readonly name: string
  readonly language: string
  readonly created_at: string
  readonly score: number
  readonly preview: string
  readonly raw_markdown_url: string
  readonly filename: string | null
  readonly triggering_query: string | null
  readonly log_url: string | null
}

interface LogsWire {
  readonly matches: ReadonlyArray<LogWire>
  readonly total_found: number
  readonly has_more: boolean
}

export const searchLogs = (params: SearchLogsParams): Call<SearchLogsResponse> => ({
  method: "POST",
  path: "/api/raw/search",
  body: {
    query: params.query,
    limit: params.limit,
    offset: params.offset,
    code_block_id: params.codeBlockId,
    language: params.language,
    days_back: params.daysBack
  },
  answer: json((wire: LogsWire) => ({
    matches: wire.matches.map((match) => ({
      snippetId: match.snippet_id,
      name: match.name,
      language: match.language,
      createdAt: match.created_at,
      score: match.score,
      preview: match.preview,
      rawMarkdownUrl: match.raw_markdown_url,
      filename: match.filename,
      triggeringQuery: match.triggering_query,
      logUrl: match.log_url
    })),
    totalFound: wire.total_found,
    hasMore: wire.has_more
  }))
})
