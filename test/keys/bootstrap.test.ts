import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Asker, fresh } from "#engine/ask.ts"
import { makeProcesses } from "#engine/memory/Claims.ts"
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
        bootstrap(undefined, (key) => Effect.sync(() => void kept.push(key))).pipe(
          Effect.provideService(Claims, next())
        )
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
