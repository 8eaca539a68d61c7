import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, References, Tracer } from "effect"
import { Sampling } from "#ports/Sampling.ts"
import { traced } from "#src/traced.ts"

const caller = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: true })

/** What is made by a tracer, and what span the work was given, which makes one itself. */
const tracing = (kept: boolean | undefined, from?: Tracer.ExternalSpan, inside: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.Span> = []
    const given: Array<Tracer.AnySpan | undefined> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = Tracer.nativeTracer.span(options)
        spans.push(span)
        return span
      }
    })
    yield* traced({ name: "GET", kind: "server", caller: from }, (span) => {
      given.push(span)
      return Effect.andThen(inside, Effect.withSpan(Effect.void, "inside"))
    }).pipe(
      Effect.provideService(Tracer.Tracer, tracer),
      Effect.provideService(References.TracerEnabled, false),
      Effect.provideService(Sampling, kept === undefined ? undefined : () => kept)
    )
    const [span, ...more] = given
    assert.isEmpty(more)
    return { spans, span }
  })

describe("a trace", () => {
  it.effect("that is kept has spans, beginning with this one, and goes on with the caller's", () =>
    Effect.gen(function* () {
      const { spans, span } = yield* tracing(true)
      assert.deepStrictEqual(
        spans.map(({ name, kind, sampled }) => [name, kind, sampled]),
        [
          ["GET", "server", true],
          ["inside", "internal", true]
        ]
      )
      assert.strictEqual(span, spans[0])
      assert.strictEqual(spans[1]!.traceId, spans[0]!.traceId)
      assert.strictEqual(spans[0]!.status._tag, "Ended")
      const further = yield* tracing(true, caller)
      assert.strictEqual(further.span!.traceId, caller.traceId)
    })
  )

  it.effect("that is not kept has none at all: others are told that it is not to be kept", () =>
    Effect.gen(function* () {
      const { spans, span } = yield* tracing(false)
      assert.isEmpty(spans)
      assert.match(span!.traceId, /^[\da-f]{32}$/)
      assert.match(span!.spanId, /^[\da-f]{16}$/)
      assert.isFalse(span!.sampled)
      const further = yield* tracing(false, caller)
      assert.deepStrictEqual([further.span!.traceId, further.span!.sampled], [caller.traceId, false])
      assert.notStrictEqual(further.span!.spanId, caller.spanId)
    })
  )

  it.effect("that is not kept has none either where it begins within one that is", () =>
    Effect.gen(function* () {
      const later: Array<Fiber.Fiber<void>> = []
      const unkept = traced({ name: "run", kind: "consumer", caller: undefined }, () =>
        Effect.withSpan(Effect.void, "inside the run")
      ).pipe(Effect.provideService(Sampling, () => false))
      const { spans } = yield* tracing(
        true,
        undefined,
        Effect.map(Effect.forkDetach(unkept), (fiber) => void later.push(fiber))
      )
      yield* Fiber.join(later[0]!)
      assert.deepStrictEqual(
        spans.map(({ name }) => name),
        ["GET", "inside"]
      )
    })
  )

  it.effect("of a caller is told on where nobody takes traces", () =>
    Effect.gen(function* () {
      const { spans, span } = yield* tracing(undefined, caller)
      assert.isEmpty(spans)
      assert.strictEqual(span, caller)
    })
  )
})
