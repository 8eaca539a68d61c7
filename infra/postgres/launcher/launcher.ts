import { realpathSync, rmSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { Console, Effect, Option, Redacted, Schedule, type Scope } from "effect"
import { makeFolder } from "#ports/makeFolder.ts"
import { there } from "../../systemErrors.ts"
import { type Binaries, findBinaries } from "./binaries.ts"
import { type Cluster, checkMajor, clusterOf, exists, initialize } from "./cluster.ts"
import { makeStuck } from "./comingUp.ts"
import { guard } from "./guard.ts"
import { failed, failedTo, folderFailed, LaunchFailed } from "./LaunchFailed.ts"
import { lockFolder } from "./lock.ts"
import { chooseAccount, ownAll, type SystemAccount } from "./privileges.ts"
import { answers, connection, findPostmaster, freePort, type Postmaster, spawnPostmaster, stop } from "./server.ts"
import { keepShort, lastWordsIn } from "./serverLog.ts"

export { LaunchFailed }

/** How to reach the data folder's Postgres. The fields fit `PgClient.make`; `url` says the same in one. */
export interface EmbeddedPostgres {
  /** `postgres://…` with the password. */
  readonly url: Redacted.Redacted<string>
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: Redacted.Redacted<string>
  readonly database: string
  /** Whether the server ran already. */
  readonly adopted: boolean
}

/**
 * Gives the data folder's Postgres: makes the cluster at the first use, and adopts a server that still runs or starts
 * one. Until the scope closes, the folder is this process's alone, and a server that dies is started again on the same
 * port. Then the server is stopped. If this process is killed, the server ends by itself after half a minute (or
 * `orphaned` seconds) in which nobody has adopted it. Fails with `LaunchFailed`: `in-use` (nothing was touched),
 * `no-folder`, `other-major`, `no-binaries`, `failed`.
 */
export const launch = (options: {
  readonly dataDir: string
  readonly orphaned?: number
}): Effect.Effect<EmbeddedPostgres, LaunchFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const dataDir = yield* folder(options.dataDir)
    yield* lockFolder(dataDir)
    yield* guard(dataDir, options.orphaned)
    const installed = yield* findBinaries(dataDir)
    yield* checkMajor(clusterOf(dataDir), installed)

    let running: Postmaster | undefined
    let current = clusterOf(dataDir)
    yield* Effect.addFinalizer(() => (running === undefined ? Effect.void : stop(current, installed, running)))

    const start = (port: number | undefined) =>
      Effect.gen(function* () {
        const adopted = yield* adopt(current, (found) => (running = found))
        if (adopted) return true
        const { account, binaries } = yield* chooseAccount(dataDir, installed)
        current = clusterOf(dataDir)
        if (!exists(current)) yield* initialize(current, binaries, account)
        yield* Effect.try({ try: () => ownAll(account, current.home), catch: failedTo(`give away ${current.home}`) })
        yield* startServer(current, binaries, account, port, (spawned) => (running = spawned))
        return false
      })

    const adopted = yield* start(undefined)
    const { port } = running!
    yield* Effect.forkScoped(
      Effect.gen(function* () {
        if (running!.alive()) {
          return yield* Effect.try({ try: () => keepShort(current), catch: failedTo(`shorten ${current.log}`) }).pipe(
            Effect.catch((error) => Effect.logWarning(error.message))
          )
        }
        yield* Effect.logWarning("Postgres ended, starting it again")
        yield* start(port)
      }).pipe(
        Effect.catchCause((cause) => Effect.logError("Postgres could not be started again", cause)),
        Effect.repeat(Schedule.spaced("200 millis"))
      )
    )
    return described(current, port, adopted)
  })

/**
 * The Postgres that some other process has started for the data folder; none when no server answers there. Never starts
 * one, stops one or takes the folder's lock.
 */
export const connect = (options: { readonly dataDir: string }): Effect.Effect<Option.Option<EmbeddedPostgres>> =>
  Effect.gen(function* () {
    const cluster = clusterOf(resolve(options.dataDir))
    const found = findPostmaster(cluster)
    if (found === undefined || !(yield* answers(cluster, found.port))) return Option.none()
    return Option.some(described(cluster, found.port, true))
  }).pipe(Effect.catchCause(() => Effect.succeedNone))

