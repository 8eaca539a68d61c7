import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"
import type { Transport } from "../transport.ts"

/** What `logs.search` takes. */
export interface SearchLogsParams {
  /** Any of its words is enough. */
  readonly query: string
  /** The most matches, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** How many matches are left out first, up to 1,000: for the next page. Default: 0. */
  readonly offset?: number | undefined
  /**
   * The `nextCursor` of an answer to the same request: goes on behind it, whatever is written meanwhile. Not beside
   * `offset`.
   */
  readonly cursor?: string | undefined
  /** Only logs of this snippet: its id or name. */
  readonly codeBlockId?: string | undefined
  /** Only logs of snippets in this programming language. */
  readonly language?: string | undefined
  /** Only logs of the last so many days, 1 to 36,500. */
  readonly daysBack?: number | undefined
}

/** What an upload or a run of a snippet printed. */
export interface LogMatch {
  /** The snippet that printed it. */
  readonly snippetId: string
  /** The snippet's. */
  readonly name: string
  /** The snippet's. */
  readonly language: string
  /** Of the log. ISO 8601. */
  readonly createdAt: string
  /** Up to 10: 6 for a log that has every word of the query once. */
  readonly score: number
  /** Some 300 characters around the words. */
  readonly preview: string
  /** Relative to the service. */
  readonly rawMarkdownUrl: string
  /** A flat and safe one for the snippet. */
  readonly filename: string | null
  /** The task it was run for. */
  readonly triggeringQuery: string | null
  /** `null`: the logs are part of `rawMarkdownUrl`. */
  readonly logUrl: string | null
}

/** What `logs.search` gives. */
export interface SearchLogsResponse extends Result {
  /** The best first. */
  readonly matches: ReadonlyArray<LogMatch>
  /** How many there are without `limit`; at most 1,000 are compared. */
  readonly totalFound: number
  /** Whether there are more behind these. */
  readonly hasMore: boolean
  /** For `cursor`; `null` at the end, and of a service that has none. */
  readonly nextCursor: string | null
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
  readonly next_cursor?: string | null
}

export const searchLogs = (params: SearchLogsParams): Call<SearchLogsResponse> => ({
  method: "POST",
  path: "/api/raw/search",
  body: {
    query: params.query,
    limit: params.limit,
    offset: params.offset,
    cursor: params.cursor,
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
    hasMore: wire.has_more,
    nextCursor: wire.next_cursor ?? null
  }))
})

/** What snippets printed when they ran. */
export class Logs {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Searches what uploads and runs of snippets printed; never that of public snippets of others. */
  search(params: SearchLogsParams, options?: RequestOptions): APIPromise<SearchLogsResponse> {
    return this.#transport.send(() => searchLogs(params), options)
  }
}
