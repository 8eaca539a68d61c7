import { Context, type Effect, Schema } from "effect"

/** The database belongs to another folder than this service's, or can't be had. `message` is one line: what to do. */
export class NotOurs extends Schema.TaggedError<NotOurs>()("NotOurs", { message: Schema.String }) {}

/**
 * A process's lock on its database, for as long as the scope lives. Services share it; a process that gives the
 * database another folder has it alone.
 */
export class Hold extends Context.Service<
  Hold,
  {
    /** Never succeeds: fails if the hold was lost and can't be taken again. */
    readonly lost: Effect.Effect<never, NotOurs>
  }
>()("cairn/Hold") {}
