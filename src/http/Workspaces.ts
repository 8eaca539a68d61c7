import { Effect, Schema, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { worksIn } from "#domain/access/reach.ts"
import { idIn } from "#domain/Id.ts"
import { Unreadable } from "#engine/ask.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { commitsOf } from "#projections/Workspaces/commits.ts"
import {
  tenantOfWorkspace,
  type WorkspacePlace,
  type WorkspaceRecord,
  workspaceOf,
  workspacesOf
} from "#projections/Workspaces/standing.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { Api } from "#src/api/Api.ts"
import { cursors, mostListed, type pageQuery, placeId, placeTime } from "#src/api/cursor.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { slight } from "#src/portions.ts"
import { writtenPosition } from "#src/positions.ts"
import { listed } from "#src/workspaces/listed.ts"
import { commitsOfFile } from "#src/workspaces/ofFile.ts"
import { openWorkspace, workspaceId } from "#src/workspaces/open.ts"
import { Runs } from "#src/workspaces/queue.ts"
import { erase, removeRepository, restore, streamOf, unlessErased } from "#src/workspaces/restore.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"
import { Answers } from "./answers.ts"
import { inBytes, inPieces, values } from "./pieces.ts"
import { orProblem } from "./refusals.ts"
import { sandboxed } from "./sandboxed.ts"
import { commitsPage, fieldsOf, shown } from "./Workspaces/commits.ts"
import { deleteFile, etagOf, putFile } from "./Workspaces/files.ts"
import { notYours, noWorkspace, own, pathIn } from "./Workspaces/own.ts"
import { commitIn, reading, withFile, withFiles } from "./Workspaces/reading.ts"
import { unpackArchive } from "./Workspaces/unpack.ts"

const mostDiffBytes = 10_000_000

const places = cursors<WorkspacePlace>(Schema.Tuple([placeTime, placeId]))

/** A page of the caller's own workspaces, the latest changed first. */
export const ownWorkspaces = Effect.fnUntraced(function* (page: typeof pageQuery.Type) {
  const holder = yield* Caller
  const { tenant } = holder
  yield* freshOrStale(Workspaces)
  const asked = ["workspaces", tenant]
  const after = yield* places.read(asked, page.cursor)
  const limit = page.limit ?? mostListed
  const found = yield* Effect.orDie(workspacesOf(holder, after, limit + 1))
  const last = found[limit - 1]
  return {
    workspaces: yield* Effect.orDie(listed(tenant, found.slice(0, limit))),
    next_cursor: found.length > limit ? places.write(asked, [last!.updated_at.getTime(), last!.id]) : null
  }
})

const bothPlaces = fieldProblem(
  "validation/invalid_field",
  "at",
  "at can't be given with before; give one or the other."
)

/** The revision before which a list of commits begins; `null`: it begins with the head. */
const behind = Effect.fnUntraced(function* (
  workspace: WorkspaceRecord,
  { before, at }: { readonly before?: string | undefined; readonly at?: string | undefined }
) {
  if (at === undefined) return before === undefined ? null : (yield* commitIn(workspace, before, "before")).revision
  if (before !== undefined) return yield* bothPlaces
  return (yield* commitIn(workspace, at, "at")).revision + 1
})

const rawHeaders = { "content-disposition": "attachment", ...sandboxed }

/** The diff of two trees, with the room that it takes until it is sent. */
const diffOf = Effect.fnUntraced(function* (repository: string, from: string | undefined, to: string) {
  const place = yield* (yield* Answers).take(2 * mostDiffBytes)
  const diff = yield* (yield* WorkspaceStore).diff(repository, from, to, { maxBytes: mostDiffBytes })
  if (diff.length > slight) place.hold(2 * diff.length)
  else place.leave()
  return diff
})

export const layer = HttpApiBuilder.group(Api, "workspaces", (handlers) =>
  handlers
    .handle("listWorkspaces", ({ query }) => ownWorkspaces(query))
    .handle("openWorkspace", ({ payload }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const { tenant } = holder
        const { org_id: org, user_id: user } = payload
        if (!worksIn(holder, { id: workspaceId(tenant, org, user), user })) return yield* notYours
        const { workspace, commit, position } = yield* openWorkspace(tenant, { org, user }, yield* commandMetadata)
        if (position !== undefined) yield* written(position)
        return { success: true, workspace_id: workspace, commit }
      }).pipe(orProblem)
    )
    .handle("workspace", ({ params }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const workspace = yield* own(params.id)
        const [shown] = yield* Effect.orDie(listed(tenant, [workspace]))
        return shown!
      })
    )
    .handle("commits", ({ params, query }) =>
      Effect.gen(function* () {
        const workspace = yield* own(params.id)
        const before = yield* behind(workspace, query)
        const { path, limit = 50 } = query
        if (path !== undefined)
          return yield* reading(workspace, (repository) =>
            Effect.flatMap(
              commitsOfFile({ workspace: workspace.id, repository }, path, { limit, before }),
              ({ changed, next }) => commitsPage(repository, changed, next)
            )
          )
        const records = yield* Effect.orDie(commitsOf(workspace.id, limit + 1, before))
        const page = records.slice(0, limit)
        const next = records.length > limit ? page.at(-1)!.sha : null
        return yield* reading(workspace, (repository) => commitsPage(repository, page, next))
      })
    )
    .handle("commit", ({ params }) =>
      Effect.gen(function* () {
        const workspace = yield* own(params.id)
        const git = yield* WorkspaceStore
        const record = yield* commitIn(workspace, params.sha, "sha")
        const read = Effect.fnUntraced(function* (repository: string) {
          const before = record.parent === null ? undefined : yield* git.readCommit(repository, record.parent)
          const diff = yield* diffOf(repository, before?.tree, record.tree)
          return yield* inPieces({ ...fieldsOf(yield* shown(repository, record)), ...values({ diff }) })
        })
        return yield* reading(workspace, read)
      })
    )
    .handle("compare", ({ params, query }) =>
      Effect.gen(function* () {
        const workspace = yield* own(params.id)
        const base = yield* commitIn(workspace, query.base, "base")
        const at = yield* commitIn(workspace, query.at ?? workspace.head, "at")
        return yield* reading(workspace, (repository) =>
          Effect.map(diffOf(repository, base.tree, at.tree), (diff) => ({ base: base.sha, at: at.sha, diff }))
        )
      })
    )
    .handle("tree", ({ params, query }) =>
      withFiles(params.id, query, (batches) =>
        inPieces({
          files: {
            rows: Stream.map(batches, (files) => files.map(({ path, size, mode, sha }) => ({ path, size, mode, sha })))
          }
        })
      )
    )
    .handle("file", ({ params, query }) =>
      Effect.gen(function* () {
        const path = pathIn((yield* HttpServerRequest.HttpServerRequest).url)
        return yield* withFile(params.id, path, query, ({ sha, size, pieces }) =>
          inBytes(pieces, size, { ...rawHeaders, etag: etagOf(sha) })
        )
      })
    )
    .handle("putFile", ({ params, payload }) => putFile(params.id, payload))
    .handle("deleteFile", ({ params }) => deleteFile(params.id))
    .handle("unpackArchive", ({ params, query, payload }) => unpackArchive(params.id, payload, query))
    .handle("restoreWorkspace", ({ params, payload }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const workspace = yield* own(params.id)
        const commit = yield* commitIn(workspace, payload.commit, "commit")
        const restoring = restore(workspace, commit, tenant, yield* commandMetadata)
        const restored = yield* unlessErased(workspace, restoring, noWorkspace)
        if (restored.position !== undefined) yield* written(restored.position)
        return { success: true, commit: restored.commit }
      }).pipe(orProblem)
    )
    .handle("eraseWorkspace", ({ params }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const { tenant } = holder
        const id = idIn(params.id)
        if (id === undefined) return yield* noWorkspace
        const metadata = yield* commandMetadata
        const store = yield* EventStore
        const before = yield* Effect.mapError(store.outcome(streamOf(id), metadata.commandId), () => new Unreadable())
        yield* freshOrStale(Workspaces)
        const user = (yield* Effect.orDie(workspaceOf(tenant, id)))?.user_id
        if (!worksIn(holder, { id, user })) return yield* noWorkspace
        // unless this same request erased it, and its answer was lost: then it is answered again
        if (before.length === 0 && (yield* Effect.orDie(tenantOfWorkspace(id))) !== tenant) return yield* noWorkspace
        const { generation, position, counts } = yield* erase(tenant, id, metadata)
        yield* (yield* Runs).stop(id, position)
        yield* removeRepository(id, generation)
        yield* written(position)
        return { success: true, erased: counts, position: yield* writtenPosition(position) }
      }).pipe(orProblem)
    )
)
