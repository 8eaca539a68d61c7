import { Context, Effect, type Tracer } from "effect"

/** Which request something is done for, as its caller and the operator know it. */
export interface RequestOrigin {
  /** The answer's `X-Request-Id`; `null`: it was none by its shape, so that no event has it. */
  readonly requestId: string | null
  /** Of W3C's Trace Context, as it came or as this service goes on with it; `null`: nobody traces it. */
  readonly traceparent: string | null
}

/** The request that is being worked for; `undefined`: none, or it is not known any more. */
export const Origin = Context.Reference<RequestOrigin | undefined>("cairn/Origin", { defaultValue: () => undefined })

const traceId = /^[\da-f]{32}$/

/** A span as a `traceparent` tells of it; `undefined`: it is none that anybody else may know. */
export const traceparentOf = (span: Tracer.AnySpan | undefined): string | undefined =>
  span !== undefined && traceId.test(span.traceId)
    ? `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
    : undefined

/** The headers that tell others for which request, and in which trace, they are asked. */
export const handedOn = Effect.withFiber((fiber) => {
  const origin = fiber.getRef(Origin)
  const traceparent = traceparentOf(fiber.cache.span) ?? origin?.traceparent ?? undefined
  return Effect.succeed({
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(origin?.requestId == null ? {} : { "x-request-id": origin.requestId })
  })
})
