import { Context, type Effect, Schema } from "effect"

/**
 * The database has another folder than this service, or is not to be had; `message` is one line that says what to do.
 */
export class NotOurs extends Schema.TaggedError<NotOurs>()("NotOurs", { message: Schema.String }) {}

/**
 * What makes a process one of those that may be on the database: services share it, and whoever puts another folder in
 * the place of theirs has it alone. It is had for as long as the scope lives.
 */
export class Hold extends Context.Service<
  Hold,
  {
    /** Never ends well: fails when the hold was lost and can't be had again. */
    readonly lost: Effect.Effect<never, NotOurs>
  }
>()("cairn/Hold") {}
