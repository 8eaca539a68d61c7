import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { Asker } from "#engine/ask.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { claimOf } from "#engine/project.ts"
import * as Postgres from "#infra/postgres/client.ts"
import * as PostgresHold from "#infra/postgres/hold.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { tool } from "#src/commandLine.ts"
import { registerOrganization } from "#src/keys/bootstrap.ts"
import { freshDatabase } from "#test/postgres.ts"

it.live("the command line on a named database moves on what no service has claimed, and nothing else", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    // a service that has the read model of the keys, and does not move it on just now
    const hold = Layer.provideMerge(
      PostgresHold.shared(() => Effect.void),
      Postgres.layer(databaseUrl, { connections: 1 })
    )
    const service = yield* Layer.build(Layer.fresh(hold))
    const claims = yield* Scope.fork(yield* Effect.scope)
    const { claim } = yield* Effect.provideContext(Claims, service)
    yield* Scope.provide(claim(claimOf(Keys)), claims)

    yield* Effect.gen(function* () {
      yield* registerOrganization({ name: "Acme", tier: "FREE", ownerEmail: "a@example.org" })
      const { fresh } = yield* Asker
      // a second, as the command line's reads do: one that moved it on would be done long before
      assert.strictEqual((yield* Effect.flip(fresh(Keys)))._tag, "Stale")
      yield* Scope.close(claims, Exit.void)
      yield* fresh(Keys, 60_000)
    }).pipe(Effect.provide(tool({ dataDir: "/nowhere", databaseUrl })))
    // it has kept no service away, and leaves nothing behind
    yield* claim(claimOf(Keys))
  })
)
