import { Context, type Effect } from "effect"

/** Whoever waits for a call: they may hear how far it is, and may take it back. */
export class Progress extends Context.Service<
  Progress,
  {
    /** Tells how far the call is, in a sentence. */
    readonly tell: (sentence: string) => void
    /**
     * What is to be done when the call is taken back. Whoever only leaves, or loses their connection, takes nothing
     * back.
     */
    readonly whenTaken: (effect: Effect.Effect<void>) => void
  }
>()("cairn/Progress") {}
