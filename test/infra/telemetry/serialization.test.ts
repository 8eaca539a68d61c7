import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { HttpBody } from "effect/http"
import { type OtlpLogger, type OtlpResource, OtlpSerialization, type OtlpTracer } from "effect/observability"
import { layerProtobuf } from "#infra/telemetry/serialization.ts"

/** What is sent of it, by ours and by Effect's own. */
const both = (write: (by: OtlpSerialization.OtlpSerialization["Service"]) => HttpBody.HttpBody) => {
  const sent = Effect.map(OtlpSerialization.OtlpSerialization, (by) => {
    const { body, contentType } = write(by) as HttpBody.Uint8Array
    return { contentType, bytes: Buffer.from(body).toString("hex") }
  })
  return Effect.all([Effect.provide(sent, layerProtobuf), Effect.provide(sent, OtlpSerialization.layerProtobuf)])
}

const texts = ["", "a", "ä", "日本 𝒳 text", "x".repeat(127), "x".repeat(128), "é".repeat(9_000), "a".repeat(20_000)]
const values: ReadonlyArray<OtlpResource.AnyValue> = [
  ...texts.map((stringValue) => ({ stringValue })),
  ...[true, false].map((boolValue) => ({ boolValue })),
  ...[0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER, -1, -300, "9007199254740993"].map(
    (intValue) => ({ intValue })
  ),
  ...[0, 1.5, -1e300, Number.POSITIVE_INFINITY].map((doubleValue) => ({ doubleValue })),
  { bytesValue: new Uint8Array([1, 2, 255]) },
  { arrayValue: { values: [{ stringValue: "one" }, { intValue: 2 }] } },
  { kvlistValue: { values: [{ key: "within", value: { stringValue: "z".repeat(200) } }] } },
  {}
]
const attributes = values.map((value, n) => ({ key: `key.${n}`, value }))
const resource = { attributes: attributes.slice(0, 3), droppedAttributesCount: 2 }
const scope = { name: "effect", version: "4" }
const time = "1795678901234567891"
const [trace, parent, id] = ["0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7", "b7ad6b7169203331"]

type ScopeLogs = OtlpLogger.LogsData["resourceLogs"][number]["scopeLogs"][number]
type LogRecord = NonNullable<ScopeLogs["logRecords"]>[number]

const logsOf = (record: Partial<LogRecord>): OtlpLogger.LogsData => {
  const whole = { timeUnixNano: time, attributes: [...attributes], droppedAttributesCount: 0, ...record } as LogRecord
  const scopeLogs = [{ scope, logRecords: [whole, whole], schemaUrl: "https://b" }]
  return { resourceLogs: [{ resource, schemaUrl: "https://a", scopeLogs }] }
}

describe("OTLP in protobuf is, byte by byte, what Effect writes", () => {
  it.effect("of lines of the log", () =>
    Effect.gen(function* () {
      const known = { severityNumber: 9, severityText: "Info", observedTimeUnixNano: time, traceId: trace, spanId: id }
      for (const record of [{}, { ...known, body: { stringValue: "request" }, droppedAttributesCount: 130 }]) {
        const [ours, theirs] = yield* both(({ logs }) => logs(logsOf(record)))
        assert.deepStrictEqual(ours, theirs)
      }
    })
  )

  it.effect("of spans", () =>
    Effect.gen(function* () {
      const more = { attributes: [...attributes], droppedAttributesCount: 1 }
      const span = (parentSpanId: string | undefined, status: { code: 0 | 1 | 2; message?: string }) => ({
        traceId: trace,
        spanId: id,
        parentSpanId,
        name: "GET /x",
        kind: 2,
        status,
        startTimeUnixNano: time,
        endTimeUnixNano: time,
        attributes: [...attributes],
        droppedAttributesCount: 3,
        events: [{ name: "exception", timeUnixNano: time, ...more }],
        droppedEventsCount: 4,
        links: [{ traceId: trace, spanId: parent, ...more }],
        droppedLinksCount: 5
      })
      const spans = [span(undefined, { code: 1 }), span(parent, { code: 2, message: "TypeError" })]
      const data: OtlpTracer.TraceData = {
        resourceSpans: [{ resource, schemaUrl: "https://a", scopeSpans: [{ scope, spans, schemaUrl: "https://b" }] }]
      }
      const [ours, theirs] = yield* both(({ traces }) => traces(data))
      assert.deepStrictEqual(ours, theirs)
    })
  )

  it.effect.prop("of any text and number", [Schema.String, Schema.Int, Schema.Finite], ([text, whole, number]) =>
    Effect.gen(function* () {
      const given = [{ stringValue: text }, { intValue: whole }, { doubleValue: number }]
      const record = { attributes: given.map((value) => ({ key: text, value })), body: { stringValue: text } }
      const [ours, theirs] = yield* both(({ logs }) => logs(logsOf(record)))
      assert.deepStrictEqual(ours, theirs)
    })
  )
})
