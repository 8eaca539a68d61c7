import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { json, part } from "../request.ts"
import type { Transport } from "../transport.ts"
import type { Dependencies } from "./codeBlocks.ts"
import type { FileWritten } from "./upload.ts"

/** What `repos.upload` takes. */
export interface UploadRepoParams {
  /** What it is for, in plain words: it is found by them. */
  readonly task: string
  /** 1 to 200 text files, 16 MiB together, with paths relative to the repository's root. */
  readonly files: ReadonlyArray<FileWritten>
  /** Default: what its manifests say, else the task. */
  readonly name?: string | undefined
  /** Default: what its readme and manifests say, else the task. */
  readonly description?: string | undefined
  /** Package name to version. */
  readonly dependencies?: Dependencies | undefined
  /** Words that it is found by. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** Whether everybody may find it. Refused when it holds a secret. Default: no. */
  readonly public?: boolean | undefined
  /** In place of the client's workspace. */
  readonly workspaceId?: string | undefined
}

/** What `repos.upload` gives. */
export interface StoreRepoResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** The snippet's id: for `repos.get`, for votes and for `delete`. */
  readonly repoId: string
  /** For a person. */
  readonly message: string
}

/** What `repos.get` gives: all files of a repository. */
export interface Repo extends Result {
  /** The snippet's id. */
  readonly repoId: string
  /** What people call it. */
  readonly name: string
  /** All of them, by path. */
  readonly files: ReadonlyArray<FileWritten>
}

const stored = json(
  (wire: { success: boolean; repo_id: string; message: string }): StoreRepoResponse => ({
    success: wire.success,
    repoId: wire.repo_id,
    message: wire.message
  })
)

const repo = json(
  (wire: { repo_id: string; name: string; files: ReadonlyArray<FileWritten> }): Repo => ({
    repoId: wire.repo_id,
    name: wire.name,
    files: wire.files.map(({ path, content }) => ({ path, content }))
  })
)

/** Snippets of several files that belong together. A search finds them as matches of type `repo`. */
export class Repos {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Stores files as one snippet. The same files again in the same scope are the same snippet. */
  upload(params: UploadRepoParams, options?: RequestOptions): APIPromise<StoreRepoResponse> {
    const { task, files, name, description, dependencies, tags, workspaceId } = params
    const body = { task, files, name, description, dependencies, tags, public: params.public }
    return this.#transport.send(
      () => ({ method: "POST", path: "/api/store/repo", workspaceId, body, answer: stored }),
      options
    )
  }

  /**
   * All files of a repository.
   * @param repo Its id, or the `downloadUrl` of a match.
   * @throws {@link NotFoundError}: `not_found/repo`.
   */
  get(repo: string, options?: RequestOptions): APIPromise<Repo> {
    return this.#transport.send(() => repoCall(repo), options)
  }
}

const repoCall = (given: string) => {
  const id = given.slice(given.lastIndexOf("/") + 1)
  return { method: "GET", path: `/api/store/repo/${part("repo", id)}`, answer: repo } as const
}
