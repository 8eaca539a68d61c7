import { Context, Effect, Latch, Layer } from "effect"

/**
 * Opens when the service has been told to stop, before its server waits for the requests under way: requests that would
 * go on for ever end then.
 */
export class Closing extends Context.Service<Closing, Latch.Latch>()("cairn/Closing") {
  static readonly layer = Layer.effect(Closing, Latch.make())

  /** Build this on top of the layers that must hear of it: scopes close in the opposite order of their building. */
  static readonly announce = Layer.effectDiscard(
    Effect.flatMap(Closing, (latch) => Effect.addFinalizer(() => latch.open))
  )
}
