import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Scope } from "#domain/Scope.ts"
import { keptLog, logVector } from "#domain/search/logWords.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { schema as catalogue } from "./Snippets/tables.ts"
import { table } from "./table.ts"

/** What a snippet's upload or run printed. */
interface LogRow {
  readonly id: string
  readonly tenant: string
  readonly snippet: string
  /** What it was run for. */
  readonly task: string | null
  readonly log: string
  /** The log's words and their places, as text. */
  readonly words: string
  readonly position: number
  readonly created_at: string
  /** Whose text it is. */
  readonly subject: string
}

interface Said {
  readonly snippet: string | null
  readonly task: string | null
  readonly log: string
  readonly subject: string
}

const rowOf = (
  { snippet, task, log, subject }: Said,
  { tenant, position, recordedAt }: { readonly tenant: string; readonly position: number; readonly recordedAt: number }
): LogRow | undefined => {
  if (snippet === null || log.trim() === "") return undefined
  const kept = keptLog(log)
  return {
    id: `${snippet}/${position}`,
    tenant,
    snippet,
    task: task || null,
    log: kept,
    words: logVector(kept),
    position,
    created_at: new Date(recordedAt).toISOString(),
    subject
  }
}

/** The text of `LogsRecorded`, or of an upload by an older release, whose own event has its logs. */
type Uploaded = { readonly task: string | null; readonly logs: string | null } | null

const uploaded = {
  rows: (
    { snippet, text }: { readonly snippet: string; readonly text: Uploaded },
    { position }: { position: number }
  ) => (text?.logs == null ? [] : [`${snippet}/${position}`]),
  to: (
    _: LogRow | undefined,
    { snippet, subject, text }: { readonly snippet: string; readonly subject: string; readonly text: Uploaded },
    envelope: Parameters<typeof rowOf>[1]
  ) => (text?.logs == null ? undefined : rowOf({ snippet, task: text.task, log: text.logs, subject }, envelope))
}

const output = (value: unknown): string =>
  typeof value === "string" ? value : value === null ? "" : JSON.stringify(value)

/** Read model `logs`: what uploads and runs of snippets printed, by its words. */
export const Logs = {
  name: "logs",
  version: 4,
  tables: {
    logs: table<LogRow>({
      columns: {
        id: "text",
        tenant: "text",
        snippet: "text",
        task: "text",
        log: "text",
        words: "tsvector",
        position: "bigint",
        created_at: "timestamptz",
        subject: "text"
      },
      indexes: ["(subject)", "USING gin (words)", "(snippet, position)", "(tenant, position)"],
      on: {
        SnippetUploaded: uploaded,
        TaskAdded: uploaded,
        LogsRecorded: uploaded,
        ExecutionRecorded: {
          rows: ({ snippet, text }, { position }) =>
            snippet === null || text === null ? [] : [`${snippet}/${position}`],
          to: (_, { snippet, subject, text }, envelope) => {
            if (text === null) return undefined
            const error = [text.errorType, text.errorMessage].filter((said) => said).join(": ")
            const log = [error, output(text.output)].filter((said) => said !== "").join("\n")
            return rowOf({ snippet, task: text.task, log, subject }, envelope)
          }
        }
      },
      drops: {
        SnippetDeleted: { column: "snippet", value: ({ snippet }) => snippet },
        ExecutionsErased: { column: "subject", value: ({ subject }) => subject },
        LogsErased: { column: "subject", value: ({ subject }) => subject }
      }
    })
  }
} satisfies Projection

const schema = schemaOf(Logs)

/** What to look for. */
export interface LogQuery {
  /** Distinct, as `logWords` gives them; any of them is enough. */
  readonly words: ReadonlyArray<string>
  readonly snippet: string | null
  /** Lower-case. */
  readonly language: string | null
  /** Earlier logs are left out. */
  readonly since: Date | null
  readonly limit: number
  readonly offset: number
  readonly after: LogPlace | null
}

/** The last position that the first page compared, and what matches are sorted by. */
export type LogPlace = readonly [until: number, score: number, id: string]

/** A log that has some of the words, without its text; `bytes`: how many the log has with its task. */
export interface LogMatch {
  readonly id: string
  readonly snippet: string
  readonly name: string
  readonly path: string
  readonly language: string
  readonly created_at: Date
  readonly score: number
  readonly bytes: number
}

/** Matches that are compared with each other: the latest. There may be more in the log. */
const logsCompared = 1_000

/**
 * Logs of a scope's own homes that have any of the words, best first. A log that has every word once scores 6, one that
 * has every word often 10, and one that has a share of the words that share of it. Publishing code does not publish its
 * logs, so those of other tenants are never among them.
 */
export const searchLogs = (tenant: string, { homes, agent }: Scope, query: LogQuery) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<LogMatch & { readonly total: number; readonly until: bigint | null }>(
        `WITH found AS (
         SELECT l.id, l.position, s.name, s.path, s.language FROM ${schema}.logs l
         JOIN ${catalogue}.snippets s ON s.id = l.snippet
         WHERE l.words @@ $1::tsquery AND l.tenant = $2 AND s.home = ANY ($3::text[])
           AND ($4::text IS NULL OR s.agent IS NULL OR s.agent = $4) AND ($5::text IS NULL OR l.snippet = $5)
           AND ($6::text IS NULL OR s.language = $6) AND ($7::timestamptz IS NULL OR l.created_at >= $7)
           AND ($10::bigint IS NULL OR l.position <= $10)
         ORDER BY l.position DESC LIMIT ${logsCompared}),
       ranked AS (
         SELECT f.*, 100 * ts_rank(l.words, $1::tsquery)::float8 AS score
         FROM found f JOIN ${schema}.logs l ON l.id = f.id)
       SELECT l.id, l.snippet, r.name, r.path, r.language, l.created_at, r.score, t.total, t.until,
         octet_length(l.log) + coalesce(octet_length(l.task), 0) AS bytes
       FROM (SELECT count(*)::int AS total, max(position) AS until FROM found) t
       LEFT JOIN (SELECT * FROM ranked WHERE $11::float8 IS NULL OR score < $11 OR (score = $11 AND id > $12::text) ORDER BY score DESC, id LIMIT $8::int OFFSET $9::int) r ON true
       LEFT JOIN ${schema}.logs l ON l.id = r.id ORDER BY r.score DESC, r.id`,
        [
          query.words.join("|"),
          tenant,
          homes,
          agent,
          query.snippet,
          query.language,
          query.since,
          query.limit,
          query.offset,
          ...(query.after === null ? [null, null, null] : [BigInt(query.after[0]), query.after[1], query.after[2]])
        ]
      ),
      (rows) => ({
        total: rows[0]?.total ?? 0,
        until: Number(rows[0]?.until ?? 0),
        page: rows.filter(({ snippet }) => snippet !== null)
      })
    )
  )

/** Some logs, by their ids, in no order. */
export const logsByIds = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<Pick<LogRow, "id" | "task" | "log">>(
      `SELECT id, task, log FROM ${schema}.logs WHERE id = ANY ($1::text[])`,
      [ids]
    )
  )

/** A snippet's latest logs, newest first. */
export const logsOf = (snippet: string, limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<Pick<LogRow, "task" | "log"> & { readonly created_at: Date }>(
      `SELECT task, log, created_at FROM ${schema}.logs WHERE snippet = $1 ORDER BY position DESC LIMIT $2::int`,
      [snippet, limit]
    )
  )
