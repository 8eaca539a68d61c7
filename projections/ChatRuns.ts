import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { beginningOf } from "#domain/text/beginningOf.ts"
import type { Projection } from "#engine/Projection.ts"
import { table } from "./table.ts"

interface RunRow {
  readonly id: string
  readonly tenant: string
  readonly workspace: string
  /** Whose workspace it is, as the chat said. */
  readonly user_id: string
  /** Of its `ChatRequested`: a workspace's runs go in this order. */
  readonly position: number
  /** Its beginning. */
  readonly task: string
  readonly model: string
  readonly max_turns: number
  readonly turns: number
  /** Of a run that has not ended. */
  readonly progress: "waiting" | "running" | "cancelling"
  readonly requested_at: string
  readonly ended_at: string | null
  /** Why it did not end well. */
  readonly failure: string | null
}

/** Characters of a task in a list. */
const mostOfTask = 200

const ofRun = ({ run }: { readonly run: string }) => [run]

const ends = {
  rows: ofRun,
  to: (
    row: RunRow | undefined,
    { turns, code = null }: { readonly turns: number; readonly code?: string | null },
    { recordedAt }: { readonly recordedAt: number }
  ): RunRow | undefined => row && { ...row, turns, failure: code, ended_at: new Date(recordedAt).toISOString() }
}

/** Read model `chat_runs`: every chat, and how far it is. */
export const ChatRuns = {
  name: "chat_runs",
  version: 1,
  tables: {
    runs: table<RunRow>({
      columns: {
        id: "text",
        tenant: "text",
        workspace: "text",
        user_id: "text",
        position: "bigint",
        task: "text",
        model: "text",
        max_turns: "integer",
        turns: "integer",
        progress: "text",
        requested_at: "timestamptz",
        ended_at: "timestamptz",
        failure: "text"
      },
      indexes: ["(workspace, position)"],
      on: {
        ChatRequested: {
          rows: ofRun,
          // its workspace was erased, and the run with it
          to: (_, { run, workspace, model, maxTurns, text }, { tenant, position, recordedAt }) =>
            text === null
              ? undefined
              : {
                  id: run,
                  tenant,
                  workspace,
                  user_id: text.user,
                  position,
                  task: beginningOf(text.prompt, mostOfTask),
                  model,
                  max_turns: maxTurns,
                  turns: 0,
                  progress: "waiting",
                  requested_at: new Date(recordedAt).toISOString(),
                  ended_at: null,
                  failure: null
                }
        },
        ChatStarted: {
          rows: ofRun,
          to: (row) => row && (row.progress === "waiting" ? { ...row, progress: "running" } : row)
        },
        ChatCancelled: { rows: ofRun, to: (row) => row && { ...row, progress: "cancelling" } },
        ModelTurned: { rows: ofRun, to: (row, { turn }) => row && { ...row, turns: turn } },
        ChatCompleted: ends,
        ChatFailed: ends
      },
      drops: { WorkspaceErased: { column: "workspace", value: ({ workspace }) => workspace } }
    })
  }
} satisfies Projection

/** A run as it stands. */
export interface RunRecord extends Omit<RunRow, "requested_at" | "ended_at" | "position"> {
  readonly position: bigint
  readonly requested_at: Date
  readonly ended_at: Date | null
}

/** Runs of a tenant's workspace, latest request first, from before a position if one is given. */
export const runsOf = (tenant: string, workspace: string, before: number | null, limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<RunRecord>(
      `SELECT id, tenant, workspace, user_id, position, task, model, max_turns, turns, progress, requested_at, ended_at, failure
       FROM chat_runs_v1.runs WHERE tenant = $1 AND workspace = $2 AND ($3::bigint IS NULL OR position < $3)
       ORDER BY position DESC LIMIT $4::int`,
      [tenant, workspace, before === null ? null : BigInt(before), limit]
    )
  )
