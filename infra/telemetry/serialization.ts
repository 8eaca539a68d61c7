import { Effect, Layer } from "effect"
import { HttpBody } from "effect/http"
import { OtlpSerialization } from "effect/observability"
import { logsMessage, tracesMessage } from "./protobufMessages.ts"

const body = (bytes: Uint8Array) => HttpBody.uint8Array(bytes, "application/x-protobuf")

/**
 * Protobuf for OTLP. Effect's own takes 0.1 ms a line of the log, and holds up everything while it writes a thousand of
 * them; metrics are few, and stay with it.
 */
export const layerProtobuf = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, ({ metrics }) =>
    OtlpSerialization.OtlpSerialization.of({
      metrics,
      traces: (data) => body(tracesMessage(data)),
      logs: (data) => body(logsMessage(data))
    })
  )
).pipe(Layer.provide(OtlpSerialization.layerProtobuf))
