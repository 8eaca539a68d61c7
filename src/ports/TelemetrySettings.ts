import type { Redacted } from "effect"

/** Where traces, metrics and logs go (OTLP over HTTP), and which traces. */
export interface TelemetrySettings {
  /** Without `/v1/traces` behind it. */
  readonly endpoint: string
  readonly encoding: "json" | "protobuf"
  /** `name=value,name=value`, what the receiver wants to see: there may be a token in it. */
  readonly headers: Redacted.Redacted | undefined
  readonly serviceName: string
  /** What else is said of who sends it; without a `service.instance.id` each process makes one. */
  readonly resource: { readonly [attribute: string]: string }
  readonly sampling: {
    /** Whether a caller's own trace decides for what it asks. */
    readonly byParent: boolean
    /** 0…1 of all other requests. */
    readonly ratio: number
  }
  /** Milliseconds between two deliveries of metrics, and of traces. */
  readonly metricsInterval: number
  readonly tracesInterval: number
}
