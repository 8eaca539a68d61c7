import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NotOurs } from "#ports/Hold.ts"
import { readText, replace } from "./git/durableFs.ts"
import { mark } from "./git/repositories.ts"

/** The id on its way: it counts once the database has it. */
const unfinished = `${mark}.new`

const read = (path: string): string | undefined => readText(path)?.trim()

const onDisk = <A>(directory: string, use: () => A | Promise<A>) =>
  Effect.tryPromise({
    try: async () => use(),
    catch: (error) => new NotOurs({ message: `can't use the folder ${directory}: ${(error as Error).message}` })
  })

const adoption =
  "Start with the folder it was used with (CAIRN_DATA_DIR); or, when this is it, moved or restored from a backup, run `cairn installation adopt` once."

const refuse = (directory: string, why: string) => new NotOurs({ message: `${directory} ${why}. ${adoption}` })

const known = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ folder: string | null }>`SELECT folder FROM installation`
  return row!.folder
})

/** Whether the log has workspaces. */
const hasWorkspaces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT 1 FROM events WHERE type = 'WorkspaceOpened' LIMIT 1`).length > 0
})

/**
 * Gives both an id of their own, so that any other folder that the database had, and any other database, is told apart.
 */
const pair = Effect.fnUntraced(function* (directory: string) {
  const sql = yield* SqlClient.SqlClient
  const id = randomUUID()
  yield* onDisk(directory, async () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    await replace(directory, directory, unfinished, Buffer.from(`${id}\n`))
  })
  yield* sql`UPDATE installation SET folder = ${id}`
  yield* onDisk(directory, () => renameSync(join(directory, unfinished), join(directory, mark)))
})

/**
 * Whether a folder of repositories is the one of this database; fails with `NotOurs` when it is not. With `begin`, two
 * that belong to nothing yet belong together from now on.
 */
export const check = Effect.fnUntraced(function* (directory: string, begin: boolean) {
  const folder = yield* known
  const { here, started, repositories } = yield* onDisk(directory, () => ({
    here: read(join(directory, mark)),
    started: read(join(directory, unfinished)),
    repositories: existsSync(directory) && readdirSync(directory).some((name) => name.endsWith(".git"))
  }))
  if (folder !== null) {
    if (folder === here) return
    // ended between the database and the folder
    if (folder === started) {
      return yield* onDisk(directory, () => renameSync(join(directory, unfinished), join(directory, mark)))
    }
    const why =
      here === undefined ? "is not the folder that this database was used with" : "belongs to another database"
    return yield* refuse(directory, why)
  }
  if (here !== undefined) return yield* refuse(directory, "belongs to another database")
  if (!begin) return
  // from before folders had ids: an empty one can't be it
  if (!repositories && (yield* hasWorkspaces))
    return yield* refuse(directory, "has none of this database's repositories")
  yield* pair(directory)
})

/** Makes a folder the one of this database, whatever either belonged to. */
export const adopt = Effect.fnUntraced(function* (directory: string) {
  yield* onDisk(directory, () => rmSync(join(directory, mark), { force: true }))
  yield* pair(directory)
})
