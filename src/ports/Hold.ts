import { Context, type Effect, Schema } from "effect"

/** The database has another service, or another folder, than this one; `message` is one line that says what to do. */
export class NotOurs extends Schema.TaggedError<NotOurs>()("NotOurs", { message: Schema.String }) {}

/**
 * What makes a service the only one on its database: whoever has it may resume runs and carry out erasures. It is had
 * for as long as the scope lives.
 */
export class Hold extends Context.Service<
  Hold,
  {
    /** Never ends well: fails when the hold was lost and another service has it by now. */
    readonly lost: Effect.Effect<never, NotOurs>
  }
>()("cairn/Hold") {}
