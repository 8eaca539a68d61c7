import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Redacted } from "effect"
import { freePort } from "#test/freePort.ts"

const programs = "/usr/lib/postgresql/15/bin"

/**
 * Whether Debian's PostgreSQL 15 can be started here, for tests that do to a server what the run's own is spared. In CI
 * they run with the others on that server (`.ci/engines`).
 */
export const isHere =
  existsSync(join(programs, "initdb")) && (process.env["CI"] !== "true" || Boolean(process.env["CAIRN_TEST_POSTGRES"]))

/** Postgres refuses root. */
const nobody = 65534
const account = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

const run = (program: string, args: ReadonlyArray<string>, folder: string) =>
  execFileSync(join(programs, program), args, { ...account, cwd: folder, stdio: ["ignore", "ignore", "pipe"] })

/** The processes of a server: each connection has one. */
const processesOf = (postmaster: number): ReadonlyArray<number> =>
  readdirSync("/proc").flatMap((name) => {
    try {
      const stat = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/stat`, "utf8") : ""
      return Number(/\) \S (\d+)/.exec(stat)?.[1]) === postmaster ? [Number(name)] : []
    } catch {
      return []
    }
  })

/** A server of its own, on loopback. */
export class PostgresServer {
  readonly port: number
  readonly #folder: string
  #child: ChildProcess | undefined
  #ended: Promise<unknown> | undefined

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.port = port
  }

  static async #begin(fill: (data: string, folder: string) => void): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), "cairn-postgres-"))
    if (account.uid !== undefined) chownSync(folder, nobody, nobody)
    fill(join(folder, "data"), folder)
    const server = new PostgresServer(folder, await freePort())
    await server.start()
    return server
  }

  /** An empty one. */
  static make(): Promise<PostgresServer> {
    return PostgresServer.#begin((data, folder) =>
      run("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"], folder)
    )
  }

  /** A standby of this one, which from then on commits nothing that the standby has not. */
  async standby(): Promise<PostgresServer> {
    const from = ["-h", "127.0.0.1", "-p", String(this.port), "-U", "postgres"]
    const standby = await PostgresServer.#begin((data, folder) =>
      run("pg_basebackup", [...from, "-D", data, "-R", "-X", "stream", "-c", "fast"], folder)
    )
    await this.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
    await this.query("SELECT pg_reload_conf()")
    const synchronous = "SELECT count(*)::int AS count FROM pg_stat_replication WHERE sync_state = 'sync'"
    while (Number((await this.query(synchronous))[0]!["count"]) === 0) await new Promise((next) => setTimeout(next, 50))
    return standby
  }

  get url(): URL {
    return new URL(`postgres://postgres@127.0.0.1:${this.port}/postgres`)
  }

  query(sql: string): Promise<ReadonlyArray<Record<string, unknown>>> {
    return Effect.gen({ self: this }, function* () {
      const connection = yield* PgConnection.make({ url: Redacted.make(this.url.href), ssl: false })
      return (yield* connection.query(sql, [], false)).rows as ReadonlyArray<Record<string, unknown>>
    }).pipe(Effect.scoped, Effect.runPromise)
  }

  async start(): Promise<void> {
    const own = ["-D", join(this.#folder, "data"), "-p", String(this.port), "-h", "127.0.0.1", "-k", ""]
    // fsync: no power fails here, and what a killed process has written the system has
    const child = spawn(join(programs, "postgres"), [...own, "-c", "fsync=off"], {
      ...account,
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "pipe"]
    })
    this.#child = child
    this.#ended = once(child, "exit")
    let said = ""
    child.stderr!.setEncoding("utf8").on("data", (text: string) => void (said += text))
    for (;;) {
      if (child.exitCode !== null) throw new Error(`Postgres did not start:\n${said}`)
      if (
        await this.query("SELECT 1").then(
          () => true,
          () => false
        )
      )
        return
      await new Promise((next) => setTimeout(next, 50))
    }
  }

  /** To all its processes: the one that others are started by first, so that it starts none meanwhile. */
  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    const postmaster = this.#child!.pid!
    const others = processesOf(postmaster)
    for (const pid of [postmaster, ...others]) {
      try {
        process.kill(pid, name)
      } catch {
        // it has ended
      }
    }
  }

  async ended(): Promise<void> {
    await this.#ended
  }

  /** As an operator does it: connections are ended, transactions that are under way are not. */
  async restart(): Promise<void> {
    this.#child!.kill("SIGINT")
    await this.ended()
    await this.start()
  }

  promote(): void {
    run("pg_ctl", ["promote", "-w", "-D", join(this.#folder, "data")], this.#folder)
  }

  async stop(): Promise<void> {
    this.signal("SIGKILL")
    await this.ended()
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
