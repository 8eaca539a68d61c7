import { Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { pathProblem } from "#domain/workspacePath.ts"
import type { ArchiveRefused } from "#ports/Archives.ts"
import type { OverlayError, Sha } from "#ports/WorkspaceStore.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import type { WorkspaceRecord } from "#projections/Workspaces/standing.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import {
  type AskedChange,
  type Condition,
  type ConditionFailed,
  changeFiles,
  put,
  remove
} from "#src/workspaces/change.ts"
import { unlessErased } from "#src/workspaces/restore.ts"
import { commandMetadata, written } from "../answer.ts"
import { orProblem } from "../refusals.ts"
import { noWorkspace, own, pathIn } from "./own.ts"

/** A file's entity tag: the same wherever its content is the same. */
export const etagOf = (sha: Sha): string => `"${sha}"`

const noFile = fieldProblem("not_found/file", "path", "The workspace has no such file. GET …/tree lists its files.")

const failed = ({ sha }: ConditionFailed) =>
  new Problem({
    code: "precondition/failed",
    message:
      sha === undefined
        ? "There is no such file (any more), and If-Match asks for one. Read the tree, and decide anew."
        : `The file's ETag is ${etagOf(sha)}, which is not what If-Match or If-None-Match asks for. Read it, and decide anew.`
  })

/** Why a file can't be changed as asked, as its caller is told. */
const refusedFile = (error: OverlayError): Problem => {
  if (error._tag === "WorkspaceFull") return new Problem({ code: "conflict/workspace_full", message: error.message })
  if (error._tag === "PathRefused") return fieldProblem("validation/invalid_path", "path", `${error.message}.`)
  if (error.code === "ENOENT") return noFile
  const taken = error.code === "EISDIR" ? "is a folder" : "leads through a file"
  return fieldProblem("conflict/path_taken", "path", `The path ${taken}. Choose another one, or delete what is there.`)
}

const refusedArchive = ({ path, message }: ArchiveRefused): Problem =>
  new Problem({
    code: "validation/invalid_archive",
    message: path === null ? message : `An entry of the archive can't be unpacked: ${path}. ${message}`
  })

const malformed = (name: string) =>
  fieldProblem("validation/invalid_field", name, `${name} is neither * nor a list of entity tags, as "…", "…".`)

/** The tags of a condition; `undefined`: any. Weak tags are left out: they do not say that bytes are the same. */
const tagsIn = (name: string, header: string) => {
  if (header.trim() === "*") return Effect.undefined
  if (header.length > 4_096 || !/^\s*(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*\s*$/.test(header))
    return Effect.fail(malformed(name))
  return Effect.succeed([...header.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag]) => (weak ? [] : [tag!])))
}

/** The condition that the request's headers set for the file that is there; `undefined`: none. */
const conditionIn = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const [match, none] = [headers["if-match"], headers["if-none-match"]]
  if (match === undefined && none === undefined) return undefined
  const wanted = match === undefined ? undefined : { tags: yield* tagsIn("If-Match", match) }
  const unwanted = none === undefined ? undefined : { tags: yield* tagsIn("If-None-Match", none) }
  const among = (tags: ReadonlyArray<string> | undefined, sha: Sha | undefined) =>
    sha !== undefined && (tags === undefined || tags.includes(sha))
  const condition: Condition = (sha) =>
    (wanted === undefined || among(wanted.tags, sha)) && (unwanted === undefined || !among(unwanted.tags, sha))
  return condition
})

/** Changes the caller's own workspace; gives what `changeFiles` gives. */
export const changed = Effect.fnUntraced(function* (
  workspace: WorkspaceRecord,
  asked: AskedChange<OverlayError | ArchiveRefused>
) {
  const { tenant } = yield* Caller
  const changing = changeFiles(workspace, asked, tenant, yield* commandMetadata)
  const done = yield* unlessErased(workspace, changing, noWorkspace).pipe(
    Effect.catchTag("ConditionFailed", (error) => Effect.fail(failed(error))),
    Effect.catchTag("ArchiveRefused", (error) => Effect.fail(refusedArchive(error))),
    Effect.catchTag(["PathRefused", "FileError", "WorkspaceFull"], (error) => Effect.fail(refusedFile(error)))
  )
  if (done.position !== undefined) yield* written(done.position)
  return done
})

/** The path of the request's file, and its condition. */
const asked = Effect.gen(function* () {
  const path = pathIn((yield* HttpServerRequest.HttpServerRequest).url)
  const problem = path === undefined ? "a path's escapes are those of UTF-8" : pathProblem(path)
  if (path === undefined || problem !== undefined) {
    return yield* fieldProblem("validation/invalid_path", "path", `The path can't be: ${problem}.`)
  }
  return { path, condition: yield* conditionIn }
})

const conditional = (condition: Condition | undefined) => (condition === undefined ? {} : { condition })

/** Puts a file where the request's path says. */
export const putFile = (id: string, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const workspace = yield* own(id)
    const { path, condition } = yield* asked
    const change = {
      how: "put",
      subject: `Put ${path}`,
      path,
      edit: put(path, bytes),
      ...conditional(condition)
    } as const
    const { commit, tree } = yield* changed(workspace, change)
    const repository = repositoryOf(workspace.id, workspace.generation)
    const file = yield* unlessErased(
      workspace,
      Effect.flatMap(WorkspaceStore, (git) => git.filePieces(repository, tree, path)),
      noWorkspace
    )
    const sha = file?.sha ?? ""
    yield* HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, "etag", etagOf(sha)))
    )
    return { success: true, commit, sha }
  }).pipe(orProblem)

/** Deletes the file that the request's path names. */
export const deleteFile = (id: string) =>
  Effect.gen(function* () {
    const workspace = yield* own(id)
    const { path, condition } = yield* asked
    const change = {
      how: "deleted",
      subject: `Delete ${path}`,
      path,
      edit: remove(path),
      ...conditional(condition)
    } as const
    const { commit } = yield* changed(workspace, change)
    return { success: true, commit }
  }).pipe(orProblem)
