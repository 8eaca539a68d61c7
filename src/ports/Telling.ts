import { Context, type Effect, type PubSub, type Scope } from "effect"

/** What processes on a database say to each other; one that is alone says and hears nothing. */
export class Telling extends Context.Service<
  Telling,
  {
    /**
     * Says a text to all others, of at most 7,000 bytes, about something that has a name without spaces. It may be
     * lost.
     */
    readonly tell: (about: string, text: string) => Effect.Effect<void>
    /** What others say about it, from now on; the last 64 wait for a slow subscriber. */
    readonly told: (about: string) => Effect.Effect<PubSub.Subscription<string>, never, Scope.Scope>
  }
>()("cairn/Telling") {}
