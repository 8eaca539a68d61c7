import { Cause, Effect, Exit, Option, type Tracer } from "effect"
import { HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"
import { requestSeconds, requests, requestsOpen } from "#ports/metrics.ts"
import { Origin } from "#ports/Origin.ts"
import { traced } from "#src/traced.ts"
import { left, type RequestHistory } from "./history.ts"
import { Labels, type RequestLabels } from "./labels.ts"
import { originOf } from "./origin.ts"

const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
/** Asked every few seconds by whoever watches. */
const often = new Set(["/health", "/ready"])

type Answer = HttpServerResponse.HttpServerResponse

const statusOf = (exit: Exit.Exit<Answer, unknown>): number => {
  if (Exit.isSuccess(exit)) return exit.value.status
  return Cause.hasInterrupts(exit.cause) ? left : 500
}

/**
 * Wraps everything: gives a request its id, logs how it was answered, and counts it (in the history, and in metrics if
 * somebody watches). A line has the route's pattern and not the path, which has callers' words.
 */
export const observed =
  (counted: boolean, history: RequestHistory["Service"]) =>
  <E, R>(app: Effect.Effect<Answer, E, R>): Effect.Effect<Answer, E, R | HttpServerRequest.HttpServerRequest> =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const answered = (span: Tracer.AnySpan | undefined) =>
        Effect.withFiber<Answer, E, R>((fiber) => {
          const { context } = fiber
          const began = performance.now()
          const labels: RequestLabels = { route: "other", key: undefined }
          const origin = originOf(request.headers, span)
          if (counted) requestsOpen().modifyUnsafe(1, context)
          const ended = (exit: Exit.Exit<Answer, E>) => {
            const method = methods.has(request.method) ? request.method : "other"
            const status = statusOf(exit)
            const took = performance.now() - began
            const { route, key } = labels
            if (counted) {
              requestsOpen().modifyUnsafe(-1, context)
              requests(method, route, String(status)).updateUnsafe(1, context)
              requestSeconds(route).updateUnsafe(took / 1000, context)
            }
            if (span?._tag === "Span") span.attribute("http.response.status_code", status)
            if (!often.has(route)) history.count(status, Date.now())
            const line = often.has(route) && status < 300 ? Effect.logDebug("request") : Effect.logInfo("request")
            return Effect.annotateLogs(Effect.provideService(line, Origin, origin), {
              method,
              route,
              status,
              duration_ms: Math.round(took * 10) / 10,
              ...(key === undefined ? {} : { key })
            })
          }
          return app.pipe(
            Effect.provideService(Labels, labels),
            Effect.provideService(Origin, origin),
            Effect.onExit(ended)
          )
        })
      const { method } = request
      const caller = Option.getOrUndefined(HttpTraceContext.w3c(request.headers))
      return traced({ name: method, kind: "server", attributes: { "http.request.method": method }, caller }, answered)
    })
