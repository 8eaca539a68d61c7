import type { Result } from "../Result.ts"
import { type Answer, json } from "../request.ts"
import { type Commit, type CommitWire, commitOf } from "./commits.ts"

/** Who made a workspace's last commit; `external` for somebody of another organization. */
export interface WorkspaceActor {
  /** The API key; `null`: nobody with a key, but who operates the service. */
  readonly keyId: string | null
  /** The key's user. */
  readonly userId: string | null
  /** The key's organization; `null` of a personal key. */
  readonly organizationId: string | null
  /** The user's e-mail as it is now; `erased` for somebody who was erased, `null` where there is no user. */
  readonly email: string | null
}

/** The workspace of one (`orgId`, `userId`). */
export interface Workspace extends Result {
  /** A UUID. */
  readonly workspaceId: string
  /** The `org` of its chats. */
  readonly orgId: string
  /** The `user` of its chats. */
  readonly userId: string
  /** The SHA of its latest commit. */
  readonly head: string
  /** How many there are. */
  readonly commits: number
  /** How many there are at the head. */
  readonly files: number
  /** Bytes that its commits brought, as the bound of that name counts them; `null`: one is older than the count. */
  readonly repositoryBytes: number | null
  /** ISO 8601. */
  readonly updatedAt: string
  /** Who made its latest commit: of a chat's, who asked for it. `null`: the service does not say it. */
  readonly updatedBy: WorkspaceActor | null
}

/** What `workspaces.list` gives. */
export interface WorkspaceList extends Result {
  /** The one changed last first. */
  readonly workspaces: ReadonlyArray<Workspace>
  /** For `cursor`; `null` at the end, and of a service that has none. */
  readonly nextCursor: string | null
}

/** What `workspaces.commits` gives. */
export interface CommitList extends Result {
  /** The newest first. */
  readonly commits: ReadonlyArray<Commit>
  /** For `before`; `null` at the beginning of the history, and of a service that does not say it. */
  readonly nextBefore: string | null
}

/** What `workspaces.commit` gives. */
export interface CommitWithDiff extends Commit, Result {
  /** Unified. */
  readonly diff: string
}

/** What `workspaces.compare` gives. */
export interface Comparison extends Result {
  /** The commit that was compared with. */
  readonly base: string
  /** The commit that was compared. */
  readonly at: string
  /** Unified. */
  readonly diff: string
}

/** A file at a commit. */
export interface TreeFile {
  /** With `/` between its parts. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** As git writes it, e.g. `100644`. */
  readonly mode: string
  /** Of its content: git's name of the blob. */
  readonly sha: string
}

/** What `workspaces.tree` gives. */
export interface Tree extends Result {
  /** Every one, by its path. */
  readonly files: ReadonlyArray<TreeFile>
}

/** What `workspaces.open` gives. */
export interface OpenWorkspaceResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** A UUID. */
  readonly workspaceId: string
  /** The head: an empty commit where the workspace was made. */
  readonly commit: string
}

/** What `workspaces.putFile` gives. */
export interface PutFileResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** The head: a new commit, or the one that has the file so already. */
  readonly commit: string
  /** Of the file's content: for `ifMatch`. */
  readonly sha: string
}

/** What `workspaces.deleteFile` gives. */
export interface DeleteFileResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** The head: a new commit without the file. */
  readonly commit: string
}

/** What `workspaces.unpack` gives. */
export interface UnpackResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** The head: a new commit, or the one that has all of it already. */
  readonly commit: string
  /** Files that were not there before. */
  readonly created: number
  /** Files that have other content or another mode now. */
  readonly modified: number
  /** Files that are there no more. */
  readonly deleted: number
}

/** What `workspaces.restore` gives. */
export interface RestoreResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** The head: a new commit with the old one's files, or the one that has them already. */
  readonly commit: string
}

/** How much was erased of a workspace. */
export interface ErasedWorkspace {
  /** All of its history. */
  readonly commits: number
  /** Prompts, answers and every step of them. */
  readonly chats: number
  /** That were in the workspace at last. */
  readonly files: number
}

