import { Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { readConfig } from "#src/config/config.ts"

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/" }

describe("what the environment says of telemetry", () => {
  it("is nothing, until it names a receiver", () => {
    const { telemetry, metricsPort, logLevel } = readConfig({
      OTEL_SERVICE_NAME: "x",
      OTEL_TRACES_SAMPLER: "always_on"
    })
    assert.deepStrictEqual([telemetry, metricsPort, logLevel], [undefined, undefined, "Info"])
    assert.isUndefined(readConfig({ ...endpoint, OTEL_SDK_DISABLED: "true" }).telemetry)
  })

  it("is OpenTelemetry's own variables, with their defaults", () => {
    assert.deepStrictEqual(readConfig(endpoint).telemetry, {
      endpoint: "http://127.0.0.1:4318",
      encoding: "protobuf",
      headers: undefined,
      serviceName: "cairn",
      resource: {},
      sampling: { byParent: true, ratio: 1 },
      metricsInterval: 60_000,
      tracesInterval: 5_000
    })
    const { telemetry } = readConfig({
      ...endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20hunter2, x=y",
      OTEL_SERVICE_NAME: "ours",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=theirs, deployment.environment.name=a%20b",
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.1",
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
      OTEL_BSP_SCHEDULE_DELAY: "200"
    })
    const { headers, ...others } = telemetry!
    assert.deepStrictEqual(others, {
      endpoint: "http://127.0.0.1:4318",
      encoding: "json",
      serviceName: "ours",
      resource: { "deployment.environment.name": "a b" },
      sampling: { byParent: false, ratio: 0.1 },
      metricsInterval: 1_000,
      tracesInterval: 200
    })
    const named = readConfig({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES: "service.name=theirs" }).telemetry
    assert.strictEqual(named!.serviceName, "theirs")
    assert.strictEqual(Redacted.value(headers!), "authorization=Bearer%20hunter2, x=y")
    assert.notInclude(JSON.stringify(telemetry), "hunter2")
  })

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "here"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://here"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "x=%zz"],
    ["OTEL_RESOURCE_ATTRIBUTES", "x"],
    ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
    ["OTEL_METRIC_EXPORT_INTERVAL", "0"],
    ["CAIRN_METRICS_PORT", "0"],
    ["CAIRN_METRICS_PORT", "65536"],
    ["CAIRN_LOG_LEVEL", "loud"],
    ["CAIRN_LOG_LEVEL", "constructor"]
  ])("%s=%s is refused by its name", (name, value) => {
    const error = (() => {
      try {
        readConfig({ ...endpoint, [name]: value })
        return undefined
      } catch (error) {
        return error as Error
      }
    })()
    assert.include(error?.message, name)
    if (value === "hunter2") assert.notInclude(error!.message, value)
  })

  it("a share of traces is from 0 to 1", () => {
    const read = (share: string) =>
      readConfig({ ...endpoint, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: share })
    for (const share of ["-1", "1.1", "x", "1e-3"]) assert.throws(() => read(share), /OTEL_TRACES_SAMPLER_ARG/)
    assert.strictEqual(read("0.25").telemetry!.sampling.ratio, 0.25)
  })
})
