import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Schedule } from "effect"
import { frame, unframe } from "#infra/confined/frames.ts"
import { Queue } from "#infra/workers/Queue.ts"
import { Trust } from "#infra/workers/Trust.ts"
import { WorkersIdle, WorkingFor } from "#ports/Workers.ts"
import { troubled } from "./workers.ts"

const working = (owner: string) => Effect.provideService(WorkingFor, owner)
const reasonOf = Effect.map((error: { readonly _tag: string; readonly reason?: string }) => [error._tag, error.reason])

const values: ReadonlyArray<unknown> = [
  null,
  "short",
  "é\u2028".repeat(5_000),
  "\ud83c".repeat(5_000),
  { "\u0000": ["a".repeat(5_000), { __proto__: null, deep: { deeper: { deepest: "a".repeat(5_000) } } }] },
  [new Uint8Array(0), Uint8Array.from({ length: 70_000 }, (_, n) => n), "", { x: new Uint8Array([1]) }]
]

const limits = { frame: 1024 ** 2, head: 1024 }

describe("frames", () => {
  it.each([1, 7, 65_536])("bring what was sent, in chunks of %i bytes", (size) => {
    const arrived: Array<unknown> = []
    const read = unframe({ frame: 1024 ** 2, head: 64 * 1024 }, (message) => arrived.push(message))
    const all = Buffer.concat(values.flatMap((value) => frame({ value })))
    for (let at = 0; at < all.length; at += size) read(all.subarray(at, at + size))
    assert.deepStrictEqual(
      arrived,
      values.map((value) => ({ value }))
    )
  })

  it("parse no more than they are told to", () => {
    const fails = (message: object) =>
      assert.throws(() => unframe(limits, () => {})(Buffer.concat(frame(message))), "not a frame")
    fails({ values: Array.from({ length: 1_000 }, () => "") })
    fails({ text: "a".repeat(1024 ** 2) })
    assert.doesNotThrow(() => unframe(limits, () => {})(Buffer.concat(frame({ text: "a".repeat(100_000) }))))
  })

  it.each([
    [[["x", "y"], "bytes", 0]],
    [[["toString"], "bytes", 0]],
    [[["__proto__", "polluted"], "bytes", 0]],
    [[["x"], "bytes", 99]]
  ])("refuse parts that have no place: %j", (parts) => {
    const head = Buffer.from(JSON.stringify([{ x: null }, parts]))
    const start = Buffer.alloc(8)
    start.writeUInt32LE(head.length, 0)
    start.writeUInt32LE(head.length, 4)
    assert.throws(() => unframe(limits, () => {})(Buffer.concat([start, head])))
    assert.isUndefined(({} as { polluted?: unknown }).polluted)
  })
})

describe("the queue of jobs", () => {
  const job = (owner: string, bytes = 1) => ({ owner, bytes })

  it("takes turns, and begins no second job of one owner", () => {
    const queue = new Queue({ jobs: 10, bytes: 100, allBytes: 100 })
    const [a1, a2, b1, b2] = [job("a"), job("a"), job("b"), job("b")]
    for (const one of [a1, a2, b1, b2]) assert.isTrue(queue.add(one))
    assert.strictEqual(queue.take(), a1)
    assert.strictEqual(queue.take(), b1)
    assert.isUndefined(queue.take())
    assert.isFalse(queue.hasNext())
    queue.finished(b1)
    assert.strictEqual(queue.take(), b2)
    queue.finished(a1)
    queue.finished(b2)
    const b3 = job("b")
    queue.add(b3)
    assert.strictEqual(queue.take(), a2)
    queue.finished(a2)
    queue.remove(b3)
    assert.isUndefined(queue.take())
  })

  it("has room for the first job of each, and bounds the rest by number and bytes", () => {
    const queue = new Queue({ jobs: 2, bytes: 10, allBytes: 15 })
    assert.isTrue(queue.add(job("a", 100)))
    assert.isFalse(queue.add(job("a", 1)))
    assert.isTrue(queue.add(job("b", 100)))
    queue.take()
    queue.take()
    assert.deepStrictEqual(
      [job("a", 1), job("a", 1), job("a", 1), job("b", 5), job("b", 6), job("c", 5), job("c", 5)].map((one) =>
        queue.add(one)
      ),
      [true, true, false, true, false, true, false]
    )
  })
})

it("an owner's jobs have less time after some that took all of theirs, for a minute", () => {
  let now = 0
  const trust = new Trust(() => now)
  assert.strictEqual(trust.within("a", 10_000), 10_000)
  for (let n = 0; n < 2; n++) trust.gaveUp("a")
  assert.deepStrictEqual(
    [trust.within("a", 10_000), trust.within("a", 100), trust.within("b", 10_000)],
    [2_500, 100, 10_000]
  )
  for (let n = 0; n < 50; n++) trust.gaveUp("a")
  assert.strictEqual(trust.within("a", 10_000), 500)
  now = 60_001
  assert.strictEqual(trust.within("a", 10_000), 10_000)
})

const live = (name: string, body: Effect.Effect<void, unknown, never>) => it.live(name, () => body, 120_000)
const isAlive = (worker: number) => {
  try {
    return process.kill(worker, 0)
  } catch {
    return false
  }
}
const untilGone = (worker: number) =>
  Effect.sync(() => isAlive(worker)).pipe(
    Effect.repeat({ while: (alive) => alive, schedule: Schedule.spaced("20 millis") })
  )
