import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import * as Belonging from "#infra/kurrent/belonging.ts"
import { Kurrent } from "#infra/kurrent/client.ts"
import * as Intake from "#infra/kurrent/copy/intake.ts"
import * as Source from "#infra/kurrent/copy/source.ts"
import * as KurrentEventStore from "#infra/kurrent/layer.ts"
import * as KurrentTexts from "#infra/kurrent/texts.ts"
import { begin } from "#infra/postgres/copy/target.ts"
import { freshClient } from "#test/infra/stores.ts"
import { startedDouble } from "#test/kurrent/stores.ts"
import { cutting, step } from "./cutting.ts"
import { contract, type Knife } from "./LogIntake.contract.ts"

const cuttingCalls = ({ append, readStream, ...kurrent }: Kurrent["Service"], knife: Knife): Kurrent["Service"] => ({
  ...kurrent,
  append: (...given) => step(append(...given), knife),
  readStream: (...given) => step(readStream(...given), knife)
})

contract("KurrentDB, a double of its protocol", {
  opened: (_source, knife) =>
    Effect.gen(function* () {
      const double = yield* startedDouble
      yield* Effect.addFinalizer(() => Effect.sync(() => assert.deepStrictEqual(double.refused, [])))
      const client = yield* Layer.build(freshClient)
      yield* Effect.provide(begin({ secret: "secret", positions: "abcd" }, "kurrentdb"), client)
      const given = Layer.succeedContext(client)
      const log = yield* Layer.build(
        Layer.provideMerge(Belonging.layer, Layer.merge(given, Kurrent.layer(Redacted.make(double.url))))
      )
      const read = Source.layer.pipe(
        Layer.provide(KurrentEventStore.layer),
        Layer.provide(Layer.succeedContext(log)),
        Layer.provide(given)
      )
      const sql = cutting(Context.get(client, PgClient.PgClient), knife)
      const cut = Layer.mergeAll(
        Layer.succeedContext(log),
        Layer.succeed(PgClient.PgClient, sql),
        Layer.succeed(Kurrent, cuttingCalls(Context.get(log, Kurrent), knife))
      )
      const taking = Intake.layer.pipe(Layer.provide(KurrentTexts.layer), Layer.provide(cut))
      return Layer.fresh(Layer.merge(read, taking)).pipe(Layer.provide(Logger.layer([])))
    })
})
