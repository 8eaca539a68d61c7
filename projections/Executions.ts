import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentVerdict, ExecutionState, Review } from "#domain/Execution.ts"
import type { Scope } from "#domain/Scope.ts"
import { taskTerms } from "#domain/search/taskTerms.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { similaritySql } from "./similarity.ts"
import { table } from "./table.ts"

/** A run of code. */
interface ExecutionRow {
  readonly id: string
  readonly tenant: string
  readonly home: string
  /** `null`: what ran is not stored in this tenant. */
  readonly snippet: string | null
  /** The snippet's id; without one, the caller's name for what ran. */
  readonly code: string
  readonly agent: string | null
  readonly task: string
  readonly terms: ReadonlyArray<string>
  readonly state: ExecutionState
  /** Milliseconds. */
  readonly duration: number
  readonly input: unknown
  readonly input_hash: string
  readonly output: unknown
  readonly output_hash: string
  readonly output_type: string
  readonly error_message: string | null
  readonly error_type: string | null
  /** The caller's own; if there is none, that of the service's review. */
  readonly verdict: AgentVerdict
  readonly review: Review | null
  /** The service's. */
  readonly auto_review: Review | null
  readonly position: number
  readonly recorded_at: string
  /** Whose text it is. */
  readonly subject: string
}

const own = "execution/"

/** Read model `executions`: runs of code and what was said of them. */
export const Executions = {
  name: "executions",
  version: 3,
  tables: {
    executions: table<ExecutionRow>({
      columns: {
        id: "text",
        tenant: "text",
        home: "text",
        snippet: "text",
        code: "text",
        agent: "text",
        task: "text",
        terms: "text[]",
        state: "text",
        duration: "double precision",
        input: "json",
        input_hash: "text",
        output: "json",
        output_hash: "text",
        output_type: "text",
        error_message: "text",
        error_type: "text",
        verdict: "text",
        review: "json",
        auto_review: "json",
        position: "bigint",
        recorded_at: "timestamptz",
        subject: "text"
      },
      indexes: ["(subject)", "(home, position)", "USING hash (code)", "(snippet)", "USING gin (terms)"],
      on: {
        ExecutionRecorded: {
          rows: ({ execution }) => [execution],
          to: (
            _,
            { execution, snippet, home, state, duration, verdict, subject, text },
            { tenant, position, recordedAt }
          ) =>
            text === null
              ? undefined
              : {
                  id: execution,
                  tenant,
                  home,
                  snippet,
                  code: snippet ?? text.codeBlock,
                  agent: text.agent,
                  task: text.task,
                  terms: taskTerms(text.task),
                  state,
                  duration,
                  input: text.input,
                  input_hash: text.inputHash,
                  output: text.output,
                  output_hash: text.outputHash,
                  output_type: text.outputType,
                  error_message: text.errorMessage,
                  error_type: text.errorType,
                  verdict: verdict ?? "pending",
                  review: text.review,
                  auto_review: null,
                  position,
                  recorded_at: new Date(recordedAt).toISOString(),
                  subject
                }
        },
        ExecutionReviewed: {
          rows: ({ execution }) => [execution],
          to: (row, { verdict, text }) =>
            row && {
              ...row,
              verdict: row.verdict === "pending" ? verdict : row.verdict,
              auto_review: text?.review ?? row.auto_review
            }
        },
        // a run's text belongs to its snippet, or to itself
        TextErased: {
          rows: ({ subjects }) =>
            subjects.filter((subject) => subject.startsWith(own)).map((subject) => subject.slice(own.length)),
          to: () => undefined
        }
      },
      drops: {
        SnippetDeleted: { column: "snippet", value: ({ snippet }) => snippet },
        ExecutionsErased: { column: "subject", value: ({ subject }) => subject }
      }
    })
  }
} satisfies Projection

const executions = `"${schemaOf(Executions)}".executions`

