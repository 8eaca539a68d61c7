import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export interface CommitRecord {
  readonly id: string
  readonly revision: number
  readonly sha: string
  readonly parent: string | null
  readonly tree: string
  /** `null`: no chat made it. */
  readonly run: string | null
  readonly recorded_at: Date
}

/** A workspace's commits, newest first, before a revision when one is given. */
export const commitsOf = (workspace: string, limit: number, before: number | null) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<CommitRecord>`SELECT id, revision, sha, parent, tree, run, recorded_at FROM workspaces_v5.commits
      WHERE workspace = ${workspace} AND revision < ${before ?? 2147483647} ORDER BY revision DESC LIMIT ${limit}`
  )

/** A workspace's commit by its full name; `undefined`: it has none such. */
export const commitOf = (workspace: string, sha: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<CommitRecord>`SELECT id, revision, sha, parent, tree, run, recorded_at FROM workspaces_v5.commits
        WHERE workspace = ${workspace} AND sha = ${sha} ORDER BY revision DESC LIMIT 1`,
      ([commit]) => commit
    )
  )

/** Commits of a workspace whose names begin with these hexadecimal digits. */
export const commitsBeginning = (workspace: string, digits: string, limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ sha: string }>`SELECT DISTINCT sha FROM workspaces_v5.commits
        WHERE workspace = ${workspace} AND starts_with(sha, ${digits}) ORDER BY sha LIMIT ${limit}::int`,
      (rows) => rows.map(({ sha }) => sha)
    )
  )
