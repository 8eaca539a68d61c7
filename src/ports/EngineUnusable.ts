import { Schema } from "effect"

/** An engine that the configuration names can't be used; `message` is one line with the variable, the host and the cause. */
export class EngineUnusable extends Schema.TaggedError<EngineUnusable>()("EngineUnusable", {
  message: Schema.String,
  /** Whether it may pass by itself: it was not reached. */
  passes: Schema.Boolean
}) {}
