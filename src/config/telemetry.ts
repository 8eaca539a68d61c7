import { Redacted } from "effect"
import { withoutEnd } from "#domain/text/withoutEnd.ts"
import type { TelemetrySettings } from "#ports/TelemetrySettings.ts"
import { refuse } from "./BadConfig.ts"

/** Where what is counted can be seen. */
export interface Watched {
  readonly metricsPort?: number | undefined
  readonly telemetry?: TelemetrySettings | undefined
}

/** Whether what is counted can be seen anywhere: otherwise nothing is counted, at no cost. */
export const isCounted = ({ metricsPort, telemetry }: Watched): boolean =>
  metricsPort !== undefined || telemetry !== undefined

/** How much the service logs: `warn` leaves out a line for each request. */
export type LogLevel = "Debug" | "Info" | "Warn" | "Error"

type Read = (name: string) => string | undefined

/** The level from which on lines are written; by default `info`. Throws `BadConfig` if it is none. */
export const readLogLevel = (text: string | undefined): LogLevel => {
  if (text === undefined) return "Info"
  const levels = ["Debug", "Info", "Warn", "Error"] as const
  return (
    levels.find((level) => level.toLowerCase() === text.toLowerCase()) ??
    refuse("CAIRN_LOG_LEVEL", "debug, info, warn or error")
  )
}

const samplers = ["always_on", "always_off", "traceidratio"]

const samplingOf = (read: Read): TelemetrySettings["sampling"] => {
  const given = read("OTEL_TRACES_SAMPLER") ?? "parentbased_always_on"
  const byParent = given.startsWith("parentbased_")
  const sampler = byParent ? given.slice("parentbased_".length) : given
  if (!samplers.includes(sampler))
    refuse("OTEL_TRACES_SAMPLER", `one of ${samplers.join(", ")}, or parentbased_ and it`)
  if (sampler !== "traceidratio") return { byParent, ratio: sampler === "always_on" ? 1 : 0 }
  const ratio = read("OTEL_TRACES_SAMPLER_ARG") ?? "1"
  if (!/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(ratio)) refuse("OTEL_TRACES_SAMPLER_ARG", "a number from 0 to 1")
  return { byParent, ratio: Number(ratio) }
}

const encodings = { "http/protobuf": "protobuf", "http/json": "json" } as const

const interval = (read: Read, name: string, otherwise: number): number => {
  const text = read(name)
  if (text === undefined) return otherwise
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : refuse(name, "a number of milliseconds")
}

/** Reads `name=value,name=value`, values as in a URL; throws `BadConfig`. Never quotes a value: it may be a token. */
const readPairs = (read: Read, name: string): Record<string, string> => {
  const expected = "pairs like authorization=Bearer%20token with commas between"
  const pair = /^\s*([\w!#$%&'*+.^`|~-]+)=(\S*)\s*$/
  const entries = (read(name) ?? "").split(",").flatMap((text) => {
    if (text.trim() === "") return []
    const [, key, value] = pair.exec(text) ?? refuse(name, expected)
    try {
      return [[key!, decodeURIComponent(value!)] as const]
    } catch {
      return refuse(name, expected)
    }
  })
  return Object.fromEntries(entries)
}

/** What OpenTelemetry's own variables say; `undefined`: nothing is sent anywhere. Throws `BadConfig`. */
export const readTelemetry = (read: Read): TelemetrySettings | undefined => {
  const endpoint = read("OTEL_EXPORTER_OTLP_ENDPOINT")
  if (endpoint === undefined || read("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined
  if (!URL.canParse(endpoint) || !["http:", "https:"].includes(new URL(endpoint).protocol))
    return refuse("OTEL_EXPORTER_OTLP_ENDPOINT", "a URL like http://127.0.0.1:4318")
  const protocol = read("OTEL_EXPORTER_OTLP_PROTOCOL") ?? "http/protobuf"
  const encoding = encodings[protocol as keyof typeof encodings]
  if (encoding === undefined) return refuse("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf or http/json")
  const headers = read("OTEL_EXPORTER_OTLP_HEADERS")
  readPairs(read, "OTEL_EXPORTER_OTLP_HEADERS")
  const { "service.name": named, ...resource } = readPairs(read, "OTEL_RESOURCE_ATTRIBUTES")
  return {
    endpoint: withoutEnd(endpoint, "/"),
    encoding,
    headers: headers === undefined ? undefined : Redacted.make(headers, { label: "OTEL_EXPORTER_OTLP_HEADERS" }),
    serviceName: read("OTEL_SERVICE_NAME") ?? named ?? "cairn",
    resource,
    sampling: samplingOf(read),
    metricsInterval: interval(read, "OTEL_METRIC_EXPORT_INTERVAL", 60_000),
    tracesInterval: interval(read, "OTEL_BSP_SCHEDULE_DELAY", 5_000)
  }
}