const pooled = (body: (run: Effect.Success<ReturnType<typeof troubled>>) => Effect.Effect<void, unknown>) =>
  Effect.scoped(Effect.flatMap(troubled(), body))

describe("workers", () => {
  live(
    "answer with what the job answers",
    pooled((run) =>
      Effect.gen(function* () {
        for (const value of values) assert.deepStrictEqual(yield* run("echo", [value]), value)
        const pids = yield* Effect.forEach([1, 2, 3], () => run("pid"), { concurrency: 3 })
        assert.strictEqual(new Set(pids).size, 1)
      })
    )
  )

  live(
    "end a job that takes too long, while another's are done, and go on",
    pooled((run) =>
      Effect.gen(function* () {
        const endless = yield* Effect.forkScoped(run("spin", [], 600_000).pipe(working("hostile")))
        const second = yield* Effect.forkScoped(run("echo", [2]).pipe(working("hostile")))
        assert.strictEqual(yield* run("echo", [1]).pipe(working("friendly")), 1)
        assert.isUndefined(second.pollUnsafe())
        assert.deepStrictEqual(yield* reasonOf(Effect.flip(run("spin", [], 100).pipe(working("other")))), [
          "TookTooLong",
          "time"
        ])
        assert.strictEqual(yield* run("echo", [3]).pipe(working("friendly")), 3)
        assert.isUndefined(endless.pollUnsafe())
        yield* Fiber.interrupt(endless)
      }).pipe(Effect.scoped)
    )
  )

  live(
    "do the next job of whoever had one given up",
    pooled((run) =>
      Effect.gen(function* () {
        const endless = yield* Effect.forkScoped(Effect.flip(run("spin", [], 500)))
        assert.strictEqual(yield* run("echo", [2]), 2)
        assert.strictEqual((yield* Fiber.join(endless))._tag, "TookTooLong")
      }).pipe(Effect.scoped)
    )
  )

  const survived = { hog: "memory", hogBeside: "fault", die: "memory", flood: "memory" }
  for (const [job, reason] of Object.entries(survived))
    live(
      `survive what a job does: ${job}`,
      pooled((run) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* reasonOf(Effect.flip(run(job))), ["TookTooLong", reason])
          assert.strictEqual(yield* run("echo", ["next"]), "next")
        })
      )
    )

  it.live("take another process after a fault, whose message goes nowhere", () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(JSON.stringify(message)))
    return pooled((run) =>
      Effect.gen(function* () {
        const before = yield* run("pid")
        assert.deepStrictEqual(yield* reasonOf(Effect.flip(run("fail", ["what a caller typed"]))), [
          "TookTooLong",
          "fault"
        ])
        assert.deepStrictEqual(yield* reasonOf(Effect.flip(run("toString"))), ["TookTooLong", "fault"])
        assert.notStrictEqual(yield* run("pid"), before)
        assert.include(logged.join(), "working.ts")
        assert.notInclude(logged.join(), "what a caller typed")
      }).pipe(Effect.provide(Logger.layer([logger])))
    )
  })

  live(
    "see nothing but the code",
    pooled((run) =>
      Effect.gen(function* () {
        const { environment, ...files } = (yield* run("sees")) as { readonly environment: ReadonlyArray<string> }
        assert.deepStrictEqual(files as object, { passwords: "refused", project: "refused" })
        // the shell's and the runtime's own
        const own = ["PATH", "PWD", "OLDPWD", "SHLVL", "_", "DENO_NODE_SHIM_ACTIVE"]
        assert.includeMembers(own, [...environment])
      })
    )
  )

  live(
    "have a bound of what waits",
    Effect.gen(function* () {
      const run = yield* troubled({ queue: { jobs: 2, bytes: 1_000, allBytes: 1_000 } })
      const jobs = yield* Effect.forEach([1, 2, 3, 4], (n) => Effect.exit(run("echo", [n])), { concurrency: 4 })
      assert.deepStrictEqual(
        jobs.map(({ _tag }) => _tag),
        ["Success", "Success", "Success", "Failure"]
      )
    }).pipe(Effect.scoped)
  )

  live(
    "end when nobody needed them for as long as they may rest, and are there again for the next job",
    Effect.gen(function* () {
      const run = yield* troubled()
      const first = yield* run("pid")
      yield* untilGone(first as number)
      assert.notStrictEqual(yield* run("pid"), first)
    }).pipe(Effect.scoped, Effect.provideService(WorkersIdle, 100))
  )

  live(
    "end with a service that was killed, also in the middle of a job",
    Effect.gen(function* () {
      const holder = fileURLToPath(new URL("./working.holder.ts", import.meta.url))
      const deno = process.versions["deno"] !== undefined
      const service = spawn(process.execPath, [...(deno ? ["run", "-A"] : []), holder], {
        stdio: ["ignore", "pipe", 2]
      })
      const [said] = yield* Effect.promise(() => once(service.stdout!, "data"))
      const worker = Number(String(said))
      assert.isTrue(isAlive(worker))
      service.kill("SIGKILL")
      yield* untilGone(worker)
    })
  )
})
