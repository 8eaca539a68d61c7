import { randomUUID } from "node:crypto"
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NotOurs } from "#ports/Hold.ts"
import { makeFolder } from "#ports/makeFolder.ts"
import { readText, replace } from "./durableFs.ts"
import { mark } from "./git/repositories.ts"
import { type Admit, FolderAway, notWaited } from "./postgres/hold.ts"
import { transaction } from "./postgres/transaction.ts"

/** The file of a folder's id on its way: it counts once the database has it. */
const unfinished = `${mark}.new`

const read = (path: string): string | undefined => readText(path)?.trim()

const onDisk = <A>(directory: string, use: () => A | Promise<A>) =>
  Effect.tryPromise({
    try: async () => use(),
    catch: (error) => new FolderAway({ message: `can't use the folder ${directory}: ${(error as Error).message}` })
  })

const adoption =
  "Start with the folder it was used with (CAIRN_DATA_DIR); or, when this is it, moved or restored from a backup, run `cairn installation adopt` once."

const told = (directory: string, why: string) => ({ message: `${directory} ${why}. ${adoption}` })
const refuse = (directory: string, why: string) => new NotOurs(told(directory, why))

const known = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // the row's lock makes services that begin at once take turns
  const [row] = yield* sql<{ folder: string | null }>`SELECT folder FROM installation FOR UPDATE`
  return row!.folder
})

