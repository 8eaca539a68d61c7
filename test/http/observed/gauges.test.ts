import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { Asker, Unreadable } from "#engine/ask.ts"
import { LeftOut } from "#engine/leftOut.ts"
import { positionOf } from "#engine/Position.ts"
import { Projector } from "#engine/project.ts"
import { Reacting, type ReactionProgress } from "#engine/reacting.ts"
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

/** A service of which a test says what its database does, and how far its read models are. */
const world = (
  database: { report: Effect.Effect<Report>; connections: Effect.Effect<Connections, unknown> },
  look: Asker["Service"]["look"] = Effect.fail(new Unreadable()),
  failures: ReadonlyMap<string, string> = new Map()
) =>
  Layer.mergeAll(
    Layer.mock(Asker, { look }),
    Layer.mock(Projector, { moved: undefined as never, failures: Effect.succeed(failures) }),
    Layer.mock(Indexing, {
      size: Effect.succeed(3),
      leftOut: Effect.succeed(new Map([["a snippet", "refused" as const]])),
      position: Effect.succeed(6)
    }),
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
      assert.deepStrictEqual([yield* value(M.chats("running")), yield* value(M.chats("waiting"))], [2, 1])
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

  it.effect("says of each read model and reaction how far it is behind, and whether it stands still", () => {
    const database = { report: Effect.succeed(fine), connections: Effect.fail("away") }
    const standing = (position: number, due: number, changed = position) => ({
      position: positionOf(position),
      changed: positionOf(changed),
      due: positionOf(due)
    })
    const models = new Map([
      ["behind_v1", standing(5, 9)],
      ["stuck_v2", standing(2, 9)],
      // what it has passed concerned it no more than what comes behind it
      ["snippets_v3", standing(20, 9, 16)]
    ])
    const look = Effect.succeed({ head: positionOf(20), models, away: false })
    const reacting = new Map<string, () => ReactionProgress>([
      ["moves", () => ({ lag: 4, fault: undefined })],
      ["stands", () => ({ lag: 7, fault: "gone" })]
    ])
    const left = [{ position: positionOf(3), before: positionOf(2), stream: "s" }]
    return Effect.gen(function* () {
      const undone = yield* LeftOut
      undone.set("moves", left)
      yield* yield* makeLook({ memoryLimit: 1, dataDir: "/" })
      for (const [name, lag, failing] of [
        ["behind_v1", 4, 0],
        ["stuck_v2", 7, 1],
        ["snippets_v3", 0, 0]
      ] as const)
        assert.deepStrictEqual(
          [yield* value(M.readModelLag(name)), yield* value(M.readModelFailing(name))],
          [lag, failing],
          name
        )
      for (const [name, lag, failing, leftOut] of [
        ["moves", 4, 0, 1],
        ["stands", 7, 1, 0]
      ] as const)
        assert.deepStrictEqual(
          [
            yield* value(M.reactionLag(name)),
            yield* value(M.reactionFailing(name)),
            yield* value(M.reactionLeftOut(name))
          ],
          [lag, failing, leftOut],
          name
        )
      assert.deepStrictEqual([yield* value(M.indexLag()), yield* value(M.indexLeftOut())], [10, 1])
    }).pipe(
      Effect.provideService(Reacting, reacting),
      Effect.provide(world(database, look, new Map([["stuck_v2", "why"]]))),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  })
})
