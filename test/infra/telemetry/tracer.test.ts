import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { discreetly } from "#infra/telemetry/tracer.ts"

/** A tracer that keeps what is made, and what each span has ended with. */
const keeping = () => {
  const spans: Array<Tracer.Span> = []
  const inner = Tracer.make({
    span: (options) => {
      const span = Tracer.nativeTracer.span(options)
      spans.push(span)
      return span
    }
  })
  return { spans, inner }
}

const external = (sampled: boolean) => Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16), sampled })

const made = (sampling: { byParent: boolean; ratio: number }, effect: Effect.Effect<unknown, unknown>, random = 0.5) =>
  Effect.gen(function* () {
    const { spans, inner } = keeping()
    yield* Effect.exit(
      Effect.provideService(
        effect,
        Tracer.Tracer,
        discreetly(inner, sampling, () => random)
      )
    )
    return spans
  })

const request = (parent?: Tracer.AnySpan) =>
  Effect.void.pipe(
    Effect.withSpan("inside"),
    Effect.withSpan("GET", { kind: "server", ...(parent === undefined ? {} : { parent }) })
  )

describe("a trace", () => {
  it.effect("is sampled by its share, whole or not at all", () =>
    Effect.gen(function* () {
      assert.lengthOf(yield* made({ byParent: true, ratio: 0.6 }, request()), 2)
      assert.lengthOf(yield* made({ byParent: true, ratio: 0.4 }, request()), 0)
    })
  )

  it.effect("of a caller is sampled as the caller's, unless that is not to count", () =>
    Effect.gen(function* () {
      assert.lengthOf(yield* made({ byParent: true, ratio: 0 }, request(external(true))), 2)
      assert.lengthOf(yield* made({ byParent: true, ratio: 1 }, request(external(false))), 0)
      assert.lengthOf(yield* made({ byParent: false, ratio: 0 }, request(external(true))), 0)
    })
  )

  it.effect("begins with a request or a run, and with nothing else", () =>
    Effect.gen(function* () {
      assert.lengthOf(yield* made({ byParent: true, ratio: 1 }, Effect.withSpan(Effect.void, "postgres")), 0)
      const run = Effect.withSpan(Effect.void, "run", { kind: "consumer" })
      assert.lengthOf(yield* made({ byParent: true, ratio: 1 }, run), 1)
    })
  )

  it.effect("has no word of a caller: of attributes those that are known, of failures their names", () =>
    Effect.gen(function* () {
      const failing = Effect.die(new TypeError("hush-hush")).pipe(
        Effect.withSpan("POST", {
          kind: "server",
          attributes: {
            "url.full": "http://hush-hush/",
            "url.query": "q=hush-hush",
            "user_agent.original": "hush-hush",
            "http.request.method": "POST",
            "http.route": "/api/x",
            "db.query.text": "SELECT ".repeat(100)
          }
        })
      )
      const [span] = yield* made({ byParent: true, ratio: 1 }, failing)
      assert.strictEqual(span!.name, "POST /api/x")
      assert.sameMembers([...span!.attributes.keys()], ["http.request.method", "http.route", "db.query.text"])
      assert.lengthOf(String(span!.attributes.get("db.query.text")), 300)
      const told = JSON.stringify([span!.status, [...span!.attributes]], (_, value) =>
        typeof value === "bigint"
          ? String(value)
          : value instanceof Error
            ? [value.name, value.message, value.stack]
            : value
      )
      assert.include(told, "TypeError")
      assert.notInclude(told, "hush-hush")
    })
  )
})
