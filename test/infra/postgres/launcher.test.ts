import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schedule, type Scope } from "effect"
import { connect, type EmbeddedPostgres, launch } from "#infra/postgres/launcher/launcher.ts"

// The name has a space on purpose; mkdtemp's mode is 0700, so that as root no other user can enter.
const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn launcher "))),
  (dataDir) => Effect.sync(() => rmSync(dataDir, { recursive: true, force: true }))
)

const query = (server: Pick<EmbeddedPostgres, "url">, statement: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* PgConnection.make({ url: server.url, ssl: false })
      return (yield* connection.query(statement)).rows
    })
  )

/** Starts holder.ts on the folder; killed, as everything that can survive it, with the scope. */
const holder = (dataDir: string, environment: Record<string, string> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const file = join(import.meta.dirname, "holder.ts")
      const args = process.versions["deno"] === undefined ? [file] : ["run", "-A", file]
      return spawn(process.execPath, [...args, dataDir], {
        env: { ...process.env, ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      })
    }),
    kill
  )

const ready = (child: ChildProcess) =>
  Effect.callback<{ readonly port: number; readonly adopted: boolean; readonly said: string }>((resume) => {
    let said = ""
    child.stderr?.on("data", (chunk) => (said += chunk))
    child.stdout?.once("data", (line) => resume(Effect.succeed({ ...JSON.parse(String(line)), said })))
    child.once("close", () => resume(Effect.die(new Error(`The holder ended: ${said}`))))
  })

const kill = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

const postmaster = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, "postgres/cluster/postmaster.pid"), "utf8").split("\n")[0])

const until = (condition: () => boolean) =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.sleep("5 millis")
  })

describe("launch", () => {
  it.live("makes a cluster and finds its data again", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* launch({ dataDir })
          assert.isFalse(server.adopted)
          yield* query(server, "CREATE TABLE kept (n int)")
          yield* query(server, "INSERT INTO kept VALUES (7)")
          const [settings] = yield* query(
            server,
            `SELECT current_setting('fsync') AS fsync, current_setting('listen_addresses') AS listens,
               current_setting('unix_socket_directories') AS sockets, datcollate AS collation,
               pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = 'postgres'`
          )
          assert.deepStrictEqual(settings, {
            fsync: "on",
            listens: "127.0.0.1",
            sockets: "",
            collation: "C",
            encoding: "UTF8"
          })
          assert.strictEqual(statSync(join(dataDir, "postgres/password")).mode & 0o077, 0)
        })
      )
      const server = yield* launch({ dataDir })
      assert.isFalse(server.adopted)
      assert.deepStrictEqual(yield* query(server, "SELECT n FROM kept"), [{ n: 7 }])
    })
  )

  it.live("adopts the server of a killed process, and stops it as its own", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const first = yield* holder(dataDir)
      const { port } = yield* ready(first)
      yield* kill(first)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* launch({ dataDir })
          assert.isTrue(server.adopted)
          assert.strictEqual(server.port, port)
          yield* query(server, "SELECT 1")
        })
      )
      assert.isTrue(Option.isNone(yield* connect({ dataDir })))
    })
  )

  it.live("starts a killed server again on its port, five times", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const server = yield* launch({ dataDir })
      yield* query(server, "CREATE TABLE kept (n int)")
      for (let n = 1; n <= 5; n++) {
        yield* query(server, `INSERT INTO kept VALUES (${n})`)
        const killed = postmaster(dataDir)
        process.kill(killed, "SIGKILL")
        const counted = query(server, "SELECT count(*)::int AS n FROM kept").pipe(
          Effect.retry(Schedule.spaced("20 millis"))
        )
        assert.deepStrictEqual(yield* counted, [{ n }])
      }
    })
  )

  it.live("opens a folder whose server was killed while nobody held it, five times", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      for (let n = 1; n <= 5; n++) {
        const child = yield* holder(dataDir)
        assert.isFalse((yield* ready(child)).adopted)
        yield* kill(child)
        process.kill(postmaster(dataDir), "SIGKILL")
      }
      yield* query(yield* launch({ dataDir }), "SELECT 1")
    })
  )

  it.live("starts in spite of a postmaster.pid whose number another process has by now", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      yield* Effect.scoped(launch({ dataDir }))
      const stale = [process.pid, join(dataDir, "postgres/cluster"), 1, 1, "", "127.0.0.1", "1 1", "ready", ""]
      writeFileSync(join(dataDir, "postgres/cluster/postmaster.pid"), stale.join("\n"))
      assert.isFalse((yield* launch({ dataDir })).adopted)
    })
  )

  it.live("refuses a second start and leaves the first alone, which can still be connected to", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      assert.isTrue(Option.isNone(yield* connect({ dataDir })))
      const child = yield* holder(dataDir)
      const { port } = yield* ready(child)
      const before = readdirSync(dataDir)
      const refused = yield* Effect.flip(Effect.scoped(launch({ dataDir })))
      assert.strictEqual(refused.reason, "in-use")
      assert.strictEqual(refused.message, `The data folder ${dataDir} is in use by process ${child.pid}.`)
      assert.deepStrictEqual(readdirSync(dataDir), before)
      const found = Option.getOrThrow(yield* connect({ dataDir }))
      assert.strictEqual(found.port, port)
      yield* query(found, "SELECT 1")
      yield* kill(child)
      yield* launch({ dataDir })
    })
  )

  it.live("refuses a folder of another major version in one line", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      mkdirSync(join(dataDir, "postgres/cluster"), { recursive: true })
      writeFileSync(join(dataDir, "postgres/cluster/PG_VERSION"), "15\n")
      const refused = yield* Effect.flip(Effect.scoped(launch({ dataDir })))
      assert.strictEqual(refused.reason, "other-major")
      assert.match(refused.message, /^.*Postgres 15, this release runs 18\.$/)
    })
  )

  it.live("begins again after an initdb that was cut off", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const child = yield* holder(dataDir)
      yield* until(() => {
        const unfinished = readdirSync(dataDir).find((name) => name.startsWith("postgres.new-"))
        return unfinished !== undefined && readdirSync(join(dataDir, unfinished)).includes("cluster")
      })
      yield* kill(child)
      assert.notInclude(readdirSync(dataDir), "postgres")
      yield* query(yield* launch({ dataDir }), "SELECT 1")
    })
  )

  it.live.skipIf(process.getuid?.() !== 0)("as root without user namespaces, runs as another user", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      yield* Effect.scoped(launch({ dataDir }))
      chmodSync(dataDir, 0o700)
      const child = yield* holder(dataDir, { PATH: "/nowhere" })
      const { said } = yield* ready(child)
      assert.match(said, /^Running Postgres as user \d+: .*\n$/)
      assert.notStrictEqual(statSync(join(dataDir, "postgres/cluster/PG_VERSION")).uid, 0)
      yield* kill(child)
      process.kill(postmaster(dataDir), "SIGKILL")
      // And back: the files are root's again.
      yield* query(yield* launch({ dataDir }), "SELECT 1")
      assert.strictEqual(statSync(join(dataDir, "postgres/cluster/PG_VERSION")).uid, 0)
    })
  )
})
