import { Context, type Effect, Schema } from "effect"

/** Requests can't be counted at the moment: one must wait, or it might be one too many. */
export class CountsUnavailable extends Schema.TaggedError<CountsUnavailable>()("CountsUnavailable", {
  message: Schema.String
}) {}

/** Requests of the last minute by name, over all processes that share what they are counted in. */
export class RequestCounts extends Context.Service<
  RequestCounts,
  {
    /**
     * Counts a request, unless as many as `limit` of its name were counted in the last 60 seconds. `0`: it is counted;
     * else the milliseconds after which one more may be, from 1 to 61,000. A limit is a whole number, 1 or more.
     */
    readonly count: (name: string, limit: number) => Effect.Effect<number, CountsUnavailable>
  }
>()("cairn/RequestCounts") {}
