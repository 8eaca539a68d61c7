import { randomUUID } from "node:crypto"
import { Cause, Effect, Layer, Predicate } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import { isSqlError } from "effect/sql/SqlError"
import { passes } from "#ports/passes.ts"
import { fieldErrors, invalidFields } from "#src/api/invalid.ts"
import { Problems } from "#src/api/middleware.ts"
import { bodyOf, Problem, statusOf } from "#src/api/Problem.ts"

const invalid = (error: HttpApiSchemaError): Problem => {
  const errors = fieldErrors(error.cause.issue)
  if (errors.some(({ message }) => message === "Expected a valid JSON body")) {
    return new Problem({
      code: "validation/invalid_json",
      message: "The body is not valid JSON. Send one JSON object, as UTF-8, with Content-Type: application/json."
    })
  }
  if (errors.some(({ field }) => field === "")) {
    return new Problem({
      code: "validation/invalid_body",
      message: `The request is not what this route takes: ${errors[0]!.message}. Send one JSON object; /docs has its fields.`
    })
  }
  return invalidFields(errors, "See /docs for what is expected.")
}

export const tooLarge = new Problem({
  code: "body/too_large",
  message: "The body is larger than 32 MiB. Send less at once: files one by one, or shorter logs."
})

const isTooLarge = (defect: unknown): boolean => {
  for (let error = defect; Predicate.isObject(error); ) {
    if (Predicate.isTagged(error, "MaxBytesError")) return true
    const { cause, reason } = error as { cause?: unknown; reason?: unknown }
    error = cause ?? reason
  }
  return false
}

const unsupported = new Problem({
  code: "body/unsupported_type",
  message: "The body has a type that this route does not take. Send JSON with Content-Type: application/json."
})

const defect = new Problem({
  code: "internal/error",
  message: "The service failed at this request; nothing was half done. Its log has the cause under the request id."
})

const storeAway = new Problem({
  code: "unavailable/store",
  message: "The service can't reach its store at the moment. Send the same request again.",
  retryAfter: 1
})

/** The answer that says a problem. */
export const respond = (problem: Problem, requestId: string = randomUUID()): HttpServerResponse.HttpServerResponse =>
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
    if (reason._tag === "Die" && isTooLarge(reason.defect)) return tooLarge
    if (reason._tag === "Die" && isSqlError(reason.defect) && passes(reason.defect)) return storeAway
  }
  return undefined
}

/** The problem that a failure is; what only we can mend is logged. */
export const explained = (cause: Cause.Cause<unknown>): Effect.Effect<Problem> => {
  const problem = problemIn(cause)
  // without the statement's own words, which may quote what a caller sent
  if (problem === storeAway) return Effect.as(Effect.logError("the store did not answer a request"), problem)
  return problem === undefined ? Effect.as(Effect.logError("a request failed", cause), defect) : Effect.succeed(problem)
}

/** The id is made for each request, not once for the route. */
export const layer = Layer.succeed(Problems, (httpEffect) =>
  Effect.suspend(() => {
    const requestId = randomUUID()
    return httpEffect.pipe(
      Effect.map((response) => {
        // the platform's own answer to a wrong content type is text
        if (response.status === 415) return respond(unsupported, requestId)
        if (response.status === 413) return respond(tooLarge, requestId)
        return HttpServerResponse.setHeader(response, "x-request-id", requestId)
      }),
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
        return Effect.map(explained(cause), (problem) => respond(problem, requestId)).pipe(
          Effect.annotateLogs({ request_id: requestId })
        )
      })
    )
  })
)