/** What `workspaces.delete` gives. */
export interface DeleteWorkspaceResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** What is gone. */
  readonly erased: ErasedWorkspace
  /** Of the event in the log that says so: for `after` of `events`. */
  readonly position: string
}

interface WorkspaceActorWire {
  readonly key_id: string | null
  readonly user_id: string | null
  readonly organization_id: string | null
  readonly email: string | null
}
interface WorkspaceWire {
  readonly workspace_id: string
  readonly org_id: string
  readonly user_id: string
  readonly head: string
  readonly commits: number
  readonly files: number
  readonly repository_bytes?: number | null
  readonly updated_at: string
  readonly updated_by?: WorkspaceActorWire
}
interface WorkspacesWire {
  readonly workspaces: ReadonlyArray<WorkspaceWire>
  readonly next_cursor?: string | null
}

const actorOf = (wire: WorkspaceActorWire): WorkspaceActor => ({
  keyId: wire.key_id,
  userId: wire.user_id,
  organizationId: wire.organization_id,
  email: wire.email
})

const workspaceOf = (wire: WorkspaceWire): Workspace => ({
  workspaceId: wire.workspace_id,
  orgId: wire.org_id,
  userId: wire.user_id,
  head: wire.head,
  commits: wire.commits,
  files: wire.files,
  repositoryBytes: wire.repository_bytes ?? null,
  updatedAt: wire.updated_at,
  updatedBy: wire.updated_by === undefined ? null : actorOf(wire.updated_by)
})

export const workspaces: Answer<WorkspaceList> = json(
  (wire: WorkspacesWire): WorkspaceList => ({
    workspaces: wire.workspaces.map(workspaceOf),
    nextCursor: wire.next_cursor ?? null
  })
)
export const workspace: Answer<Workspace> = json(workspaceOf)
export const commits: Answer<CommitList> = json(
  (wire: { commits: ReadonlyArray<CommitWire>; next_before?: string | null }): CommitList => ({
    commits: wire.commits.map(commitOf),
    nextBefore: wire.next_before ?? null
  })
)
export const commitWithDiff: Answer<CommitWithDiff> = json(
  (wire: CommitWire & { diff: string }): CommitWithDiff => ({ ...commitOf(wire), diff: wire.diff })
)
export const comparison: Answer<Comparison> = json(({ base, at, diff }: Comparison): Comparison => ({ base, at, diff }))
export const tree: Answer<Tree> = json(
  (wire: { files: ReadonlyArray<TreeFile> }): Tree => ({
    files: wire.files.map(({ path, size, mode, sha }) => ({ path, size, mode, sha }))
  })
)
export const opened: Answer<OpenWorkspaceResponse> = json(
  (wire: { success: boolean; workspace_id: string; commit: string }): OpenWorkspaceResponse => ({
    success: wire.success,
    workspaceId: wire.workspace_id,
    commit: wire.commit
  })
)
export const putIn: Answer<PutFileResponse> = json(
  (wire: { success: boolean; commit: string; sha: string }): PutFileResponse => ({
    success: wire.success,
    commit: wire.commit,
    sha: wire.sha
  })
)
export const removed: Answer<DeleteFileResponse> = json(
  (wire: { success: boolean; commit: string }): DeleteFileResponse => ({ success: wire.success, commit: wire.commit })
)
export const unpacked: Answer<UnpackResponse> = json(
  (wire: UnpackResponse): UnpackResponse => ({
    success: wire.success,
    commit: wire.commit,
    created: wire.created,
    modified: wire.modified,
    deleted: wire.deleted
  })
)
export const restored: Answer<RestoreResponse> = json(
  (wire: { success: boolean; commit: string }): RestoreResponse => ({ success: wire.success, commit: wire.commit })
)
export const deleted: Answer<DeleteWorkspaceResponse> = json(
  ({ success, erased, position }: DeleteWorkspaceResponse): DeleteWorkspaceResponse => ({
    success,
    erased: { commits: erased.commits, chats: erased.chats, files: erased.files },
    position
  })
)
