import { Effect, Layer, Redacted, References, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import type { TelemetrySettings } from "#ports/TelemetrySettings.ts"
import { discreetly } from "./tracer.ts"

const pairs = (headers: Redacted.Redacted | undefined): Record<string, string> =>
  Object.fromEntries(
    (headers === undefined ? [] : Redacted.value(headers).split(",")).map((pair) => {
      const at = pair.indexOf("=")
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]
    })
  )

/** Sends traces, metrics and logs to an OTLP receiver. What can't be delivered is dropped: nobody waits for it. */
const exporting = (settings: TelemetrySettings) => {
  const common = { headers: pairs(settings.headers), resource: { serviceName: settings.serviceName } }
  const url = (signal: string) => `${settings.endpoint}/v1/${signal}`
  const tracer = OtlpTracer.make({ ...common, url: url("traces"), exportInterval: settings.tracesInterval })
  const tracing = Layer.effect(
    Tracer.Tracer,
    Effect.map(tracer, (inner) => discreetly(inner, settings.sampling))
  ).pipe(Layer.provide(OtlpExporter.layerFlusher))
  return Layer.mergeAll(
    tracing,
    OtlpLogger.layer({ ...common, url: url("logs"), exportInterval: settings.tracesInterval }),
    OtlpMetrics.layer({ ...common, url: url("metrics"), exportInterval: settings.metricsInterval })
  ).pipe(
    Layer.provide(settings.encoding === "json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide(FetchHttpClient.layer)
  )
}

/** Traces, metrics and logs over OTLP; without settings no spans are made at all. */
export const layer = (settings: TelemetrySettings | undefined) =>
  settings === undefined ? Layer.succeed(References.TracerEnabled, false) : exporting(settings)
