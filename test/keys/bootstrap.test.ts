import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Asker, fresh, longPatience, Stale, Unreadable } from "#engine/ask.ts"
import { makeProcesses } from "#engine/memory/Claims.ts"
import { beginning, positionOf } from "#engine/Position.ts"
import { Claims, unshared } from "#engine/ports/Claims.ts"
import { organizations } from "#projections/Keys/organizations.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { tool } from "#src/commandLine.ts"
import { bootstrap } from "#src/keys/bootstrap.ts"
import { freshDatabase } from "#test/postgres.ts"
import { registeredOnly } from "#test/service/tenants.ts"

const onDatabase = <A, E>(use: Effect.Effect<A, E, Asker | SqlClient.SqlClient>) =>
  Effect.flatMap(freshDatabase, (databaseUrl) => Effect.provide(use, tool({ dataDir: "/nowhere", databaseUrl })))

it.live("of processes that start at once on a new database one makes the organization, and one keeps its key", () =>
  onDatabase(
    Effect.gen(function* () {
      const kept: Array<string> = []
      const next = makeProcesses()
      const started = Array.from({ length: 5 }, () =>
        bootstrap(undefined, (key) => void kept.push(key)).pipe(Effect.provideService(Claims, next()))
      )
      yield* Effect.all(started, { concurrency: "unbounded" })
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT 1 FROM events WHERE type = 'OrganizationRegistered'`, 1)
      assert.lengthOf(kept, 1)
    }) as Effect.Effect<void, unknown, Asker | SqlClient.SqlClient>
  )
)

it.live("gives slugs to organizations from before there were any, in the order in which they came", () =>
  onDatabase(
    Effect.gen(function* () {
      const ids = [randomUUID(), randomUUID()]
      for (const id of ids) yield* registeredOnly(id, "Acme")
      for (let start = 0; start < 2; start++) yield* Effect.provideService(bootstrap(undefined), Claims, unshared)
      yield* fresh(Keys)
      const known = yield* organizations
      assert.deepStrictEqual(
        known.map(({ id, slug }) => [id, slug]),
        [
          [ids[0], "acme"],
          [ids[1], "acme-2"]
        ]
      )
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT 1 FROM events WHERE type = 'SlugTaken'`, 2)
    }) as Effect.Effect<void, unknown, Asker | SqlClient.SqlClient>
  )
)

/**
 * Keys whose read model has come along so many milliseconds from now; before, a read of them fails in turn with all
 * that it may.
 */
const keysWithin = (milliseconds: number, began: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    const asker = yield* Asker
    let passed = 0
    let asked = 0
    const standing = { position: beginning, changed: beginning, due: positionOf(1) }
    const failures = [
      { after: longPatience, error: new Stale({ name: "keys", standing, away: false }) },
      { after: 0, error: new Stale({ name: "keys", standing, away: true }) },
      { after: 0, error: new Unreadable() }
    ]
    return Asker.of({
      ...asker,
      fresh: () =>
        Effect.suspend(() => {
          if (passed >= milliseconds) return Effect.succeed(standing)
          const { after, error } = failures[asked++ % 3]!
          return Effect.andThen(Deferred.succeed(began, undefined), Effect.sleep(after)).pipe(
            Effect.andThen(Effect.fail(error)),
            Effect.tapError(() => Effect.sync(() => void (passed += after + 200)))
          )
        })
    })
  })

const starting = (within: number) =>
  onDatabase(
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const asker = yield* keysWithin(within, began)
      const start = yield* bootstrap(undefined).pipe(
        Effect.provideService(Asker, asker),
        // a claim in the database would take as long as that likes, on another clock
        Effect.provideService(Claims, unshared),
        Effect.exit,
        Effect.forkChild
      )
      yield* Deferred.await(began)
      for (let second = 0; second < 59; second++) yield* TestClock.adjust("1 second")
      const before = start.pollUnsafe()
      yield* TestClock.adjust("2 seconds")
      return { before, after: yield* Fiber.join(start) }
    }).pipe(Effect.provide(TestClock.layer())) as Effect.Effect<
      { readonly before: unknown; readonly after: { readonly _tag: string } },
      unknown,
      Asker | SqlClient.SqlClient
    >
  )

it.live("a start waits for the keys while their read model or the log is away", () =>
  Effect.map(starting(50_000), ({ after }) => assert.strictEqual(after._tag, "Success"))
)

it.live("a start gives the keys up after a minute, and not before", () =>
  Effect.map(starting(Number.POSITIVE_INFINITY), ({ before, after }) => {
    assert.isUndefined(before)
    assert.include(JSON.stringify(after), "does not catch up")
  })
)
