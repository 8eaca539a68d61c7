import { Schema } from "effect"

/**
 * A job was given up: it ran out of time, needed more memory than a worker has, or its code threw. The same job would
 * end the same way.
 */
export class TookTooLong extends Schema.TaggedError<TookTooLong>()("TookTooLong", {
  job: Schema.String,
  reason: Schema.Literals(["time", "memory", "fault"])
}) {}

/** Too many jobs of this caller wait already. Nothing is wrong with this job, which may be tried again later. */
export class TooMuchWaits extends Schema.TaggedError<TooMuchWaits>()("TooMuchWaits", { job: Schema.String }) {}