/**
 * Whether the data folder has a Postgres, running or not; writes nothing. Fails with `in-use` while another process has
 * the folder, and may be making one, and with `no-folder` where it can't be told.
 */
export const hasCluster = ({ dataDir }: { readonly dataDir: string }): Effect.Effect<boolean, LaunchFailed> =>
  Effect.gen(function* () {
    const directory = resolve(dataDir)
    const look = (pathIn: (directory: string) => string) =>
      Effect.try({ try: () => there(() => statSync(pathIn(directory))) !== undefined, catch: folderFailed(directory) })
    if (yield* look((directory) => join(clusterOf(directory).data, "PG_VERSION"))) return true
    // in a folder that nobody ever held, a lock of ours would be the first file
    if (yield* look((directory) => join(directory, "service.lock"))) yield* Effect.scoped(lockFolder(directory))
    return false
  })

const folder = (dataDir: string): Effect.Effect<string, LaunchFailed> =>
  Effect.try({
    try: () => {
      makeFolder(dataDir)
      return realpathSync(dataDir)
    },
    catch: folderFailed(dataDir)
  })

const described = (cluster: Cluster, port: number, adopted: boolean): EmbeddedPostgres => {
  const to = connection(cluster, port)
  const url = `postgres://${to.username}:${Redacted.value(to.password)}@${to.host}:${port}/${to.database}`
  return { ...to, url: Redacted.make(url), adopted }
}

/** Waits while a postmaster lives: it may be starting, recovering or, after a killed service, still shutting down. */
const adopt = Effect.fnUntraced(function* (cluster: Cluster, found: (postmaster: Postmaster) => void) {
  const stuck = yield* makeStuck(() => lastWordsIn(cluster), 60_000)
  for (;;) {
    const postmaster = findPostmaster(cluster)
    if (postmaster === undefined) return false
    if (yield* answers(cluster, postmaster.port)) {
      found(postmaster)
      return true
    }
    if (yield* stuck) {
      return yield* failed(`The Postgres ${postmaster.pid} that runs for ${cluster.home} does not answer.`)
    }
    yield* Effect.sleep("20 millis")
  }
})

/**
 * What passes by itself: the memory of a killed server's last processes, a lock file being removed, a port just taken.
 */
const passing = /shared memory|lock file|could not bind|could not create any TCP/

/** Why a server ended, leaving out what it told clients that came too early. Nothing when it was killed. */
const reasonIn = (words: string): string | undefined =>
  words.match(/(?:FATAL|PANIC): +(?!the database system is ).*|could not bind .*/g)?.at(-1)

const startServer = Effect.fnUntraced(function* (
  cluster: Cluster,
  binaries: Binaries,
  account: SystemAccount,
  wanted: number | undefined,
  spawned: (postmaster: Postmaster) => void
) {
  const deadline = Date.now() + 10_000
  let announced: string | undefined
  for (;;) {
    // It may name a process id that another process has by now, and Postgres would refuse to start.
    rmSync(join(cluster.data, "postmaster.pid"), { force: true })
    const port = wanted ?? (yield* freePort)
    // An interruption still finds the server that it has to stop.
    const server = yield* Effect.uninterruptible(
      Effect.tap(spawnPostmaster(cluster, binaries, account, port), (server) => Effect.sync(() => spawned(server)))
    )
    if (yield* untilAnswers(cluster, server)) return
    const words = server.lastWords()
    const reason = reasonIn(words)
    if ((reason !== undefined && !passing.test(words)) || Date.now() > deadline) {
      return yield* failed(
        `Postgres did not start in ${cluster.home}: ${reason ?? (words.slice(-300) || "no reason given")}`
      )
    }
    if (reason !== announced) yield* Console.error(`Waiting to start Postgres: ${reason ?? "it was killed"}`)
    announced = reason
    yield* Effect.sleep("100 millis")
  }
})

const untilAnswers = Effect.fnUntraced(function* (cluster: Cluster, server: Postmaster) {
  const stuck = yield* makeStuck(() => lastWordsIn(cluster), 120_000)
  while (server.alive()) {
    if (yield* answers(cluster, server.port)) return true
    if (yield* stuck) return yield* failed(`Postgres ${server.pid} in ${cluster.home} does not answer.`)
    yield* Effect.sleep("10 millis")
  }
  return false
})
