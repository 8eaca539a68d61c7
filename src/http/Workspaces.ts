import { Effect, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { idIn } from "#domain/Id.ts"
import { AdminKeyRequired } from "#domain/Organization.ts"
import { repositoryOf } from "#domain/Workspace.ts"
import { EventStore } from "#ports/EventStore.ts"
import { Workspaces, type WorkspacesUnavailable } from "#ports/Workspaces.ts"
import {
  type CommitRecord,
  commitOf,
  commitsOf,
  tenantOfWorkspace,
  type WorkspacePlace,
  type WorkspaceRecord,
  Workspaces as WorkspacesModel,
  workspaceOf,
  workspacesOf
} from "#projections/Workspaces.ts"
import { Runs } from "#src/agent/Queue.ts"
import { Api } from "#src/api/Api.ts"
import { cursors, mostListed, type pageQuery, placeId, placeTime } from "#src/api/cursor.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { Unreadable } from "#src/ask.ts"
import { erase, removeRepository, restore, unlessErased } from "#src/workspaces.ts"
import { attempting, freshOrStale, written } from "./answer.ts"
import { inPieces } from "./pieces.ts"
import { orProblem, problemOf } from "./refusals.ts"

export const noWorkspace = fieldProblem(
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
export const own = Effect.fnUntraced(function* (given: string) {
  const { tenant } = yield* Caller
  const id = idIn(given)
  if (id === undefined) return yield* noWorkspace
  yield* freshOrStale(WorkspacesModel)
  return (yield* Effect.orDie(workspaceOf(tenant, id))) ?? (yield* noWorkspace)
})

const commitIn = Effect.fnUntraced(function* (workspace: WorkspaceRecord, given: string) {
  const sha = given.toLowerCase()
  if (!/^[0-9a-f]{40}$/.test(sha)) return yield* noCommit
  return (yield* Effect.orDie(commitOf(workspace.id, sha))) ?? (yield* noCommit)
})

/** Reads of the repository, whose workspace may be erased while they are at it. */
const reading = <A, R>(
  workspace: WorkspaceRecord,
  read: (repository: string) => Effect.Effect<A, WorkspacesUnavailable, R>
) => orProblem(unlessErased(workspace, read(repositoryOf(workspace.id, workspace.generation)), noWorkspace))

/** The tree of a commit, of the head unless one is named. */
const treeAt = Effect.fnUntraced(function* (workspace: WorkspaceRecord, at: string | undefined) {
  return at === undefined ? workspace.tree : (yield* commitIn(workspace, at)).tree
})

const places = cursors<WorkspacePlace>(Schema.Tuple([placeTime, placeId]))

/** A page of the caller's own workspaces, the one that changed last first. */
export const ownWorkspaces = Effect.fnUntraced(function* (page: typeof pageQuery.Type) {
  const { tenant } = yield* Caller
  yield* freshOrStale(WorkspacesModel)
  const asked = ["workspaces", tenant]
  const after = yield* places.read(asked, page.cursor)
  const limit = page.limit ?? mostListed
  const found = yield* Effect.orDie(workspacesOf(tenant, after, limit + 1))
  const last = found[limit - 1]
  return {
    workspaces: found.slice(0, limit).map(({ id, generation, tree, updated_at, ...workspace }) => ({
      workspace_id: id,
      ...workspace,
      updated_at: updated_at.toISOString()
    })),
    next_cursor: found.length > limit ? places.write(asked, [last!.updated_at.getTime(), last!.id]) : null
  }
})

/** The files of the caller's own workspace, as its head or a commit has them. */
export const filesIn = Effect.fnUntraced(function* (id: string, at?: string) {
  const workspace = yield* own(id)
  const tree = yield* treeAt(workspace, at)
  const git = yield* Workspaces
  return yield* reading(workspace, (repository) => git.files(repository, tree))
})

/** A file of the caller's own workspace, as its head or a commit has it. */
export const fileIn = Effect.fnUntraced(function* (id: string, path: string | undefined, at?: string) {
  const workspace = yield* own(id)
  const tree = yield* treeAt(workspace, at)
  const git = yield* Workspaces
  const found =
    path === undefined ? undefined : yield* reading(workspace, (repository) => git.readFile(repository, tree, path))
  return found === undefined ? yield* noFile : found.bytes
})

/** Changes of files after which a page of commits ends. */
const mostChanges = 20_000

const shown = Effect.fnUntraced(function* (
  repository: string,
  { id, sha, parent, tree, run, recorded_at }: CommitRecord
) {
  const git = yield* Workspaces
  const commit = yield* git.readCommit(repository, sha)
  const before = parent === null ? undefined : yield* git.readCommit(repository, parent)
  const changes = yield* git.compare(repository, before?.tree, tree)
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
    .handle("listWorkspaces", ({ query }) => ownWorkspaces(query))
    .handle("commits", ({ params, query }) =>
      Effect.gen(function* () {
        const workspace = yield* own(params.id)
        const before = query.before === undefined ? null : (yield* commitIn(workspace, query.before)).revision
        const records = yield* Effect.orDie(commitsOf(workspace.id, query.limit ?? 50, before))
        return yield* reading(workspace, (repository) =>
          Effect.gen(function* () {
            const commits: Array<Effect.Success<ReturnType<typeof shown>>> = []
            let told = 0
            for (const record of records) {
              // further ones are had as any are: before the last of these
              if (told > mostChanges) break
              commits.push(yield* shown(repository, record))
              told += commits.at(-1)!.changes.length
            }
            return { commits }
          })
        )
      })
    )
    .handle("commit", ({ params }) =>
      Effect.gen(function* () {
        const workspace = yield* own(params.id)
        const git = yield* Workspaces
        const record = yield* commitIn(workspace, params.sha)
        const read = Effect.fnUntraced(function* (repository: string) {
          const before = record.parent === null ? undefined : yield* git.readCommit(repository, record.parent)
          const diff = yield* git.diff(repository, before?.tree, record.tree, { maxBytes: 10_000_000 })
          return { ...(yield* shown(repository, record)), diff }
        })
        return yield* reading(workspace, read)
      })
    )
    .handle("tree", ({ params, query }) =>
      Effect.map(filesIn(params.id, query.at), (files) =>
        inPieces(
          "files",
          files.map(({ path, size, mode, sha }) => ({ path, size, mode, sha }))
        )
      )
    )
    .handle("file", ({ params, query }) =>
      Effect.gen(function* () {
        const path = pathIn((yield* HttpServerRequest.HttpServerRequest).url)
        const bytes = yield* fileIn(params.id, path, query.at)
        return HttpServerResponse.uint8Array(bytes, {
          contentType: "application/octet-stream",
          headers: rawHeaders
        })
      })
    )
    .handle("restoreWorkspace", ({ params, payload }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const workspace = yield* own(params.id)
        const commit = yield* commitIn(workspace, payload.commit)
        const restoring = restore(workspace, commit, tenant, yield* attempting)
        const restored = yield* unlessErased(workspace, restoring, noWorkspace)
        if (restored.position !== undefined) yield* written(restored.position)
        return { success: true, commit: restored.commit }
      }).pipe(orProblem)
    )
    .handle("eraseWorkspace", ({ params }) =>
      Effect.gen(function* () {
        const { tenant, role } = yield* Caller
        if (role === "member") return yield* problemOf(new AdminKeyRequired({ role }))
        const id = idIn(params.id)
        if (id === undefined) return yield* noWorkspace
        const attempt = yield* attempting
        const store = yield* EventStore
        const before = yield* Effect.mapError(store.outcome(attempt.commandId), () => new Unreadable())
        yield* freshOrStale(WorkspacesModel)
        // erased by this very request, whose answer was lost: then it is answered again
        if (before.length === 0 && (yield* Effect.orDie(tenantOfWorkspace(id))) !== tenant) return yield* noWorkspace
        const { generation, position, counts } = yield* erase(tenant, id, attempt)
        yield* (yield* Runs).stop(id, position)
        yield* removeRepository(id, generation)
        yield* written(position)
        return { success: true, erased: counts, position: String(position) }
      }).pipe(orProblem)
    )
)
