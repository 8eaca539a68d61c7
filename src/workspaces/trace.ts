import { Effect, Option } from "effect"
import { Headers, HttpTraceContext } from "effect/http"
import type { RequestIdentity } from "#engine/Event.ts"
import { Origin, type RequestOrigin } from "#ports/Origin.ts"
import { traced } from "#src/traced.ts"

/**
 * The request that asked for a run, from the run's event: the process that carries the run may be another, later one.
 */
const originIn = (request: RequestIdentity | null): RequestOrigin | undefined =>
  request?.id === undefined && request?.traceparent === undefined
    ? undefined
    : { requestId: request.id ?? null, traceparent: request.traceparent ?? null }

/** Carries a run on in the trace of the request that asked for it, and names that request in the log's lines. */
export const underTrace =
  (run: string, request: RequestIdentity | null) =>
  <A, E, R>(carrying: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const origin = originIn(request)
    const traceparent = origin?.traceparent ?? ""
    const caller = Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromInput({ traceparent })))
    const entry = { name: "run", kind: "consumer", attributes: { "cairn.run.id": run }, caller } as const
    return traced(entry, () => Effect.provideService(carrying, Origin, origin))
  }
