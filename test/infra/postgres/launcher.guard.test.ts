import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { open, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { guard, script } from "#infra/postgres/launcher/guard.ts"
import { connect, launch } from "#infra/postgres/launcher/launcher.ts"
import { lockFolder } from "#infra/postgres/launcher/lock.ts"
import { folder, holder, kill, postmaster, query, ready, until } from "./launching.ts"

/** Whether a process still waits for what becomes of the folder that a process has held. */
const isGuarding = (dataDir: string, holder: number): boolean =>
  readdirSync("/proc").some((name) => {
    try {
      const args = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0")
      return args.includes(dataDir) && args.includes(String(holder))
    } catch {
      return false
    }
  })

/** Waits for what only comes when nobody has held the folder for a while. */
const ended = (dataDir: string) =>
  Effect.timeout(
    until(() => !existsSync(join(dataDir, "postgres/cluster/postmaster.pid"))),
    "60 seconds"
  )

/** A folder that a killed process has held, and a process group of its own in the place of its Postgres. */
const orphan = Effect.gen(function* () {
  const dataDir = yield* folder
  const cluster = join(dataDir, "postgres/cluster")
  mkdirSync(cluster, { recursive: true })
  writeFileSync(join(dataDir, "service.pid"), "1\n")
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn("sleep", ["600"], { cwd: cluster, detached: true, stdio: "ignore" })),
    kill
  )
  const gone = Effect.callback<string | null>((resume) => {
    if (child.signalCode !== null) return resume(Effect.succeed(child.signalCode))
    child.once("exit", (_, signal) => resume(Effect.succeed(signal)))
  })
  return { dataDir, cluster, child, gone }
})

/** The guard of a process that has just been killed. */
const guarding = (dataDir: string, seconds: number) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn("/bin/sh", ["-c", script, "sh", dataDir, String(seconds), "1"], { stdio: "ignore" })),
    kill
  )

const isOver = (child: { readonly exitCode: number | null; readonly signalCode: string | null }) =>
  child.exitCode !== null || child.signalCode !== null

describe.skipIf(process.platform !== "linux")("the Postgres", () => {
  it.live("of a killed process ends by itself when nobody has adopted it", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const child = yield* holder(dataDir, {}, "1")
      yield* ready(child)
      yield* kill(child)
      yield* Effect.timeout(
        until(() => !existsSync(join(dataDir, "postgres/cluster/postmaster.pid"))),
        "60 seconds"
      )
      // as it was stopped, and not as it was killed
      assert.match(readFileSync(join(dataDir, "postgres/server.log"), "utf8"), /fast shutdown request/)
    })
  )

  it.live("that another process has adopted is that one's", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const child = yield* holder(dataDir, {}, "2")
      yield* ready(child)
      const pid = postmaster(dataDir)
      yield* kill(child)
      const server = yield* launch({ dataDir })
      assert.isTrue(server.adopted)
      yield* Effect.timeout(
        until(() => !isGuarding(dataDir, child.pid!)),
        "60 seconds"
      )
      yield* query(server, "SELECT 1")
      assert.strictEqual(postmaster(dataDir), pid)
    })
  )

  it.live("that a command has left running ends, also where the folder is named by a relative path", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const child = yield* holder(dataDir, {}, "3600")
      yield* ready(child)
      yield* kill(child)
      const before = process.cwd()
      yield* Effect.acquireRelease(
        Effect.sync(() => process.chdir(dirname(dataDir))),
        () => Effect.sync(() => process.chdir(before))
      )
      const named = basename(dataDir)
      yield* Effect.scoped(Effect.andThen(lockFolder(named), guard(named, 0)))
      yield* ended(dataDir)
    })
  )

  it.live("that a command is connected to stays until that has ended", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const child = yield* holder(dataDir, {}, "1")
      yield* ready(child)
      const { url } = yield* Effect.fromOption(yield* connect({ dataDir }))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* PgConnection.make({ url, ssl: false })
          yield* kill(child)
          // longer than the guard waits for somebody
          const { rows } = yield* connection.query("SELECT 7 AS kept FROM pg_sleep(5)")
          assert.deepStrictEqual(rows, [{ kept: 7 }])
        })
      )
      yield* ended(dataDir)
    })
  )

  it.live("that has not written its number when its service is killed ends too", () =>
    Effect.gen(function* () {
      const { dataDir, cluster, child, gone } = yield* orphan
      const shell = yield* guarding(dataDir, 2)
      // it has looked, and waits
      const waits = () => readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, "utf8") !== ""
      yield* until(() => isOver(shell) || waits())
      assert.isFalse(isOver(shell))
      writeFileSync(join(cluster, "postmaster.pid"), `${child.pid}\n`)
      assert.strictEqual(yield* gone, "SIGINT")
    })
  )

  it.live("is not taken for one whose folder is not there", () =>
    Effect.gen(function* () {
      const { dataDir, cluster, child, gone } = yield* orphan
      const file = join(cluster, "postmaster.pid")
      execFileSync("mkfifo", [file])
      const shell = yield* guarding(dataDir, 0)
      yield* Effect.promise(async () => {
        const written = await open(file, "w")
        await rm(dataDir, { recursive: true })
        // as a Postgres without a postmaster writes it: to `kill` it is a group
        await written.write(`-${child.pid}\n`)
        await written.close()
      })
      yield* until(() => isOver(shell))
      child.kill("SIGTERM")
      assert.strictEqual(yield* gone, "SIGTERM")
    })
  )

  it.live("that was stopped leaves no guard behind", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* launch({ dataDir, orphaned: 3600 })
          assert.isTrue(isGuarding(dataDir, process.pid))
        })
      )
      yield* until(() => !isGuarding(dataDir, process.pid))
    })
  )

  it.live("has no guard where there is no shell", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      yield* Effect.scoped(guard(dataDir, 0, "/nowhere/sh"))
      assert.isFalse(isGuarding(dataDir, process.pid))
    })
  )
})
