import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import { type Answer, bytes, part } from "../request.ts"
import type { Transport } from "../transport.ts"
import { type ChatParams, chat } from "./chat.ts"
import type { ChatResponse } from "./chatResponse.ts"
import {
  type CommitList,
  type CommitWithDiff,
  type Comparison,
  commits,
  commitWithDiff,
  comparison,
  type DeleteFileResponse,
  type DeleteWorkspaceResponse,
  deleted,
  type OpenWorkspaceResponse,
  opened,
  type PutFileResponse,
  putIn,
  type RestoreResponse,
  removed,
  restored,
  type Tree,
  tree,
  type UnpackResponse,
  unpacked,
  type Workspace,
  type WorkspaceList,
  workspace,
  workspaces
} from "./workspaceAnswers.ts"

/** Where a workspace's files are looked at: at a commit, or after a turn of a run. */
export interface PlaceParams {
  /** A commit's SHA. */
  readonly at?: string | undefined
  /** A run of the workspace: the files are those that it had after `turn`. */
  readonly run?: string | undefined
  /** From 1. */
  readonly turn?: number | undefined
}

const placeIn = ({ at, run, turn }: PlaceParams) => ({ at, run, turn })

/**
 * Chats of agents, and what they saved, as git history. An id is a `workspaceId` of `chat` or `list`. What is not there
 * is a NotFoundError `not_found/workspace`, `not_found/commit` or `not_found/file`.
 */
export class Workspaces {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** As {@link Cairn.chat}. */
  chat(query: string, params: ChatParams, options?: RequestOptions): APIPromise<ChatResponse> {
    return this.#transport.send(() => chat(query, params), options)
  }

  /**
   * They, the one changed last first.
   * @param page `limit`: 1 to 1,000, default 1,000; `cursor`: the `nextCursor` of an answer, to go on behind it.
   */
  list(
    page: { readonly limit?: number | undefined; readonly cursor?: string | undefined } = {},
    options?: RequestOptions
  ): APIPromise<WorkspaceList> {
    return this.#get(() => "/api/workspaces", workspaces, options, { limit: page.limit, cursor: page.cursor })
  }

  /** One of them, as it stands. */
  get(id: string, options?: RequestOptions): APIPromise<Workspace> {
    return this.#get(() => base(id), workspace, options)
  }

  /**
   * A workspace's commits, newest first.
   * @param page `limit`: 1 to 1,000, default 50; `before`: a commit's SHA, to go on behind it; `at`: to begin with
   *   it, in place of that; `path`: those alone that created, changed or deleted this file, of up to 1,000 commits at a
   *   time.
   */
  commits(
    id: string,
    page: {
      readonly limit?: number | undefined
      readonly before?: string | undefined
      readonly at?: string | undefined
      readonly path?: string | undefined
    } = {},
    options?: RequestOptions
  ): APIPromise<CommitList> {
    const { limit, before, at, path } = page
    return this.#get(() => `${base(id)}/commits`, commits, options, { limit, before, at, path })
  }

  /** One commit, with its diff. */
  commit(id: string, sha: string, options?: RequestOptions): APIPromise<CommitWithDiff> {
    return this.#get(() => `${base(id)}/commits/${part("sha", sha)}`, commitWithDiff, options)
  }

  /** What differs between two commits, whichever came first: the head, unless `at` names another. */
  compare(
    id: string,
    { base: from, at }: { readonly base: string; readonly at?: string | undefined },
    options?: RequestOptions
  ): APIPromise<Comparison> {
    return this.#get(() => `${base(id)}/compare`, comparison, options, { base: from, at })
  }

  /**
   * The files at a commit: the head, unless `at` names another. Or after a turn of a run of the workspace, as that had
   * them.
   * @throws {@link APIError}: 404 `not_found/tree`: no commit has them, and they are kept no more.
   */
  tree(id: string, place: PlaceParams = {}, options?: RequestOptions): APIPromise<Tree> {
    return this.#get(() => `${base(id)}/tree`, tree, options, placeIn(place))
  }

  /** The bytes of a file at a commit or after a turn, as for `tree`. Text: `new TextDecoder().decode(…)`. */
  file(id: string, path: string, place: PlaceParams = {}, options?: RequestOptions): APIPromise<Uint8Array> {
    return this.#get(() => fileIn(id, path), bytes, options, placeIn(place))
  }

