import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Holder } from "#domain/Scope.ts"

/** A workspace as it stands. */
export interface WorkspaceRecord {
  readonly id: string
  readonly generation: number
  readonly org_id: string
  readonly user_id: string
  readonly head: string
  readonly tree: string
  readonly commits: number
  readonly files: number
  /** Bytes that its commits brought; `null`: some commits are from before these were counted. */
  readonly repository_bytes: number | null
  readonly updated_at: Date
  /** Who made the last commit: ids, as in its event. */
  readonly actor_key: string | null
  readonly actor_user: string | null
  readonly actor_organization: string | null
}

/** A double holds all whole numbers up to 2 ** 53. */
const columns = `id, generation, org_id, user_id, head, tree, commits, files,
  repository_bytes::double precision AS repository_bytes, updated_at, actor_key, actor_user, actor_organization`

/** When a workspace changed last (milliseconds), and its id. */
export type WorkspacePlace = readonly [updated: number, id: string]

/** The workspaces that a key works in, last changed first, after a place. */
export const workspacesOf = (
  { tenant, limits, userId, email }: Pick<Holder, "tenant" | "limits" | "userId" | "email">,
  after: WorkspacePlace | null,
  limit: number
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const own = limits.actsFor === "own"
    return sql.unsafe<WorkspaceRecord>(
      `SELECT ${columns} FROM workspaces_v5.workspaces WHERE tenant = $1
         AND ($2::timestamptz IS NULL OR updated_at < $2 OR (updated_at = $2 AND id > $3::text))
         AND ($5::text IS NULL OR user_id = $5) AND ($6::text IS NULL OR lower(user_id) = $6)
         AND ($7::text[] IS NULL OR id = ANY ($7))
       ORDER BY updated_at DESC, id LIMIT $4::int`,
      [
        ...[tenant, after && new Date(after[0]), after?.[1] ?? null, limit],
        ...[own ? userId : null, own && userId === null ? email : null, limits.workspaces]
      ]
    )
  })

/** A tenant's workspace; `undefined` when there is none of this id, or it was erased. */
export const workspaceOf = (tenant: string, id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<WorkspaceRecord>(`SELECT ${columns} FROM workspaces_v5.workspaces WHERE tenant = $1 AND id = $2`, [
        tenant,
        id
      ]),
      ([workspace]) => workspace
    )
  )

/** Workspaces whose ids begin with these digits, including those of which only a run is known. */
export const workspacesBeginning = (digits: string, limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ id: string }>`SELECT id FROM workspaces_v5.workspaces WHERE starts_with(id, ${digits})
        UNION SELECT workspace FROM workspaces_v5.runs WHERE starts_with(workspace, ${digits}) ORDER BY 1 LIMIT ${limit}::int`,
      (rows) => rows.map(({ id }) => id)
    )
  )

/** The tenant that owns a workspace, even before its first chat opens it. */
export const tenantOfWorkspace = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ tenant: string }>`SELECT tenant FROM workspaces_v5.workspaces WHERE id = ${id}
        UNION SELECT tenant FROM workspaces_v5.runs WHERE workspace = ${id}`,
      ([workspace]) => workspace?.tenant
    )
  )
