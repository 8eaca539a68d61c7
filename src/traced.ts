import { Effect, References, Tracer } from "effect"
import { Hex } from "effect/encoding"
import { Sampling } from "#ports/Sampling.ts"

/** Where a trace begins, or enters the service. */
interface Entry {
  readonly name: string
  readonly kind: "server" | "consumer"
  readonly attributes?: { readonly [name: string]: unknown }
  readonly caller: Tracer.ExternalSpan | undefined
}

/** The span that others are told of a trace that is not kept: it tells them not to keep it either. */
const unkept = (caller: Tracer.ExternalSpan | undefined): Tracer.ExternalSpan =>
  Tracer.externalSpan({ traceId: caller?.traceId ?? Hex.random(32), spanId: Hex.random(16), sampled: false })

/**
 * Does `work` in a trace, and gives it its span. Spans are made only in traces that are kept: a span that nobody sees
 * costs nearly as much as one that is sent. If traces go nowhere, `work` gets the caller's span.
 */
export const traced = <A, E, R>(
  { name, kind, attributes = {}, caller }: Entry,
  work: (span: Tracer.AnySpan | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber<A, E, R>((fiber) => {
    const isKept = fiber.getRef(Sampling)
    if (isKept === undefined) return work(caller)
    const under = (span: Tracer.AnySpan, kept: boolean) =>
      work(span).pipe(
        Effect.provideService(Tracer.ParentSpan, span),
        Effect.provideService(References.TracerEnabled, kept)
      ) as Effect.Effect<A, E, R>
    if (!isKept(caller)) return under(unkept(caller), false)
    const begins = caller === undefined ? { root: true } : { parent: caller }
    return Effect.useSpan(name, { kind, attributes, ...begins }, (span) => under(span, true)).pipe(
      Effect.provideService(References.TracerEnabled, true)
    )
  })
