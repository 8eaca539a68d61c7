import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schedule } from "effect"
import { clusterOf } from "#infra/postgres/launcher/cluster.ts"
import { folderFailed } from "#infra/postgres/launcher/LaunchFailed.ts"
import { connect, launch } from "#infra/postgres/launcher/launcher.ts"
import { isLong } from "#test/long.ts"
import { folder, holder, kill, postmaster, query, ready, until } from "./launching.ts"

/** A second time is what a first one has left: more of them are for nights. */
const times = isLong ? 5 : 2

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

  it.live("starts a killed server again on its port, each time", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const server = yield* launch({ dataDir })
      yield* query(server, "CREATE TABLE kept (n int)")
      for (let n = 1; n <= times; n++) {
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

  it.live("opens a folder whose server was killed while nobody held it, each time", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      for (let n = 1; n <= times; n++) {
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

  it.live("keeps the folder from other processes, whoever else in this one has asked for it", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      yield* launch({ dataDir })
      assert.strictEqual((yield* Effect.flip(Effect.scoped(launch({ dataDir })))).reason, "in-use")
      const child = yield* holder(dataDir)
      const said = yield* Effect.callback<string>((resume) => {
        for (const output of [child.stdout, child.stderr])
          output?.once("data", (text) => resume(Effect.succeed(String(text))))
      })
      assert.include(said, `is in use by process ${process.pid}`)
      assert.strictEqual(readFileSync(join(dataDir, "service.pid"), "utf8"), `${process.pid}\n`)
    })
  )

  it.live("keeps its server's log short while it runs, with what came last beside it", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const server = yield* launch({ dataDir })
      const log = join(dataDir, "postgres/server.log")
      const fill = (word: string) => appendFileSync(log, `${word}\n`.repeat((11 * 2 ** 20) / (word.length + 1)))
      for (const word of ["first", "then"]) {
        fill(word)
        yield* Effect.timeout(
          until(() => statSync(log).size < 2 ** 20),
          "30 seconds"
        )
        assert.include(readFileSync(`${log}.1`, "utf8").slice(-100), `${word}\n${word}\n`)
      }
      // and it is still the one that the server writes to, from its beginning on
      yield* Effect.ignore(query(server, "SELECT broken_on_purpose"))
      yield* Effect.timeout(
        until(() => readFileSync(log, "utf8").includes("broken_on_purpose")),
        "30 seconds"
      )
      assert.notInclude(readFileSync(log, "utf8"), "\0")
      assert.deepStrictEqual(
        readdirSync(join(dataDir, "postgres"))
          .filter((name) => name.startsWith("server.log"))
          .sort(),
        ["server.log", "server.log.1"]
      )
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

  it.live("says what an operator has to mend where the data folder can't be made or written", () =>
    Effect.gen(function* () {
      const parent = yield* folder
      const file = join(parent, "file")
      writeFileSync(file, "")
      symlinkSync(join(parent, "nowhere", "deep"), join(parent, "dangling"))
      // as a folder of another user, or on a disk that only reads: it is there, and can't be written
      mkdirSync(join(parent, "service.lock"))
      for (const [dataDir, code] of [
        [file, "EEXIST"],
        [join(file, "data"), "ENOTDIR"],
        [join(parent, "dangling"), "EEXIST|ENOENT"],
        ["/proc/nothing/data", "ENOENT"],
        [parent, "EISDIR"]
      ] as const) {
        const refused = yield* Effect.flip(Effect.scoped(launch({ dataDir })))
        assert.strictEqual(refused.reason, "no-folder", refused.message)
        assert.match(refused.message, new RegExp(`^Cannot use the data folder .+: (?:${code}): .+CAIRN_DATA_DIR\\.$`))
      }
    })
  )

  it.live("lies where a link in the data folder leads, from there, wherever this process is", () =>
    Effect.gen(function* () {
      const parent = yield* folder
      const dataDir = join(parent, "data")
      mkdirSync(dataDir)
      symlinkSync(join("..", "elsewhere"), join(dataDir, "postgres"))
      const elsewhere = join(realpathSync(parent), "elsewhere")
      // also where the folder is a link itself, from another place
      mkdirSync(join(parent, "links"))
      symlinkSync(dataDir, join(parent, "links", "data"))
      for (const path of [dataDir, join(parent, "links", "data")]) assert.strictEqual(clusterOf(path).home, elsewhere)
      yield* query(yield* launch({ dataDir }), "SELECT 1")
      assert.include(readdirSync(elsewhere), "cluster")
    })
  )

  it.live("says so where a link in the data folder leads to where nothing can be made", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      symlinkSync("/proc/nothing/postgres", join(dataDir, "postgres"))
      const refused = yield* Effect.flip(Effect.scoped(launch({ dataDir })))
      assert.match(refused.message, /^Cannot write to \/proc\/nothing: ENOENT/)
    })
  )

  it("leaves to another start what may pass by itself", () => {
    for (const code of ["EIO", "ENOSPC", "EMFILE", "ESTALE"]) {
      const { reason, message } = folderFailed("/data")(Object.assign(new Error(`${code}: why`), { code }))
      assert.strictEqual(reason, "failed", code)
      assert.notInclude(message, "CAIRN_DATA_DIR")
    }
    const closed = folderFailed("/data")(Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" }))
    assert.strictEqual(closed.reason, "no-folder")
  })

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
