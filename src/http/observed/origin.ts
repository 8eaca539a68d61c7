import { randomUUID } from "node:crypto"
import type { Tracer } from "effect"
import type { Headers } from "effect/http/Headers"
import type { RequestIdentity } from "#engine/Event.ts"
import { type RequestOrigin, traceparentOf } from "#ports/Origin.ts"

/**
 * What a caller may call a request: it stands in the log and in headers, also of what the model is asked. No key of
 * ours.
 */
const fine = /^(?!.*cairn_live_)[\w.:~-]{1,128}$/

/**
 * An id by its shape: hexadecimal digits (a UUID, nginx's) or a ULID. Events are never erased, so nothing that may be
 * words goes into one.
 */
const anId = /^(?=.*\d)[\dA-Fa-f-]{16,64}$|^[0-7][\dA-HJKMNP-TV-Z]{25}$/

/** Which request it is, as its caller has called it, and under which span it is worked for. */
export const originOf = (headers: Headers, span: Tracer.AnySpan | undefined): RequestOrigin => {
  const given = headers["x-request-id"] ?? ""
  return { requestId: fine.test(given) ? given : randomUUID(), traceparent: traceparentOf(span) ?? null }
}

/** What of it goes into an event. */
export const inEvent = (identity: RequestIdentity, { requestId, traceparent }: RequestOrigin): RequestIdentity => ({
  ...identity,
  ...(requestId !== null && anId.test(requestId) ? { id: requestId } : {}),
  ...(traceparent === null ? {} : { traceparent })
})
