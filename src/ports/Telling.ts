import { Context, type Effect, type PubSub, type Scope } from "effect"

/** Messages between the processes on a database; a process that is alone tells and hears nothing. */
export class Telling extends Context.Service<
  Telling,
  {
    /**
     * Tells all others a text of at most 7,000 bytes, about something that has a name without spaces. It may be lost.
     */
    readonly tell: (about: string, text: string) => Effect.Effect<void>
    /** What others tell about something, from now on; the last 64 wait for a slow subscriber. */
    readonly told: (about: string) => Effect.Effect<PubSub.Subscription<string>, never, Scope.Scope>
  }
>()("cairn/Telling") {}
