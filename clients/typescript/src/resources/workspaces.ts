import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { type Answer, bytes, json, part } from "../request.ts"
import type { Transport } from "../transport.ts"
import { type Commit, type CommitWire, commitOf } from "./commits.ts"

/** The workspace of one (`orgId`, `userId`). */
export interface Workspace {
  readonly workspaceId: string
  readonly orgId: string
  readonly userId: string
  /** The SHA of its latest commit. */
  readonly head: string
  readonly commits: number
  readonly files: number
  /** ISO 8601. */
  readonly updatedAt: string
}

export interface WorkspaceList extends Result {
  readonly workspaces: ReadonlyArray<Workspace>
}

export interface CommitList extends Result {
  readonly commits: ReadonlyArray<Commit>
}

export interface CommitWithDiff extends Commit, Result {
  /** Unified. */
  readonly diff: string
}

export interface TreeFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** As git writes it, e.g. `100644`. */
  readonly mode: string
  readonly sha: string
}

export interface Tree extends Result {
  readonly files: ReadonlyArray<TreeFile>
}

export interface RestoreResponse extends Result {
  readonly success: boolean
  /** The head: a new commit with the old one's files, or the one that has them already. */
  readonly commit: string
}

interface WorkspacesWire {
  readonly workspaces: ReadonlyArray<{
    readonly workspace_id: string
    readonly org_id: string
    readonly user_id: string
    readonly head: string
    readonly commits: number
    readonly files: number
    readonly updated_at: string
  }>
}

const workspaces = json(
  (wire: WorkspacesWire): WorkspaceList => ({
    workspaces: wire.workspaces.map(({ workspace_id, org_id, user_id, head, commits, files, updated_at }) => ({
      ...{ workspaceId: workspace_id, orgId: org_id, userId: user_id },
      ...{ head, commits, files, updatedAt: updated_at }
    }))
  })
)
const commits = json(
  (wire: { commits: ReadonlyArray<CommitWire> }): CommitList => ({ commits: wire.commits.map(commitOf) })
)
const commitWithDiff = json(
  (wire: CommitWire & { diff: string }): CommitWithDiff => ({ ...commitOf(wire), diff: wire.diff })
)
const tree = json(
  (wire: { files: ReadonlyArray<TreeFile> }): Tree => ({
    files: wire.files.map(({ path, size, mode, sha }) => ({ path, size, mode, sha }))
  })
)
const restored = json(
  (wire: { success: boolean; commit: string }): RestoreResponse => ({ success: wire.success, commit: wire.commit })
)

/**
 * What agents saved, as git history. An id is a `workspaceId` of `chat` or `list`. What is not there is an APIError 404
 * `not_found/workspace`, `not_found/commit` or `not_found/file`.
 */
export class Workspaces {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** All of them, the one changed last first. */
  list(options?: RequestOptions): APIPromise<WorkspaceList> {
    return this.#get(() => "/api/workspaces", workspaces, options)
  }

  /**
   * A workspace's commits, newest first.
   * @param page `limit`: 1 to 1,000, 50 unless told; `before`: a commit's SHA, to go on behind it.
   */
  commits(
    id: string,
    page: { readonly limit?: number | undefined; readonly before?: string | undefined } = {},
    options?: RequestOptions
  ): APIPromise<CommitList> {
    return this.#get(() => `${base(id)}/commits`, commits, options, { limit: page.limit, before: page.before })
  }

  /** One commit, with its diff. */
  commit(id: string, sha: string, options?: RequestOptions): APIPromise<CommitWithDiff> {
    return this.#get(() => `${base(id)}/commits/${part("sha", sha)}`, commitWithDiff, options)
  }

  /** The files at a commit: the head, unless `at` names another. */
  tree(id: string, at: { readonly at?: string | undefined } = {}, options?: RequestOptions): APIPromise<Tree> {
    return this.#get(() => `${base(id)}/tree`, tree, options, { at: at.at })
  }

  /** The bytes of a file at a commit: the head, unless `at` names another. Text: `new TextDecoder().decode(…)`. */
  file(
    id: string,
    path: string,
    at: { readonly at?: string | undefined } = {},
    options?: RequestOptions
  ): APIPromise<Uint8Array> {
    const parts = () => path.split("/").map((name) => part("path", name))
    return this.#get(() => `${base(id)}/files/${parts().join("/")}`, bytes, options, { at: at.at })
  }

  /** Brings back the files of an earlier commit, as a new commit: history is never rewritten. */
  restore(id: string, commit: string, options?: RequestOptions): APIPromise<RestoreResponse> {
    const call = () => ({ method: "POST", path: `${base(id)}/restore`, body: { commit }, answer: restored }) as const
    return this.#transport.send(call, options)
  }

  #get<T>(
    path: () => string,
    answer: Answer<T>,
    options: RequestOptions | undefined,
    query: { readonly [name: string]: string | number | undefined } = {}
  ): APIPromise<T> {
    return this.#transport.send(() => ({ method: "GET", path: path(), query, answer }), options)
  }
}

const base = (id: string): string => `/api/workspaces/${part("id", id)}`