/** An execution as it is read. */
export interface Executed extends Omit<ExecutionRow, "terms" | "position" | "recorded_at" | "subject"> {
  readonly recorded_at: Date
}

const columns = `id, tenant, home, snippet, code, agent, task, state, duration, input, input_hash, output, output_hash,
  output_type, error_message, error_type, verdict, review, auto_review, recorded_at`

/** SQL for what a scope sees; its parameters are `$1` homes and `$2` agent. */
const seen = `home = ANY ($1::text[]) AND ($2::text IS NULL OR agent IS NULL OR agent = $2)`
const seenBy = ({ homes, agent }: Scope) => [homes, agent] as const

export interface ExecutionQuery {
  /** What ran, under any of these names. */
  readonly codes: ReadonlyArray<string> | null
  readonly task: string | null
  readonly verdict: AgentVerdict | null
  readonly limit: number
}

/** SQL for about how many bytes a run has. */
const bytes = `octet_length(input::text) + octet_length(output::text) + octet_length(task) + coalesce(octet_length(error_message), 0)`

/** An execution that was found: how alike its task is (0…1), and about how many bytes it has. */
export interface FoundExecution {
  readonly id: string
  readonly score: number
  readonly bytes: number
}

/**
 * Executions that a scope sees, newest first; for a task, only those of tasks that share a word with it, most alike
 * first. `total` counts them before the limit.
 */
export const findExecutions = (scope: Scope, { codes, task, verdict, limit }: ExecutionQuery) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const terms = task === null ? [] : taskTerms(task)
    const ranked = terms.length > 0
    return Effect.map(
      sql.unsafe<FoundExecution & { readonly total: bigint }>(
        `WITH found AS (SELECT id, position, ${ranked ? similaritySql("$6") : "0::float8"} AS score, count(*) OVER () AS total
           FROM ${executions} WHERE ${seen} AND ($3::text[] IS NULL OR code = ANY ($3)) AND ($4::text IS NULL OR verdict = $4)
             ${ranked ? "AND terms && $6::text[]" : ""}
           ORDER BY ${ranked ? "score DESC, " : ""}position DESC LIMIT $5::int)
         SELECT id, found.score, total, ${bytes} AS bytes FROM found JOIN ${executions} USING (id) ORDER BY found.score DESC, found.position DESC`,
        [...seenBy(scope), codes, verdict, limit, ...(ranked ? [terms] : [])]
      ),
      (rows) => ({
        executions: rows.map(({ id, score, bytes }): FoundExecution => ({ id, score, bytes })),
        total: Number(rows[0]?.total ?? 0n)
      })
    )
  })

/** Executions that were found before, in the order of the given ids. */
export const executionsByIds = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    ids.length === 0
      ? Effect.succeed<ReadonlyArray<Executed>>([])
      : sql.unsafe<Executed>(
          `SELECT ${columns} FROM ${executions} WHERE id = ANY ($1::text[]) ORDER BY array_position($1::text[], id)`,
          [ids]
        )
  )

/** The execution with this id, if the scope sees it. */
export const executionOf = (scope: Scope, id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<Executed>(`SELECT ${columns} FROM ${executions} WHERE ${seen} AND id = $3`, [...seenBy(scope), id]),
      ([execution]) => execution
    )
  )

/**
 * The latest completed execution of each snippet, among those that a scope sees: its id, its snippet (`code`), and
 * about how many bytes it has.
 */
export const lastCompleted = (scope: Scope, snippets: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    snippets.length === 0
      ? Effect.succeed<ReadonlyArray<{ readonly id: string; readonly code: string; readonly bytes: number }>>([])
      : sql.unsafe<{ id: string; code: string; bytes: number }>(
          `SELECT DISTINCT ON (code) id, code, ${bytes} AS bytes FROM ${executions}
           WHERE ${seen} AND state = 'completed' AND code = ANY ($3::text[]) ORDER BY code, position DESC`,
          [...seenBy(scope), snippets]
        )
  )
