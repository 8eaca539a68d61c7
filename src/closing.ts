import { Context, Effect, Latch, Layer } from "effect"

/**
 * Opens when the service has been told to stop, before its server waits for the requests under way: what would go on
 * for ever ends then.
 */
export class Closing extends Context.Service<Closing, Latch.Latch>()("cairn/Closing") {
  static readonly layer = Layer.effect(Closing, Latch.make())

  /** To be built on what has to hear of it: scopes close in the order opposite to that of their building. */
  static readonly announce = Layer.effectDiscard(
    Effect.flatMap(Closing, (latch) => Effect.addFinalizer(() => latch.open))
  )
}
