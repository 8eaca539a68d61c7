import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { Asker, Unreadable } from "#engine/ask.ts"
import { LeftOut } from "#engine/leftOut.ts"
import { Projector } from "#engine/project.ts"
import { CountedCache } from "#ports/CountedCache.ts"
import { type Connections, DatabaseLook } from "#ports/DatabaseLook.ts"
import { DiskSpace } from "#ports/DiskSpace.ts"
import * as M from "#ports/metrics.ts"
import { type Disk, type DiskStanding, Disks } from "#src/disks.ts"
import { Answers } from "#src/http/answers.ts"
import { makeLook } from "#src/http/observed/gauges.ts"
import { Readiness, type Report } from "#src/http/ready.ts"
import { Indexing } from "#src/snippets/indexing.ts"
import { Runs } from "#src/workspaces/queue.ts"

const fine: Report = {
  status: "ready",
  read_models: {},
  reactions: {},
  missing: [],
  nearly_full: [],
  left_out: { count: 0, snippets: [], streams: [] }
}

const reserve = { refuse: 10, resume: 12 }
const standings = new Map<Disk, DiskStanding>([
  ["database", { free: 9, reserve, nearlyFull: true }],
  ["workspaces", { free: 10, reserve, nearlyFull: false }]
])

/** A service of which a test says what its database does. */
const world = (database: { report: Effect.Effect<Report>; connections: Effect.Effect<Connections, unknown> }) =>
  Layer.mergeAll(
    Layer.mock(Asker, { look: Effect.fail(new Unreadable()) }),
    Layer.mock(Projector, { moved: undefined as never, failures: Effect.succeed(new Map()) }),
    Layer.mock(Indexing, { size: Effect.succeed(3), leftOut: Effect.succeed(new Map()) }),
    Layer.mock(Runs, { counts: Effect.succeed({ running: 2, waiting: 1 }) }),
    Layer.mock(Answers, { sent: (_, response) => response, held: () => 0, waiting: () => 0 }),
    Layer.mock(Readiness, { look: Effect.suspend(() => database.report), projections: [] }),
    Layer.mock(DatabaseLook, { connections: Effect.suspend(() => database.connections) }),
    LeftOut.layer,
    Layer.succeed(DiskSpace, { of: (folder) => Effect.succeed(folder === "/ours" ? { free: 3, size: 5 } : undefined) }),
    Layer.succeed(Disks, () => standings)
  )

const value = (gauge: Metric.Gauge<number>) => Effect.map(Metric.value(gauge), (state) => state.value)

describe("a look at the process", () => {
  it.effect("is not held up by a database that says nothing: it is missing then, and all else is told", () => {
    const database = {
      report: Effect.never as Effect.Effect<Report>,
      connections: Effect.never as Effect.Effect<Connections, unknown>
    }
    return Effect.gen(function* () {
      const look = yield* makeLook({ memoryLimit: 1, dataDir: "/" })
      const looking = yield* Effect.forkChild(look)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(looking)
      assert.strictEqual(yield* value(M.missing("database")), 1)
      assert.strictEqual(yield* value(M.databaseSeconds()), 2)
      assert.strictEqual(yield* value(M.chats("running")), 2)
      assert.strictEqual(yield* value(M.indexSnippets()), 3)

      // it takes requests, and the pool has no connection for this one
      database.report = Effect.succeed(fine)
      const again = yield* Effect.forkChild(look)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(again)
      assert.deepStrictEqual([yield* value(M.missing("database")), yield* value(M.databaseSeconds())], [0, 2])

      database.connections = Effect.succeed({ active: 4, idle: 5, in_transaction: 6 })
      yield* look
      assert.isBelow(yield* value(M.databaseSeconds()), 2)
      for (const [state, count] of [
        ["active", 4],
        ["idle", 5],
        ["in_transaction", 6]
      ] as const)
        assert.strictEqual(yield* value(M.connections(state)), count)
    }).pipe(Effect.provide(world(database)), Effect.provideService(Metric.MetricRegistry, new Map()))
  })

  it.effect("counts on what its caches had and had not, and says how much room the disk has", () => {
    const database = { report: Effect.succeed(fine), connections: Effect.fail("away") }
    const cache = new CountedCache<string>("of a test", { max: 2 })
    const lookups = (outcome: string) =>
      Effect.map(Metric.value(M.cacheLookups("of a test", outcome)), ({ count }) => Number(count))
    return Effect.gen(function* () {
      const look = yield* makeLook({ memoryLimit: 1, dataDir: "/ours" })
      yield* look
      assert.deepStrictEqual([yield* lookups("hit"), yield* lookups("miss")], [0, 0])
      for (const key of ["a", "b", "c"]) {
        cache.get(key)
        cache.set(key, key)
        cache.get(key)
        cache.get(key)
        yield* look
      }
      assert.deepStrictEqual([yield* lookups("hit"), yield* lookups("miss")], [6, 3])
      assert.strictEqual(yield* value(M.cacheEntries("of a test")), 2)
      assert.deepStrictEqual([yield* value(M.disk("free")), yield* value(M.disk("size"))], [3, 5])
      const full = [yield* value(M.diskNearlyFull("database")), yield* value(M.diskNearlyFull("workspaces"))]
      assert.deepStrictEqual(full, [1, 0])
    }).pipe(Effect.provide(world(database)), Effect.provideService(Metric.MetricRegistry, new Map()))
  })
})
