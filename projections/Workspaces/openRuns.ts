import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { positionOf } from "#engine/Position.ts"

/** Runs that have not ended, oldest request first. */
export const openRuns = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ id: string; tenant: string; workspace: string; position: bigint }>`
      SELECT id, tenant, workspace, position FROM workspaces_v5.runs ORDER BY position`,
    (rows) => rows.map((row) => ({ ...row, position: positionOf(row.position) }))
  )
)

/** How many chats of a workspace have not ended. */
export const openRunsIn = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ count: number }>`SELECT count(*)::int AS count FROM workspaces_v5.runs WHERE workspace = ${id}`,
      ([found]) => found!.count
    )
  )
