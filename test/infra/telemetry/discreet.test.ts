import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { discreetly } from "#infra/telemetry/discreet.ts"

/** The one span that is made, by a tracer that keeps it. */
const made = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.Span> = []
    const inner = Tracer.make({
      span: (options) => {
        const span = Tracer.nativeTracer.span(options)
        spans.push(span)
        return span
      }
    })
    yield* Effect.exit(Effect.provideService(effect, Tracer.Tracer, discreetly(inner)))
    assert.lengthOf(spans, 1)
    return spans[0]!
  })

const toldBy = (span: Tracer.Span) =>
  JSON.stringify([span.status, [...span.attributes]], (_, value) =>
    typeof value === "bigint"
      ? String(value)
      : value instanceof Error
        ? [value.name, value.message, value.stack]
        : value
  )

describe("a span", () => {
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
      const span = yield* made(failing)
      assert.strictEqual(span.name, "POST /api/x")
      assert.sameMembers([...span.attributes.keys()], ["http.request.method", "http.route", "db.query.text"])
      assert.lengthOf(String(span.attributes.get("db.query.text")), 300)
      const told = toldBy(span)
      assert.include(told, "TypeError")
      assert.notInclude(told, "hush-hush")
    })
  )

  it.effect("of a request that was answered 5xx says that it failed, and of others not", () =>
    Effect.gen(function* () {
      const answered = (status: number) =>
        made(
          Effect.void.pipe(
            Effect.withSpan("GET", { kind: "server", attributes: { "http.response.status_code": status } })
          )
        )
      const exits = yield* Effect.forEach([200, 404, 503], (status) =>
        Effect.map(answered(status), (span) => span.status._tag === "Ended" && span.status.exit._tag)
      )
      assert.deepStrictEqual(exits, ["Success", "Success", "Failure"])
      assert.include(toldBy(yield* answered(503)), '"503"')
    })
  )
})
