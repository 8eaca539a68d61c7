import { Effect } from "effect"
import type { Caller } from "#src/api/middleware.ts"
import { Rate } from "#src/api/middleware.ts"
import type { Problem } from "#src/api/Problem.ts"

/** Counts a request of the caller's key in the class of a route; fails when it is one too many. */
export const rated = (path: string): Effect.Effect<void, Problem, Rate | Caller> =>
  Effect.flatMap(
    Rate,
    // the middleware of the routes, around nothing: of the endpoint it looks at the path only
    (rate) => rate(Effect.void as never, { endpoint: { path } as never, group: undefined as never }) as never
  )
