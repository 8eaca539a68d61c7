import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Holder } from "#domain/Scope.ts"
import { positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { table } from "./table.ts"

interface WorkspaceRow {
  readonly id: string
  readonly tenant: string
  readonly generation: number
  readonly org_id: string
  readonly user_id: string
  readonly head: string
  readonly tree: string
  /** Of the last event that moved the head. */
  readonly revision: number
  readonly commits: number
  readonly files: number
  readonly updated_at: string
}

/** A commit of a workspace, as the log has it; its bytes are in git. */
interface CommitRow {
  /** The event's id. */
  readonly id: string
  readonly workspace: string
  readonly revision: number
  readonly sha: string
  readonly parent: string | null
  readonly tree: string
  /** `null`: no chat made it. */
  readonly run: string | null
  readonly recorded_at: string
}

/** A run that has been asked for and has not ended. */
interface RunRow {
  readonly id: string
  readonly tenant: string
  readonly workspace: string
  /** Runs of a workspace go in the order of these. */
  readonly position: number
}

interface Moved {
  readonly commit: string
  readonly parent: string | null
  readonly tree: string
  readonly files: number
  readonly workspace: string
  /** Without one no chat made it. */
  readonly run?: string | null
}

const ofWorkspace = ({ workspace }: { readonly workspace: string }) => [workspace]
const ofRun = ({ run }: { readonly run: string }) => [run]

const moved = {
  rows: ofWorkspace,
  to: (
    row: WorkspaceRow | undefined,
    { commit, tree, files }: Moved,
    { recordedAt, revision }: { readonly recordedAt: number; readonly revision: number }
  ): WorkspaceRow | undefined =>
    row && {
      ...row,
      head: commit,
      tree,
      files,
      revision,
      commits: row.commits + 1,
      updated_at: new Date(recordedAt).toISOString()
    }
}

const committed = {
  rows: (_: unknown, { eventId }: { readonly eventId: string }) => [eventId],
  to: (
    _: CommitRow | undefined,
    { workspace, commit, parent, tree, run = null }: Moved,
    envelope: { readonly recordedAt: number; readonly revision: number; readonly eventId: string }
  ): CommitRow => ({
    id: envelope.eventId,
    workspace,
    sha: commit,
    parent,
    tree,
    run,
    revision: envelope.revision,
    recorded_at: new Date(envelope.recordedAt).toISOString()
  })
}

const ended = { rows: ofRun, to: () => undefined }

/** What an erased workspace had goes, whatever its rows' ids are. */
const erased = { column: "workspace", value: ({ workspace }: { readonly workspace: string }) => workspace } as const

/** Read model `workspaces`: where each workspace stands, its commits, and the runs that are still to end. */
export const Workspaces = {
  name: "workspaces",
  version: 3,
  tables: {
    workspaces: table<WorkspaceRow>({
      columns: {
        id: "text",
        tenant: "text",
        generation: "integer",
        org_id: "text",
        user_id: "text",
        head: "text",
        tree: "text",
        revision: "integer",
        commits: "integer",
        files: "integer",
        updated_at: "timestamptz"
      },
      indexes: ["(tenant)"],
      on: {
        WorkspaceOpened: {
          rows: ofWorkspace,
          to: (_, { workspace, generation, text }, { tenant, revision, recordedAt }) =>
            text === null
              ? undefined
              : {
                  id: workspace,
                  tenant,
                  generation,
                  org_id: text.org,
                  user_id: text.user,
                  revision,
                  head: "",
                  tree: "",
                  commits: 0,
                  files: 0,
                  updated_at: new Date(recordedAt).toISOString()
                }
        },
        ChatCompleted: moved,
        ChatFailed: moved,
        WorkspaceRestored: moved,
        FilesChanged: moved,
        CommitsPushed: moved,
        WorkspaceErased: { rows: ofWorkspace, to: () => undefined }
      }
    }),
    commits: table<CommitRow>({
      columns: {
        id: "text",
        workspace: "text",
        revision: "integer",
        sha: "text",
        parent: "text",
        tree: "text",
        run: "text",
        recorded_at: "timestamptz"
      },
      indexes: ["(workspace, revision)", "(sha)"],
      on: {
        ChatCompleted: committed,
        ChatFailed: committed,
        WorkspaceRestored: committed,
        FilesChanged: committed,
        CommitsPushed: committed
      },
      drops: { WorkspaceErased: erased }
    }),
    runs: table<RunRow>({
      columns: { id: "text", tenant: "text", workspace: "text", position: "bigint" },
      indexes: ["(workspace)"],
      on: {
        ChatRequested: {
          rows: ofRun,
          // without its text it was asked for in a workspace that had been erased: it will not begin
          to: (_, { run, workspace, text }, { tenant, position }) =>
            text === null ? undefined : { id: run, tenant, workspace, position }
        },
        ChatCompleted: ended,
        ChatFailed: ended
      },
      drops: { WorkspaceErased: erased }
    })
  }
} satisfies Projection

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
  readonly updated_at: Date
}

