import { Schema } from "effect"

/**
 * A job was given up: it took all of its time, or more memory than a worker has, or its code threw. The same job would
 * end so again.
 */
export class TookTooLong extends Schema.TaggedError<TookTooLong>()("TookTooLong", {
  job: Schema.String,
  reason: Schema.Literals(["time", "memory", "fault"])
}) {}

/** Too many jobs of this caller wait already: nothing is wrong with this one, which may be tried again later. */
export class TooMuchWaits extends Schema.TaggedError<TooMuchWaits>()("TooMuchWaits", { job: Schema.String }) {}
