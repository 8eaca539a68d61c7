import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import * as Intake from "#infra/postgres/copy/intake.ts"
import * as Source from "#infra/postgres/copy/source.ts"
import { begin } from "#infra/postgres/copy/target.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import { freshClient } from "#test/infra/stores.ts"
import { cutting } from "./cutting.ts"
import { contract } from "./LogIntake.contract.ts"

contract("Postgres", {
  opened: (source, knife) =>
    Effect.gen(function* () {
      const client = yield* Layer.build(freshClient)
      yield* Effect.provide(begin({ secret: "secret", positions: null }, "postgres"), client)
      const sql = yield* Effect.provide(PgClient.PgClient, client)
      const read = Source.layer.pipe(
        Layer.provide(PostgresEventStore.layer),
        Layer.provide(Layer.succeedContext(client))
      )
      const cut = Layer.succeed(PgClient.PgClient, cutting(sql, knife))
      return Layer.fresh(Layer.merge(read, Layer.provide(Intake.layer(source), cut)))
    })
})