const columns = "id, generation, org_id, user_id, head, tree, commits, files, updated_at"

/** When a workspace changed last (milliseconds), and its id. */
export type WorkspacePlace = readonly [updated: number, id: string]

/** The workspaces that a key works in, the one that changed last first, from behind a place. */
export const workspacesOf = (
  { tenant, limits, userId, email }: Pick<Holder, "tenant" | "limits" | "userId" | "email">,
  after: WorkspacePlace | null,
  limit: number
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const own = limits.actsFor === "own"
    return sql.unsafe<WorkspaceRecord>(
      `SELECT ${columns} FROM workspaces_v3.workspaces WHERE tenant = $1
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
      sql.unsafe<WorkspaceRecord>(`SELECT ${columns} FROM workspaces_v3.workspaces WHERE tenant = $1 AND id = $2`, [
        tenant,
        id
      ]),
      ([workspace]) => workspace
    )
  )

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
    (sql) => sql<CommitRecord>`SELECT id, revision, sha, parent, tree, run, recorded_at FROM workspaces_v3.commits
      WHERE workspace = ${workspace} AND revision < ${before ?? 2147483647} ORDER BY revision DESC LIMIT ${limit}`
  )

/** A workspace's commit by its full name; `undefined` when it has none such. */
export const commitOf = (workspace: string, sha: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<CommitRecord>`SELECT id, revision, sha, parent, tree, run, recorded_at FROM workspaces_v3.commits
        WHERE workspace = ${workspace} AND sha = ${sha} ORDER BY revision DESC LIMIT 1`,
      ([commit]) => commit
    )
  )

/** Commits of a workspace whose names begin with these hexadecimal digits. */
export const commitsBeginning = (workspace: string, digits: string, limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ sha: string }>`SELECT DISTINCT sha FROM workspaces_v3.commits
        WHERE workspace = ${workspace} AND starts_with(sha, ${digits}) ORDER BY sha LIMIT ${limit}::int`,
      (rows) => rows.map(({ sha }) => sha)
    )
  )

/** Workspaces whose ids begin with these digits, also those of which only a run is known. */
export const workspacesBeginning = (digits: string, limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ id: string }>`SELECT id FROM workspaces_v3.workspaces WHERE starts_with(id, ${digits})
        UNION SELECT workspace FROM workspaces_v3.runs WHERE starts_with(workspace, ${digits}) ORDER BY 1 LIMIT ${limit}::int`,
      (rows) => rows.map(({ id }) => id)
    )
  )

/** Runs that have not ended, oldest request first. */
export const openRuns = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ id: string; tenant: string; workspace: string; position: bigint }>`
      SELECT id, tenant, workspace, position FROM workspaces_v3.runs ORDER BY position`,
    (rows) => rows.map((row) => ({ ...row, position: positionOf(row.position) }))
  )
)

/** Whose workspace this is, also when its first chat has yet to open it. */
export const tenantOfWorkspace = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ tenant: string }>`SELECT tenant FROM workspaces_v3.workspaces WHERE id = ${id}
        UNION SELECT tenant FROM workspaces_v3.runs WHERE workspace = ${id}`,
      ([workspace]) => workspace?.tenant
    )
  )

/** How many chats of a workspace have not ended. */
export const openRunsIn = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ count: number }>`SELECT count(*)::int AS count FROM workspaces_v3.runs WHERE workspace = ${id}`,
      ([found]) => found!.count
    )
  )
