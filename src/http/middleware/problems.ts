import { Cause, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import { isSqlError } from "effect/sql/SqlError"
import { UnreadableEvent } from "#engine/codec.ts"
import { passes } from "#ports/passes.ts"
import { fieldErrors, invalidFields, seeDocs } from "#src/api/invalid.ts"
import { Problems } from "#src/api/middleware.ts"
import { bodyOf, Problem, statusOf } from "#src/api/Problem.ts"
import { Labels, requestId } from "../observed/labels.ts"

const invalid = (error: HttpApiSchemaError): Problem => {
  const errors = fieldErrors(error.cause.issue)
  if (errors.some(({ field }) => field === "")) {
    return new Problem({
      code: "validation/invalid_body",
      message: `The request is not what this route takes: ${errors[0]!.message}. Send one JSON object; /docs has its fields.`
    })
  }
  return invalidFields(errors, seeDocs)
}

const defect = new Problem({
  code: "internal/error",
  message:
    "The service failed at this request, and may have done a part of it. Its log has the cause under the request id."
})

const storeAway = new Problem({
  code: "unavailable/store",
  message: "The service can't reach its store at the moment. Send the same request again.",
  retryAfter: 1
})

/** During an upgrade: another process can answer, or this one once it is the newer. */
const newer = new Problem({
  code: "unavailable/store",
  message:
    "This process is older than what was written there by a newer one that runs beside it. Send the same request again.",
  retryAfter: 1
})

/** The answer to the current request that tells a problem. */
export const answering = (problem: Problem) => Effect.map(requestId, (id) => respond(problem, id))

/** The answer that tells a problem. */
export const respond = (problem: Problem, requestId: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(bodyOf(problem, requestId), {
    status: statusOf[problem.code],
    headers: {
      "x-request-id": requestId,
      ...(problem.retryAfter === undefined
        ? {}
        : { "retry-after": String(Math.max(1, Math.ceil(problem.retryAfter))) }),
      ...(problem.code.startsWith("auth/") ? { "www-authenticate": 'Bearer realm="cairn"' } : {})
    }
  })

const problemIn = (cause: Cause.Cause<unknown>): Problem | undefined => {
  for (const reason of cause.reasons) {
    if (reason._tag === "Fail") {
      if (reason.error instanceof Problem) return reason.error
      if (HttpApiSchemaError.is(reason.error)) {
        const { kind } = reason.error
        if (kind !== "Body" && kind !== "ResponseHeaders") return invalid(reason.error)
      }
    }
    if (reason._tag === "Die" && isSqlError(reason.defect) && passes(reason.defect)) return storeAway
    if (reason._tag === "Die" && reason.defect instanceof UnreadableEvent) return newer
  }
  return undefined
}

/** The problem that a failure becomes; what only we can mend is logged. */
export const explained = (cause: Cause.Cause<unknown>): Effect.Effect<Problem> => {
  const problem = problemIn(cause)
  // without the statement's own words, which may quote what a caller sent
  if (problem === storeAway) return Effect.as(Effect.logError("the store did not answer a request"), problem)
  if (problem === newer) return Effect.as(Effect.logError("an event can't be read", cause), problem)
  return problem === undefined ? Effect.as(Effect.logError("a request failed", cause), defect) : Effect.succeed(problem)
}

export const layer = Layer.succeed(Problems, (httpEffect, { endpoint }) =>
  Effect.gen(function* () {
    const id = yield* requestId
    const labels = yield* Labels
    if (labels !== undefined) labels.route = endpoint.path
    return yield* httpEffect.pipe(
      Effect.map((response) => {
        return HttpServerResponse.setHeader(response, "x-request-id", id)
      }),
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
        return Effect.map(explained(cause), (problem) => respond(problem, id)).pipe(
          Effect.annotateLogs({ request_id: id })
        )
      })
    )
  })
)
