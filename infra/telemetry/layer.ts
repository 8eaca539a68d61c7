import { randomUUID } from "node:crypto"
import { Effect, Layer, Logger, Redacted, References, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { Origin } from "#ports/Origin.ts"
import { Sampling } from "#ports/Sampling.ts"
import type { TelemetrySettings } from "#ports/TelemetrySettings.ts"
import { discreetly } from "./discreet.ts"
import { sampling } from "./sampling.ts"
import { layerProtobuf } from "./serialization.ts"

const pairs = (headers: Redacted.Redacted | undefined): Record<string, string> =>
  Object.fromEntries(
    (headers === undefined ? [] : Redacted.value(headers).split(",")).map((pair) => {
      const at = pair.indexOf("=")
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]
    })
  )

/**
 * Adds the request's id to a line's annotations: effect's logger takes its fields from those of the fiber, which has
 * the id elsewhere.
 */
const withRequestId = (inner: Logger.Logger<unknown, void>): Logger.Logger<unknown, void> =>
  Logger.make((options) => {
    const { fiber } = options
    const id = fiber.getRef(Origin)?.requestId
    if (id == null) return inner.log(options)
    const noted = { request_id: id, ...fiber.getRef(References.CurrentLogAnnotations) }
    const getRef = (ref: never) => (ref === References.CurrentLogAnnotations ? noted : fiber.getRef(ref))
    // only what effect's logger reads: inheriting from the fiber would make it a prototype, for one line
    const told = { id: fiber.id, cache: fiber.cache, getRef } as typeof fiber
    inner.log({ ...options, fiber: told })
  })

/** Sends traces, metrics and logs to an OTLP receiver. What can't be delivered is dropped: nobody waits for it. */
const exporting = (settings: TelemetrySettings) => {
  const attributes = { "service.instance.id": randomUUID(), ...settings.resource }
  const common = { headers: pairs(settings.headers), resource: { serviceName: settings.serviceName, attributes } }
  const url = (signal: string) => `${settings.endpoint}/v1/${signal}`
  const tracer = OtlpTracer.make({ ...common, url: url("traces"), exportInterval: settings.tracesInterval })
  const tracing = Layer.merge(
    Layer.effect(Tracer.Tracer, Effect.map(tracer, discreetly)).pipe(Layer.provide(OtlpExporter.layerFlusher)),
    Layer.succeed(Sampling, sampling(settings.sampling))
  )
  const logger = OtlpLogger.make({ ...common, url: url("logs"), exportInterval: settings.tracesInterval })
  const logging = Logger.layer([Effect.map(logger, withRequestId)], { mergeWithExisting: true }).pipe(
    Layer.provide(OtlpExporter.layerFlusher)
  )
  return Layer.mergeAll(
    tracing,
    logging,
    OtlpMetrics.layer({ ...common, url: url("metrics"), exportInterval: settings.metricsInterval })
  ).pipe(
    Layer.provide(settings.encoding === "json" ? OtlpSerialization.layerJson : layerProtobuf),
    Layer.provide(FetchHttpClient.layer)
  )
}

/** Spans are made only in traces that are kept, which turn them on themselves (`src/traced.ts`). */
const elsewhere = Layer.succeed(References.TracerEnabled, false)

/** Traces, metrics and logs over OTLP; without settings there are no traces at all. */
export const layer = (settings: TelemetrySettings | undefined) =>
  settings === undefined ? elsewhere : Layer.merge(exporting(settings), elsewhere)
