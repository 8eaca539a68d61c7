import { Context, type Effect, Schema } from "effect"

/** Requests can't be counted at the moment. A request must wait, or it might be one too many. */
export class CountsUnavailable extends Schema.TaggedError<CountsUnavailable>()("CountsUnavailable", {
  message: Schema.String
}) {}

/** Requests of the last minute by name, over all processes that share the counts. */
export class RequestCounts extends Context.Service<
  RequestCounts,
  {
    /**
     * Counts a request, unless `limit` requests of its name were counted in the last 60 seconds. Gives 0 if it was
     * counted, else the milliseconds until one more may be, from 1 to 61,000. `limit` is a whole number, 1 or more.
     */
    readonly count: (name: string, limit: number) => Effect.Effect<number, CountsUnavailable>
  }
>()("cairn/RequestCounts") {}
