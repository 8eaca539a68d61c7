import { Context, Effect, type Tracer } from "effect"

/** The request that work is done for, as its caller and the operator know it. */
export interface RequestOrigin {
  /** The answer's `X-Request-Id`; `null` if it does not have an id's shape, so that no event has it. */
  readonly requestId: string | null
  /** W3C's `traceparent`, as it came or as this service goes on with it; `null` if nobody traces the request. */
  readonly traceparent: string | null
}

/** The request that is worked for; `undefined` if there is none, or it is no longer known. */
export const Origin = Context.Reference<RequestOrigin | undefined>("cairn/Origin", { defaultValue: () => undefined })

const traceId = /^[\da-f]{32}$/

/** A span as a `traceparent`; `undefined` if there is none, or its trace id does not have W3C's form. */
export const traceparentOf = (span: Tracer.AnySpan | undefined): string | undefined =>
  span !== undefined && traceId.test(span.traceId)
    ? `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
    : undefined

/** The headers that tell other services for which request, and in which trace, they are asked. */
export const handedOn = Effect.withFiber((fiber) => {
  const origin = fiber.getRef(Origin)
  const traceparent = traceparentOf(fiber.cache.span) ?? origin?.traceparent ?? undefined
  return Effect.succeed({
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(origin?.requestId == null ? {} : { "x-request-id": origin.requestId })
  })
})
