import { execFileSync } from "node:child_process"
import { closeSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Redacted } from "effect"
import { type Binaries, environment, program } from "./binaries.ts"
import { type Cluster, database, username } from "./cluster.ts"
import { failed, failedTo, type LaunchFailed } from "./LaunchFailed.ts"
import type { SystemAccount } from "./privileges.ts"
import { openLog } from "./serverLog.ts"
import { settings } from "./settings.ts"

/** A postmaster, whoever started it. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** Whether its process is there. */
  readonly alive: () => boolean
}

/** The postmaster that `postmaster.pid` names, if a process of that number really is this cluster's postmaster. */
export const findPostmaster = (cluster: Cluster): Postmaster | undefined => {
  let lines: ReadonlyArray<string>
  try {
    lines = readFileSync(join(cluster.data, "postmaster.pid"), "utf8").split("\n")
  } catch {
    return undefined
  }
  const pid = Number(lines[0])
  const port = Number(lines[3])
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  const alive = () => isPostmaster(pid, cluster)
  return alive() ? { pid, port, alive } : undefined
}

/** Postmasters work in their cluster's folder; the number alone may have gone to another process since. */
const isPostmaster = (pid: number, cluster: Cluster): boolean => {
  try {
    process.kill(pid, 0)
    if (process.platform === "win32") return true
    if (process.platform !== "linux") {
      return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).includes("postgres")
    }
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster.data)
  } catch {
    return false
  }
}

/** Starts the server in a session of its own, so that a Ctrl-C for the service does not reach it first. */
export const spawnPostmaster = (cluster: Cluster, binaries: Binaries, account: SystemAccount, port: number) =>
  Effect.try({
    try: (): Postmaster & { readonly lastWords: () => string } => {
      const log = openLog(cluster)
      const from = statSync(cluster.log).size
      try {
        const options = Object.entries(settings(port)).flatMap(([name, value]) => ["-c", `${name}=${value}`])
        const child = account.spawn(program(binaries, "postgres"), ["-D", cluster.data, ...options], {
          env: environment(binaries),
          cwd: "/",
          detached: true,
          stdio: ["ignore", log, log]
        })
        let ended = child.pid === undefined
        child.once("error", () => (ended = true))
        child.once("exit", () => (ended = true))
        child.unref()
        return {
          pid: child.pid ?? -1,
          port,
          alive: () => !ended,
          lastWords: () => readFileSync(cluster.log).subarray(from).toString()
        }
      } finally {
        closeSync(log)
      }
    },
    catch: failedTo(`start Postgres in ${cluster.home}`)
  })

/** How to reach the cluster's server on a port. */
export const connection = (cluster: Cluster, port: number) => ({
  host: "127.0.0.1",
  port,
  username,
  database,
  password: Redacted.make(readFileSync(cluster.password, "utf8").trim())
})

/**
 * Whether a server answers a query there and is this cluster's. Its password proves that (SCRAM proves it in both
 * directions), except against a copy of the folder, whose postmaster.pid still leads to the original: hence the
 * folder's name.
 */
export const answers = (cluster: Cluster, port: number): Effect.Effect<boolean> =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* PgConnection.make({ ...connection(cluster, port), ssl: false, connectTimeout: "1 second" })
      const { rows } = yield* client.query("SELECT current_setting('data_directory') AS folder")
      return realpathSync(String(rows[0]?.["folder"])) === realpathSync(cluster.data)
    })
  ).pipe(
    Effect.timeout("2 seconds"),
    Effect.catchCause(() => Effect.succeed(false))
  )

/** A port that was free a moment ago. */
export const freePort: Effect.Effect<number, LaunchFailed> = Effect.callback((resume) => {
  const probe = createServer()
  probe.once("error", (cause) => resume(Effect.fail(failed(`No port on 127.0.0.1: ${cause.message}`))))
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    probe.close(() => resume(Effect.succeed(port)))
  })
})

/** Shuts down fast: ends sessions, keeps what is committed. After ten seconds, at once: the next start recovers. */
export const stop = (cluster: Cluster, binaries: Binaries, postmaster: Postmaster): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (!postmaster.alive()) return
    if (process.platform === "win32") {
      const args = ["stop", "-D", cluster.data, "-m", "fast", "-W"]
      execFileSync(program(binaries, "pg_ctl"), args, { stdio: "ignore" })
    } else process.kill(postmaster.pid, "SIGINT")
    if (yield* endsWithin(postmaster, 10_000)) return
    process.kill(postmaster.pid, "SIGQUIT")
    if (yield* endsWithin(postmaster, 5_000)) return
    yield* Effect.logWarning(`Postgres ${postmaster.pid} in ${cluster.home} did not stop`)
  }).pipe(Effect.catchCause((cause) => Effect.logWarning(`Stopping Postgres in ${cluster.home}`, cause)))

const endsWithin = (postmaster: Postmaster, milliseconds: number): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const deadline = Date.now() + milliseconds
    while (postmaster.alive()) {
      if (Date.now() > deadline) return false
      yield* Effect.sleep("10 millis")
    }
    return true
  })
