import { Effect } from "effect"
import { RequestCounts } from "#ports/RequestCounts.ts"
import { Problem } from "#src/api/Problem.ts"

const unavailable = new Problem({
  code: "unavailable/store",
  message: "The service can't reach its store at the moment. Send the same request again.",
  retryAfter: 1
})

/** Counts a request under a name, or fails when it is one too many; without a limit nothing is counted. */
export const counting = Effect.map(
  RequestCounts,
  ({ count }) =>
    (name: string, limit: number): Effect.Effect<void, Problem> => {
      if (limit === Number.POSITIVE_INFINITY) return Effect.void
      return Effect.flatMap(
        Effect.mapError(count(name, limit), () => unavailable),
        (wait) => {
          if (wait === 0) return Effect.void
          const retryAfter = Math.max(1, Math.ceil(wait / 1000))
          return new Problem({
            code: "rate_limit/exceeded",
            message: `More than ${limit} requests of this kind in the last minute. Wait ${retryAfter} s, or ask the operator for a higher CAIRN_RATE_LIMITS.`,
            retryAfter
          })
        }
      )
    }
)
