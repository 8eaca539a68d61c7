import { Schema } from "effect"

/**
 * What Cairn stands on can't be used: the database, the log's engine or the index's; `message` is one line that names
 * the variable, the host and the cause, and no secret.
 */
export class EngineUnusable extends Schema.TaggedError<EngineUnusable>()("EngineUnusable", {
  message: Schema.String,
  /** Whether it may pass by itself: it was not reached, or takes nothing now. */
  passes: Schema.Boolean
}) {}
