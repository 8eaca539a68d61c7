import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { isId } from "#domain/Id.ts"
import { Workspaces } from "#ports/Workspaces.ts"
import {
  type CommitRecord,
  commitOf,
  commitsOf,
  type WorkspaceRecord,
  Workspaces as WorkspacesModel,
  workspaceOf,
  workspacesOf
} from "#projections/Workspaces.ts"
import { Api } from "#src/api/Api.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { freshOrStale } from "./answer.ts"

const noWorkspace = fieldProblem(
  "not_found/workspace",
  "id",
  "You have no workspace with this id. GET /api/workspaces lists those that you have."
)
const noCommit = fieldProblem(
  "not_found/commit",
  "sha",
  "The workspace has no commit with this name. Send one of its commits' 40 hexadecimal digits."
)
const noFile = fieldProblem(
  "not_found/file",
  "path",
  "There is no such file at this commit. GET …/tree lists its files."
)

/** The caller's own workspace: another tenant's is none. */
const own = Effect.fnUntraced(function* (id: string) {
  const { tenant } = yield* Caller
  if (!isId(id)) return yield* noWorkspace
  yield* freshOrStale(WorkspacesModel)
  return (yield* Effect.orDie(workspaceOf(tenant, id))) ?? (yield* noWorkspace)
})

const commitIn = Effect.fnUntraced(function* (workspace: WorkspaceRecord, sha: string) {
  if (!/^[0-9a-f]{40}$/.test(sha)) return yield* noCommit
  return (yield* Effect.orDie(commitOf(workspace.id, sha))) ?? (yield* noCommit)
})

/** The tree of a commit, of the head unless one is named. */
const treeAt = Effect.fnUntraced(function* (workspace: WorkspaceRecord, at: string | undefined) {
  return at === undefined ? workspace.tree : (yield* commitIn(workspace, at)).tree
})

const shown = Effect.fnUntraced(function* (
  workspace: string,
  { id, sha, parent, tree, run, recorded_at }: CommitRecord
) {
  const git = yield* Workspaces
  const commit = yield* git.readCommit(workspace, sha)
  const before = parent === null ? undefined : yield* git.readCommit(workspace, parent)
  const changes = yield* git.compare(workspace, before?.tree, tree)
  return {
    sha,
    parents: commit?.parents ?? [],
    message: commit?.message ?? "",
    author: commit?.author ?? { name: "", email: "" },
    committed_at: (commit === undefined ? recorded_at : new Date(commit.time)).toISOString(),
    session_id: run,
    event_id: id,
    changes: changes.map(({ path, status }) => ({ path, status }))
  }
})

/** A file of a caller's is never a page of ours. */
const rawHeaders = {
  "x-content-type-options": "nosniff",
  "content-disposition": "attachment",
  "content-security-policy": "sandbox; default-src 'none'"
}

/** The path as it stands in the URL behind `/files/`, decoded part by part. */
const pathIn = (url: string): string | undefined => {
  const [, after = ""] = /\/files\/([^?#]*)/.exec(url) ?? []
  try {
    return decodeURIComponent(after)
  } catch {
    return undefined
  }
}

export const layer = HttpApiBuilder.group(Api, "workspaces", (handlers) =>
  handlers
    .handle("listWorkspaces", () =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        yield* freshOrStale(WorkspacesModel)
        const workspaces = yield* Effect.orDie(workspacesOf(tenant))
        return {
          workspaces: workspaces.map(({ id, tree, updated_at, ...workspace }) => ({
            workspace_id: id,
            ...workspace,
            updated_at: updated_at.toISOString()
          }))
        }
      })
    )
    .handle("commits", ({ params, query }) =>
      Effect.gen(function* () {
        const workspace = yield* own(params.id)
        const before = query.before === undefined ? null : (yield* commitIn(workspace, query.before)).revision
        const records = yield* Effect.orDie(commitsOf(workspace.id, query.limit ?? 50, before))
        return { commits: yield* Effect.forEach(records, (record) => shown(workspace.id, record)) }
      })
    )
    .handle("commit", ({ params }) =>
      Effect.gen(function* () {
        const workspace = yield* own(params.id)
        const git = yield* Workspaces
        const record = yield* commitIn(workspace, params.sha)
        const before = record.parent === null ? undefined : yield* git.readCommit(workspace.id, record.parent)
        const diff = yield* git.diff(workspace.id, before?.tree, record.tree, { maxBytes: 10_000_000 })
        return { ...(yield* shown(workspace.id, record)), diff }
      })
    )
    .handle("tree", ({ params, query }) =>
      Effect.gen(function* () {
        const workspace = yield* own(params.id)
        const tree = yield* treeAt(workspace, query.at)
        return { files: yield* (yield* Workspaces).files(workspace.id, tree) }
      })
    )
    .handle("file", ({ params, query }) =>
      Effect.gen(function* () {
        const workspace = yield* own(params.id)
        const tree = yield* treeAt(workspace, query.at)
        const path = pathIn((yield* HttpServerRequest.HttpServerRequest).url)
        const found = path === undefined ? undefined : yield* (yield* Workspaces).readFile(workspace.id, tree, path)
        if (found === undefined) return yield* noFile
        return HttpServerResponse.uint8Array(found.bytes, {
          contentType: "application/octet-stream",
          headers: rawHeaders
        })
      })
    )
)
