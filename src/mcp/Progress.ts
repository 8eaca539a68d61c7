import { Context, type Effect } from "effect"

/** The caller that waits for a call: it may hear how far the call is, and may take it back. */
export class Progress extends Context.Service<
  Progress,
  {
    /** Tells how far the call is, in a sentence. */
    readonly tell: (sentence: string) => void
    /**
     * Sets what is done when the call is taken back. A caller that only leaves, or loses its connection, takes nothing
     * back.
     */
    readonly whenTaken: (effect: Effect.Effect<void>) => void
  }
>()("cairn/Progress") {}
