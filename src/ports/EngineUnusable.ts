import { Schema } from "effect"

/**
 * Something that Cairn stands on can't be used: the database, the log's engine or the index's. `message` is one line
 * that names the variable, the host and the cause, without a secret.
 */
export class EngineUnusable extends Schema.TaggedError<EngineUnusable>()("EngineUnusable", {
  message: Schema.String,
  /** Whether it may pass by itself: the engine was not reached, or takes nothing now. */
  passes: Schema.Boolean
}) {}
