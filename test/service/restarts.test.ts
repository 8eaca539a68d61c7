import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Exit, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { memoryPassed } from "#src/process/memory.ts"
import { newInstallation, removeInstallation, type TestInstallation } from "#test/service.ts"
import { startNpm, startProcess } from "./process.ts"

const address = /Cairn is at (http:\S+)/g
const start = fileURLToPath(new URL("../../start.cjs", import.meta.url))

/** Programs of one line, supervised as `serve` is. */
const supervised = async (program: string) => {
  const driver = `require(${JSON.stringify(start)}).supervise({ path: process.execPath, args: [] }, () => ["-e", ${JSON.stringify(program)}])
    .then((outcome) => console.log("outcome", outcome))`
  // it is a script of Node, whichever runtime runs the tests
  const child = spawn("node", ["-e", driver], { stdio: ["ignore", "pipe", "pipe"] })
  const said = { out: "", err: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (said.out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (said.err += text))
  await once(child, "close")
  return { outcome: /outcome (\S+)/.exec(said.out)?.[1], lines: said.err.trim().split("\n").filter(Boolean) }
}

/** The number of the service that holds a database, as it tells it to Postgres. */
const holderOf = ({ database }: TestInstallation) =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ url: database, ssl: false })
    const { rows } = yield* connection.query(
      `SELECT application_name AS name FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'cairn process %'`,
      [],
      false
    )
    return Number(/process (\d+)/.exec(String(rows[0]?.["name"]))?.[1])
  }).pipe(Effect.scoped, Effect.runPromise)

describe("start.cjs", () => {
  it("starts a killed service again, and ends when it is told to", async () => {
    const installation = await newInstallation()
    const service = startNpm(installation, "serve")
    try {
      await service.said(/Cairn is at (http:\S+)/)
      const before = await holderOf(installation)
      process.kill(before, "SIGKILL")
      await service.said(/cairn: the service ended with SIGKILL: starting it again in 250 ms\n[\s\S]*Cairn is at/)
      const now = await holderOf(installation)
      assert.notStrictEqual(now, before)
      assert.lengthOf([...service.output.text.matchAll(address)], 2)
    } finally {
      await service.stop()
      removeInstallation(installation)
    }
    assert.lengthOf([...service.output.text.matchAll(/starting it again/g)], 1)
  })

  it("gives up after five restarts, one line each, and says why", async () => {
    const { outcome, lines } = await supervised("process.exit(3)")
    assert.strictEqual(outcome, "3")
    assert.deepStrictEqual(lines, [
      ...[250, 500, 1000, 2000, 4000].map(
        (pause) => `cairn: the service ended with exit code 3: starting it again in ${pause} ms`
      ),
      "cairn: the service ended with exit code 3, 5 restarts in a minute did not help: not started again"
    ])
  })

  it("gives up with 1 on one that says each time that starting it again may help", async () => {
    const { outcome, lines } = await supervised("process.exit(75)")
    assert.strictEqual(outcome, "1")
    assert.strictEqual(
      lines.at(-1),
      "cairn: the service ended to be started again, 5 restarts in a minute did not help: not started again"
    )
  })

  it("starts nothing again that ended well, was told to end, or needs its operator", async () => {
    for (const [program, outcome] of [
      ["process.exit(0)", "0"],
      ["process.exit(78)", "78"],
      ["process.kill(process.pid, 'SIGTERM')", "SIGTERM"]
    ] as const) {
      assert.deepStrictEqual(await supervised(program), { outcome, lines: [] })
    }
  })
})

describe("a service", () => {
  it("ends when it takes more memory than it may, with the code that starts it again", async () => {
    const installation = await newInstallation()
    const service = startProcess(installation, { CAIRN_MEMORY_LIMIT: "64" })
    assert.strictEqual(await service.ended, 75, service.output.text)
    assert.match(
      service.output.text,
      /^cairn: the service takes \d+ MiB of memory and may take 64 \(CAIRN_MEMORY_LIMIT\)/m
    )
    removeInstallation(installation)
  })

  it("says where its database is that can't be reached, and why, without the password", async () => {
    const installation = await newInstallation()
    const url = new URL(Redacted.value(installation.database))
    const refused = async (database: string) => {
      const service = startProcess({ ...installation, database: Redacted.make(database) })
      const code = await service.ended
      assert.lengthOf(service.output.text.trim().split("\n"), 1, service.output.text)
      assert.notInclude(service.output.text, "hunter2")
      return [code, service.output.text.trim()] as const
    }
    const [code, line] = await refused("postgres://me:hunter2@127.0.0.1:1/cairn")
    assert.strictEqual(code, 75)
    assert.match(line, /^cairn: the database cairn at 127\.0\.0\.1:1 \(DATABASE_URL\) can't be used: .*ECONNREFUSED/)
    url.password = "hunter2"
    const [denied, why] = await refused(url.href)
    assert.strictEqual(denied, 78)
    assert.match(why, /can't be used: password authentication failed/)
    removeInstallation(installation)
  })

  it("tells a peak of memory from what stays", () =>
    Effect.gen(function* () {
      const seen = [9, 11, 11, 9, 11, 11, 11]
      let looks = 0
      const watching = yield* Effect.forkChild(memoryPassed(10, () => seen[Math.min(looks++, seen.length - 1)]!))
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(watching.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isFailure(yield* Fiber.await(watching)))
      assert.strictEqual(looks, 7)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
})