/** Whether the log has workspaces. */
const hasWorkspaces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT 1 FROM events WHERE type = 'WorkspaceOpened' LIMIT 1`).length > 0
})

/**
 * Gives the database and the folder one new id, which tells them from any other folder that the database had and from
 * any other database. `finish` puts it in place in the folder.
 */
const pair = Effect.fnUntraced(function* (directory: string) {
  const sql = yield* SqlClient.SqlClient
  const id = randomUUID()
  yield* onDisk(directory, async () => {
    makeFolder(directory)
    await replace(directory, directory, unfinished, Buffer.from(`${id}\n`))
  })
  yield* sql`UPDATE installation SET folder = ${id}`
  return id
})

/** Gives the folder the id that the database has by now. */
const finish = (directory: string, id: string) =>
  onDisk(directory, () => {
    try {
      renameSync(join(directory, unfinished), join(directory, mark))
    } catch (error) {
      // another service was faster
      if (read(join(directory, mark)) !== id) throw error
    }
  })

/** The id that the folder has yet to be given, if any. */
const look = Effect.fnUntraced(function* (directory: string, begin: boolean) {
  const folder = yield* known
  const { here, started, repositories } = yield* onDisk(directory, () => ({
    // read first: if it is put in place in between, both reads find it
    started: read(join(directory, unfinished)),
    here: read(join(directory, mark)),
    repositories: existsSync(directory) && readdirSync(directory).some((name) => name.endsWith(".git"))
  }))
  if (folder !== null) {
    if (folder === here) return
    // a start that ended after the database had the id, and before the folder had it
    if (folder === started) return folder
    if (here !== undefined) return yield* refuse(directory, "belongs to another database")
    const why = "is not the folder that this database was used with"
    // the folder may belong here, and not be mounted at the moment
    return yield* repositories ? refuse(directory, why) : new FolderAway(told(directory, why))
  }
  if (here !== undefined) return yield* refuse(directory, "belongs to another database")
  if (!begin) return
  // the database may be from before folders had ids: then a folder without repositories can't be its own
  if (!repositories && (yield* hasWorkspaces))
    return yield* refuse(directory, "has none of this database's repositories")
  return yield* pair(directory)
})

/** Looks, and gives the folder its id if need be. With `begin`, makes a pair of two that belong to nothing yet. */
const lookAndFinish = Effect.fnUntraced(function* (directory: string, begin: boolean) {
  const sql = yield* PgClient.PgClient
  const given = yield* transaction(sql)(look(directory, begin))
  if (given !== undefined) yield* finish(directory, given)
})

/**
 * Makes sure that a folder of repositories is this database's; fails with `NotOurs` if it is not. With `begin`, two
 * that belong to nothing yet belong together from now on.
 */
export const check = (directory: string, begin: boolean) =>
  Effect.catchTag(lookAndFinish(directory, begin), "FolderAway", notWaited)

/** Makes a folder the one of this database, whatever either belonged to. */
export const adopt = Effect.fnUntraced(
  function* (directory: string) {
    yield* onDisk(directory, () => rmSync(join(directory, mark), { force: true }))
    yield* finish(directory, yield* pair(directory))
  },
  Effect.catchTag("FolderAway", notWaited)
)

/**
 * Prepares a folder for a restore, before anything is in the database: it can be made and written, and by the id that
 * both get, a restore that goes on knows the repositories that it has made. The id is not in its place before
 * `finishRestored`. Fails if the folder has anything else.
 */
export const prepare = Effect.fnUntraced(
  function* (directory: string) {
    const folder = yield* known
    const { names, id } = yield* onDisk(directory, () => ({
      names: existsSync(directory) ? readdirSync(directory) : [],
      id: read(join(directory, mark)) ?? read(join(directory, unfinished))
    }))
    if (folder !== null && folder === id) return
    // a preparation that was cut off has left no more than the id, or a part of it; a disk of its own has a folder
    const strange = names.filter((name) => !/^tmp_obj_|^lost\+found$/.test(name) && name !== unfinished)
    // this is also the id of a folder whose repositories are erased: another database refuses it without
    if (strange.length > 0) {
      const message = `${directory} has repositories already, or did: name an empty data folder, or the one that this restore was begun with (CAIRN_DATA_DIR). If an older release has begun it here, empty that folder first.`
      return yield* new NotOurs({ message })
    }
    yield* pair(directory)
  },
  Effect.catchTag("FolderAway", notWaited)
)

/** Puts the id of a prepared folder in its place. */
export const finishRestored = Effect.fnUntraced(
  function* (directory: string) {
    const id = yield* known
    if (id !== null) yield* finish(directory, id)
  },
  Effect.catchTag("FolderAway", notWaited)
)

/** The folder in which each service has a file, named by its token: a copy of the data folder has none of them. */
const services = ".services"
/** Milliseconds within which another service's file must be seen here, even if the folder is on another machine. */
const patience = 5_000
/** Milliseconds after which the file of no service on the database is removed. */
const old = 60_000

/**
 * Admits a service to the database if its folder is the database's, and the very one that the other services have, not
 * a copy. Fails with `NotOurs` if it is not, and with `FolderAway` if that can't be told.
 */
export const admit =
  (directory: string): Admit =>
  (token, others) =>
    Effect.gen(function* () {
      yield* lookAndFinish(directory, true)
      const present = join(directory, services)
      yield* Effect.acquireRelease(
        onDisk(directory, () => {
          makeFolder(present)
          writeFileSync(join(present, token), "")
        }),
        () => Effect.ignore(onDisk(directory, () => rmSync(join(present, token), { force: true })))
      )
      const since = yield* Clock.currentTimeMillis
      for (;;) {
        const beside = yield* others
        const seen = new Set(yield* onDisk(directory, () => readdirSync(present)))
        const stranger = beside.find((other) => !seen.has(other.token))
        if (stranger === undefined) {
          const known = new Set([token, ...beside.map((other) => other.token)])
          const left = [...seen].filter((name) => !known.has(name))
          return yield* onDisk(directory, () => left.forEach((name) => removeOld(join(present, name))))
        }
        if ((yield* Clock.currentTimeMillis) - since > patience) {
          return yield* new NotOurs({
            message: `${directory} is a copy of the folder that another Cairn on this database has (${stranger.who}). All services of a database share one folder: start with that one (CAIRN_DATA_DIR).`
          })
        }
        yield* Effect.sleep("100 millis")
      }
    })

/** Removes what a killed service left, but not the new file of a service on its way to the database. */
const removeOld = (path: string): void => {
  const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  if (made !== undefined && made < Date.now() - old) rmSync(path, { force: true })
}
