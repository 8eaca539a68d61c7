import type { Redacted } from "effect"

/** Where traces, metrics and logs go (OTLP over HTTP), and which traces. */
export interface TelemetrySettings {
  /** Without `/v1/traces` behind it. */
  readonly endpoint: string
  readonly encoding: "json" | "protobuf"
  /** `name=value,name=value`, as the receiver wants them; there may be a token in it. */
  readonly headers: Redacted.Redacted | undefined
  readonly serviceName: string
  /** Further attributes of the sender; without a `service.instance.id` each process makes one. */
  readonly resource: { readonly [attribute: string]: string }
  readonly sampling: {
    /** Whether a caller's own trace decides for its requests. */
    readonly byParent: boolean
    /** The share of all other requests, 0…1. */
    readonly ratio: number
  }
  /** Milliseconds between two deliveries of metrics, and of traces. */
  readonly metricsInterval: number
  readonly tracesInterval: number
}
