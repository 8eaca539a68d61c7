import type { RequestIdentity } from "#engine/Event.ts"

/** The request that an event came from, as it is shown: its id, and the trace that it was part of. */
export const requestIn = (request: RequestIdentity | null) => ({
  request_id: request?.id ?? null,
  trace_id: request?.traceparent?.split("-")[1] ?? null
})
