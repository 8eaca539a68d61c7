import { Effect, Layer, Redacted } from "effect"
import * as Belonging from "#infra/kurrent/belonging.ts"
import { Kurrent } from "#infra/kurrent/client.ts"
import * as KurrentEventStore from "#infra/kurrent/layer.ts"
import { freshClient } from "../infra/stores.ts"
import { ProtocolDouble } from "./ProtocolDouble.ts"

/** A store on this server, with the database that is given to it. */
export const storeAt = (url: string) =>
  KurrentEventStore.layer.pipe(
    Layer.provideMerge(Belonging.layer),
    Layer.provideMerge(Kurrent.layer(Redacted.make(url)))
  )

/** A double that listens as long as the scope lives. */
export const startedDouble = Effect.acquireRelease(
  Effect.promise(async () => {
    const double = new ProtocolDouble()
    await double.start()
    return double
  }),
  (double) => Effect.sync(() => double.stop())
)

/** A store on a double and a database of its own; dies when it has asked the double for anything that that does not know. */
export const storeOnDouble = Layer.unwrap(
  Effect.gen(function* () {
    const double = yield* startedDouble
    yield* Effect.addFinalizer(() =>
      double.refused.length === 0
        ? Effect.void
        : Effect.die(new Error(`asked the double for ${double.refused.join(", ")}`))
    )
    return storeAt(double.url)
  })
).pipe(Layer.provideMerge(freshClient))
