import { type Context, Effect, Stream } from "effect"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { type TreeFile, WorkspaceStore, type WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { commitOf } from "#projections/Workspaces/commits.ts"
import type { WorkspaceRecord } from "#projections/Workspaces/standing.ts"
import { fieldProblem, type Problem } from "#src/api/Problem.ts"
import { slight } from "#src/portions.ts"
import { unlessErased } from "#src/workspaces/restore.ts"
import { Answers } from "../answers.ts"
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

/** Reads of the repository, whose workspace may be erased while they are at it. */
export const reading = <A, R>(
  workspace: WorkspaceRecord,
  read: (repository: string) => Effect.Effect<A, WorkspacesUnavailable | Problem, R>
) => orProblem(unlessErased(workspace, read(repositoryOf(workspace.id, workspace.generation)), noWorkspace))

/** The tree of a commit, of the head unless one is named. */
const treeAt = Effect.fnUntraced(function* (workspace: WorkspaceRecord, at: string | undefined) {
  return at === undefined ? workspace.tree : (yield* commitIn(workspace, at, "at")).tree
})

/** The files of the caller's own workspace, as its head or a commit has them, in batches. */
export const filesIn = Effect.fnUntraced(function* (id: string, at?: string) {
  const workspace = yield* own(id)
  const tree = yield* treeAt(workspace, at)
  const git = yield* WorkspaceStore
  return { workspace, batches: git.eachFile(repositoryOf(workspace.id, workspace.generation), tree) }
})

/** Characters of paths in a message's list, after which it ends. */
const mostNamed = 1024 * 1024

/** The first files of the caller's own workspace, as its head has them, and how many there are. */
export const firstFilesIn = Effect.fnUntraced(function* (id: string, most: number) {
  const { workspace, batches } = yield* filesIn(id)
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
  yield* reading(workspace, () => some)
  return { files, count: workspace.files }
})

/**
 * Runs with a file of the caller's own workspace, as its head or a commit has it. What of it is in memory at once has
 * room.
 */
export const withFile = Effect.fnUntraced(function* <A, R>(
  id: string,
  path: string | undefined,
  at: string | undefined,
  use: (file: File) => Effect.Effect<A, WorkspacesUnavailable | Problem, R>
) {
  const workspace = yield* own(id)
  const tree = yield* treeAt(workspace, at)
  if (path === undefined) return yield* noFile
  const git = yield* WorkspaceStore
  const answers = yield* Answers
  const read = Effect.fnUntraced(function* (repository: string) {
    const file = yield* git.filePieces(repository, tree, path)
    if (file === undefined) return yield* noFile
    if (file.atOnce > slight) yield* answers.take(file.atOnce)
    return yield* use(file)
  })
  return yield* reading(workspace, read)
})

type File = NonNullable<Effect.Success<ReturnType<Context.Service.Shape<typeof WorkspaceStore>["filePieces"]>>>

/**
 * A file of the caller's own workspace, as its head has it, in one piece; `undefined`: it has more than `most` bytes.
 */
export const fileIn = (id: string, path: string, most: number) =>
  withFile(
    id,
    path,
    undefined,
    Effect.fnUntraced(function* ({ size, atOnce, pieces }) {
      if (size > most) return undefined
      // as pieces, and as it is
      if (atOnce <= slight && size > slight) yield* (yield* Answers).take(2 * size)
      return new Uint8Array(Buffer.concat(yield* Stream.runCollect(pieces)))
    })
  )
