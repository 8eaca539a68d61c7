import type { Actor, Envelope } from "#engine/Event.ts"
import type { Projection } from "#engine/Projection.ts"
import { table } from "../table.ts"

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
  /** Bytes that its commits brought; `null`: some commits are from before these were counted. */
  readonly repository_bytes: number | null
  readonly updated_at: string
  /** Who made the last commit, by ids alone: what they are called is looked up when it is read. */
  readonly actor_key: string | null
  readonly actor_user: string | null
  readonly actor_organization: string | null
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
  /** A workspace's runs go in this order. */
  readonly position: number
}

interface Moved {
  readonly commit: string
  readonly parent: string | null
  readonly tree: string
  readonly files: number
  readonly bytes?: number
  readonly created?: number
  readonly modified?: number
  readonly workspace: string
  /** `null` or absent: no chat made it. */
  readonly run?: string | null
}

const ofWorkspace = ({ workspace }: { readonly workspace: string }) => [workspace]
const ofRun = ({ run }: { readonly run: string }) => [run]

/** Bytes that a commit brought. If its event does not say: 0 if no file was created or modified, else unknown. */
const broughtBy = ({ bytes, created = 0, modified = 0 }: Moved): number | null =>
  bytes ?? (created + modified === 0 ? 0 : null)

const by = ({ key, user, organization }: Actor) => ({
  actor_key: key,
  actor_user: user,
  actor_organization: organization
})

const moved = {
  rows: ofWorkspace,
  to: (
    row: WorkspaceRow | undefined,
    event: Moved,
    { recordedAt, revision, actor }: Pick<Envelope, "recordedAt" | "revision" | "actor">
  ): WorkspaceRow | undefined => {
    if (row === undefined) return undefined
    const brought = broughtBy(event)
    return {
      ...row,
      head: event.commit,
      tree: event.tree,
      files: event.files,
      revision,
      commits: row.commits + 1,
      repository_bytes:
        row.repository_bytes === null || brought === null ? null : Number(row.repository_bytes) + brought,
      updated_at: new Date(recordedAt).toISOString(),
      ...by(actor)
    }
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

/** All rows of an erased workspace go, whatever their ids are. */
const erased = { column: "workspace", value: ({ workspace }: { readonly workspace: string }) => workspace } as const

/** Read model `workspaces`: where each workspace stands, its commits, and its runs that have not ended. */
export const Workspaces = {
  name: "workspaces",
  version: 5,
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
        repository_bytes: "bigint",
        updated_at: "timestamptz",
        actor_key: "text",
        actor_user: "text",
        actor_organization: "text"
      },
      indexes: ["(tenant)"],
      on: {
        WorkspaceOpened: {
          rows: ofWorkspace,
          to: (_, { workspace, generation, text }, { tenant, revision, recordedAt, actor }) =>
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
                  repository_bytes: 0,
                  updated_at: new Date(recordedAt).toISOString(),
                  ...by(actor)
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
          // without its text, it was asked for in a workspace that had been erased, and will not begin
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