  /** Makes the workspace of (`org`, `user`) before any chat, so that files can be put into it; or finds it. */
  open(
    pair: { readonly org: string; readonly user: string },
    options?: RequestOptions
  ): APIPromise<OpenWorkspaceResponse> {
    const call = () =>
      ({
        method: "POST",
        path: "/api/workspaces",
        body: { org_id: pair.org, user_id: pair.user },
        answer: opened
      }) as const
    return this.#transport.send(call, options)
  }

  /**
   * Puts a file into a workspace, in place of what is at the path: one commit. Up to 32 MiB.
   * @param condition `ifMatch`: only where the file's content is of this `sha`; `ifNoneMatch`: only where it is not,
   *   and with `*` only where there is no file. Otherwise an APIError 412 `precondition/failed`.
   */
  putFile(
    id: string,
    path: string,
    content: string | Uint8Array,
    condition: { readonly ifMatch?: string | undefined; readonly ifNoneMatch?: string | undefined } = {},
    options?: RequestOptions
  ): APIPromise<PutFileResponse> {
    const call = () =>
      ({
        method: "PUT",
        path: fileIn(id, path),
        bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
        headers: headersOf(condition),
        answer: putIn
      }) as const
    return this.#transport.send(call, options)
  }

  /** Deletes a file of a workspace: one commit; earlier ones keep it. The condition is as of `putFile`. */
  deleteFile(
    id: string,
    path: string,
    condition: { readonly ifMatch?: string | undefined; readonly ifNoneMatch?: string | undefined } = {},
    options?: RequestOptions
  ): APIPromise<DeleteFileResponse> {
    const call = () =>
      ({ method: "DELETE", path: fileIn(id, path), headers: headersOf(condition), answer: removed }) as const
    return this.#transport.send(call, options)
  }

  /**
   * Unpacks a zip, a tar, or a tar with gzip into a workspace: all of it as one commit, or nothing. Up to 32 MiB, and
   * 128 MiB and 10,000 entries unpacked. An APIError 400 `validation/invalid_archive` where something would lead out.
   * @param into `path`: the folder that it goes into, by default the root; `replace`: what else is there goes.
   */
  unpack(
    id: string,
    archive: Uint8Array,
    into: { readonly path?: string | undefined; readonly replace?: boolean | undefined } = {},
    options?: RequestOptions
  ): APIPromise<UnpackResponse> {
    const replace = into.replace === undefined ? undefined : String(into.replace)
    const call = () =>
      ({
        method: "POST",
        path: `${base(id)}/archive`,
        query: { path: into.path, replace },
        bytes: archive,
        answer: unpacked
      }) as const
    return this.#transport.send(call, options)
  }

  /** Brings back the files of an earlier commit, as a new commit: history is never rewritten. */
  restore(id: string, commit: string, options?: RequestOptions): APIPromise<RestoreResponse> {
    const call = () => ({ method: "POST", path: `${base(id)}/restore`, body: { commit }, answer: restored }) as const
    return this.#transport.send(call, options)
  }

  /**
   * Erases a workspace for good: its files, its git history and the texts of all its chats. Stops a run that is at work
   * in it. The next chat of the same `org` and `user` begins in an empty workspace with the same id. For owners and
   * admins.
   */
  delete(id: string, options?: RequestOptions): APIPromise<DeleteWorkspaceResponse> {
    return this.#transport.send(() => ({ method: "DELETE", path: base(id), answer: deleted }), options)
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

/** What a file is to be before it is changed. */
interface Condition {
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
}

/** As HTTP writes them. */
const headersOf = ({ ifMatch, ifNoneMatch }: Condition) => {
  const tag = (sha: string | undefined) => (sha === undefined || sha === "*" ? sha : `"${sha}"`)
  return { "If-Match": tag(ifMatch), "If-None-Match": tag(ifNoneMatch) }
}

const fileIn = (id: string, path: string): string => {
  const names = path.replace(/^\//, "").split("/")
  return `${base(id)}/files/${names.map((name) => part("path", name)).join("/")}`
}

const base = (id: string): string => `/api/workspaces/${part("id", id)}`
