import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import type { MaxAge } from "#infra/kurrent/retention.ts"
import * as KurrentEventStore from "#infra/kurrent/store.ts"
import { forgetting } from "../engine/EventStore.erasure.ts"
import { freshClient } from "../infra/stores.ts"
import { ProtocolDouble } from "./ProtocolDouble.ts"

/** A store on this server, with the database that is given to it. */
export const storeAt = (url: string, maxAges: ReadonlyArray<MaxAge> = []) =>
  KurrentEventStore.layer(Redacted.make(url), maxAges, forgetting)

/** A double of a version that listens as long as the scope lives. */
export const doubleOf = (version?: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const double = new ProtocolDouble(version)
      await double.start()
      return double
    }),
    (double) => Effect.sync(() => double.stop())
  )

export const startedDouble = doubleOf()

export class Double extends Context.Service<Double, ProtocolDouble>()("test/kurrent/Double") {}

/** A double, and a database of its own for what lies beside it. */
export const doubleAndDatabase = Layer.merge(Layer.effect(Double, startedDouble), freshClient)

/** That the double was asked for nothing that it does not know. */
export const sound = Effect.map(Double, ({ refused }) => assert.deepStrictEqual(refused, []))

/**
 * A store on a double and a database of its own; dies at its end when it has asked the double for anything that it does
 * not know.
 */
export const storeOnDouble = Layer.unwrap(
  Effect.gen(function* () {
    const double = yield* Double
    yield* Effect.addFinalizer(() =>
      double.refused.length === 0
        ? Effect.void
        : Effect.die(new Error(`asked the double for ${double.refused.join(", ")}`))
    )
    return storeAt(double.url)
  })
).pipe(Layer.provideMerge(Layer.merge(doubleAndDatabase, Logger.layer([]))))
