import { Cause, type Context, Effect, Stream } from "effect"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { MissingObject, type TreeFile, WorkspaceStore, type WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { commitOf } from "#projections/Workspaces/commits.ts"
import type { WorkspaceRecord } from "#projections/Workspaces/standing.ts"
import { fieldProblem, type Problem } from "#src/api/Problem.ts"
import { slight } from "#src/portions.ts"
import { pastOf } from "#src/workspaces/past.ts"
import { unlessErased } from "#src/workspaces/restore.ts"
import { treeAfter } from "#src/workspaces/told.ts"
import { Answers } from "../answers.ts"
import { ownRun } from "../Runs/own.ts"
import { noTurn } from "../Runs/turns.ts"
import { orProblem } from "../refusals.ts"
import { noWorkspace, own } from "./own.ts"

/** The field is where the caller named the commit. */
const noCommit = (field: CommitField) =>
  fieldProblem(
    "not_found/commit",
    field,
    "The workspace has no commit with this name. Send one of its commits' 40 hexadecimal digits."
  )
const noFile = fieldProblem(
  "not_found/file",
  "path",
  "There is no such file at this commit. GET …/tree lists its files."
)

type CommitField = "sha" | "at" | "before" | "commit" | "base"

/** The commit that the caller names, by its 40 hexadecimal digits, in a field of the request. */
export const commitIn = Effect.fnUntraced(function* (workspace: WorkspaceRecord, given: string, field: CommitField) {
  const sha = given.toLowerCase()
  if (!/^[0-9a-f]{40}$/.test(sha)) return yield* noCommit(field)
  return (yield* Effect.orDie(commitOf(workspace.id, sha))) ?? (yield* noCommit(field))
})

/** Reads a workspace's repository; fails with `noWorkspace` if the workspace is erased meanwhile. */
export const reading = <A, R>(
  workspace: WorkspaceRecord,
  read: (repository: string) => Effect.Effect<A, WorkspacesUnavailable | Problem, R>
) => orProblem(unlessErased(workspace, read(repositoryOf(workspace.id, workspace.generation)), noWorkspace))

/** Where a caller looks at a workspace's files: at a commit, after a turn of a run, or, without either, at the head. */
export interface FilesAt {
  readonly at?: string | undefined
  readonly run?: string | undefined
  readonly turn?: number | undefined
}

const wrongPlace = (field: "at" | "run" | "turn", message: string) =>
  fieldProblem("validation/invalid_field", field, message)

const notKept = fieldProblem(
  "not_found/tree",
  "turn",
  "The files after this turn are not kept any more: what no commit has is removed some day after the run. Its commit has what the run came to, and its turns what each tool was told and answered."
)

const noRunHere = fieldProblem("not_found/run", "run", "The workspace has no such run.")

/** The tree that the caller means; `undefined`: it is empty. */
const treeAt = Effect.fnUntraced(function* (workspace: WorkspaceRecord, { at, run, turn }: FilesAt) {
  if (run === undefined && turn === undefined) {
    return at === undefined ? workspace.tree : (yield* commitIn(workspace, at, "at")).tree
  }
  if (at !== undefined) return yield* wrongPlace("at", "at can't be given with run and turn; give one or the other.")
  if (run === undefined) return yield* wrongPlace("run", "run is missing: turn is a turn of a run.")
  if (turn === undefined)
    return yield* wrongPlace("turn", "turn is missing: the files are those after a turn of the run.")
  const { requested, events } = yield* Effect.mapError(orProblem(ownRun(run)), (problem) =>
    problem.code === "not_found/run" ? noRunHere : problem
  )
  if (requested.workspace !== workspace.id) return yield* noRunHere
  const past = pastOf(events)!
  if (turn > past.exchanges.length) return yield* noTurn(past.exchanges.length)
  return treeAfter(past, turn)
})

/** Reads a tree; fails with `notKept` if it is the tree of a turn, and git has it no more. */
const readingAt = <A, R>(
  workspace: WorkspaceRecord,
  { run }: FilesAt,
  read: (repository: string) => Effect.Effect<A, WorkspacesUnavailable | Problem, R>
) =>
  Effect.catchCauseIf(
    reading(workspace, read),
    (cause) => run !== undefined && Cause.squash(cause) instanceof MissingObject,
    () => notKept
  )

/** Runs with the files of the caller's own workspace, as they are at a place, in batches. */
export const withFiles = Effect.fnUntraced(function* <A, R>(
  id: string,
  place: FilesAt,
  use: (
    batches: Stream.Stream<ReadonlyArray<TreeFile>, WorkspacesUnavailable>,
    workspace: WorkspaceRecord
  ) => Effect.Effect<A, WorkspacesUnavailable | Problem, R>
) {
  const workspace = yield* own(id)
  const tree = yield* treeAt(workspace, place)
  const git = yield* WorkspaceStore
  return yield* readingAt(workspace, place, (repository) =>
    use(tree === undefined ? Stream.empty : git.eachFile(repository, tree), workspace)
  )
})

/** Characters of paths in a message's list, after which it ends. */
const mostNamed = 1024 * 1024

/** The first files of the caller's own workspace, as its head has them, and how many there are. */
export const firstFilesIn = (id: string, most: number) =>
  withFiles(id, {}, (batches, workspace) => {
    const files: Array<TreeFile> = []
    let characters = 0
    const some = Stream.runForEachWhile(batches, (batch) =>
      Effect.sync(() => {
        for (const file of batch) {
          if (files.length >= most || characters > mostNamed) return false
          files.push(file)
          characters += file.path.length
        }
        return true
      })
    )
    return Effect.as(some, { files, count: workspace.files })
  })

/** Runs with a file of the caller's own workspace, as it is at a place. Takes room for what is in memory at once. */
export const withFile = Effect.fnUntraced(function* <A, R>(
  id: string,
  path: string | undefined,
  place: FilesAt,
  use: (file: File) => Effect.Effect<A, WorkspacesUnavailable | Problem, R>
) {
  const workspace = yield* own(id)
  const tree = yield* treeAt(workspace, place)
  if (path === undefined || tree === undefined) return yield* noFile
  const git = yield* WorkspaceStore
  const answers = yield* Answers
  const read = Effect.fnUntraced(function* (repository: string) {
    const file = yield* git.filePieces(repository, tree, path)
    if (file === undefined) return yield* noFile
    if (file.atOnce > slight) yield* answers.take(file.atOnce)
    return yield* use(file)
  })
  return yield* readingAt(workspace, place, read)
})

type File = NonNullable<Effect.Success<ReturnType<Context.Service.Shape<typeof WorkspaceStore>["filePieces"]>>>

/**
 * A file of the caller's own workspace, as its head has it, in one piece; `undefined`: it has more than `most` bytes.
 */
export const fileIn = (id: string, path: string, most: number) =>
  withFile(
    id,
    path,
    {},
    Effect.fnUntraced(function* ({ size, atOnce, pieces }) {
      if (size > most) return undefined
      // in memory twice: as pieces, and as a whole
      if (atOnce <= slight && size > slight) yield* (yield* Answers).take(2 * size)
      return new Uint8Array(Buffer.concat(yield* Stream.runCollect(pieces)))
    })
  )
