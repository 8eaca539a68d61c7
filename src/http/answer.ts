import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import type { Holder } from "#domain/Scope.ts"
import type { Projection } from "#ports/Projection.ts"
import { Caller, Attempt as RequestAttempt } from "#src/api/middleware.ts"
import { fresh } from "#src/ask.ts"
import type { Attempt } from "#src/attempt.ts"
import { actorOf } from "#src/record.ts"
import { problemOf } from "./refusals.ts"

const setHeader = (name: string, value: string) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, name, value))
  )

/** Tells the caller where in the log the write is. */
export const written = (position: number) => setHeader("cairn-position", String(position))

/** Where a read model stands; when it did not catch up with the log in time, the answer says that it is stale. */
export const freshOrStale = (projection: Projection) =>
  fresh(projection).pipe(
    Effect.catchTag("Stale", ({ standing }) => Effect.as(setHeader("cairn-stale", "true"), standing)),
    Effect.mapError(problemOf)
  )

/** The request's write, as `dispatch` takes it. */
export const attempting = Effect.gen(function* () {
  const { commandId, request } = yield* RequestAttempt
  const holder: Holder = yield* Caller
  const attempt: Attempt = { commandId, correlationId: commandId, actor: actorOf(holder), request }
  return attempt
})
