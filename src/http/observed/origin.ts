import { randomUUID } from "node:crypto"
import type { Tracer } from "effect"
import type { Headers } from "effect/http/Headers"
import type { RequestIdentity } from "#engine/Event.ts"
import { type RequestOrigin, traceparentOf } from "#ports/Origin.ts"

/**
 * What a caller may call a request. The name goes into the log's lines and headers, also of requests to models, so it
 * must not be a key of ours.
 */
const fine = /^(?!.*cairn_live_)[\w.:~-]{1,128}$/

/**
 * An id by its shape: hexadecimal digits (a UUID, nginx's) or a ULID. Events are never erased, so nothing that may be
 * words goes into one.
 */
const anId = /^(?=.*\d)[\dA-Fa-f-]{16,64}$|^[0-7][\dA-HJKMNP-TV-Z]{25}$/

/** The request's id (the caller's, if it is fine), and the span under which the service works for it. */
export const originOf = (headers: Headers, span: Tracer.AnySpan | undefined): RequestOrigin => {
  const given = headers["x-request-id"] ?? ""
  return { requestId: fine.test(given) ? given : randomUUID(), traceparent: traceparentOf(span) ?? null }
}

/** The request's identity, with what of its origin goes into an event. */
export const inEvent = (identity: RequestIdentity, { requestId, traceparent }: RequestOrigin): RequestIdentity => ({
  ...identity,
  ...(requestId !== null && anId.test(requestId) ? { id: requestId } : {}),
  ...(traceparent === null ? {} : { traceparent })
})
