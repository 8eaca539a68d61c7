import { Schema } from "effect"

/**
 * What an adapter stands on can't be used at the start; `message` is one line that names the variable, the host and the
 * cause, and no secret.
 */
export class EngineUnusable extends Schema.TaggedError<EngineUnusable>()("EngineUnusable", {
  message: Schema.String,
  /** Whether it may pass by itself: it was not reached. */
  passes: Schema.Boolean
}) {}
