import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
// what OpenTelemetry's own exporter is made with, from its published protocol
import root from "@opentelemetry/otlp-transformer/build/src/generated/root.js"

interface Received {
  readonly path: string
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  // biome-ignore lint/suspicious/noExplicitAny: looked at field by field
  readonly body: any
}

const kinds: { readonly [path: string]: readonly [string, string] } = {
  "/v1/traces": ["trace", "ExportTraceServiceRequest"],
  "/v1/metrics": ["metrics", "ExportMetricsServiceRequest"],
  "/v1/logs": ["logs", "ExportLogsServiceRequest"]
}

const hex = (bytes: Uint8Array | string): string =>
  typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("hex")

const decoded = (path: string, bytes: Buffer) => {
  const [signal, name] = kinds[path]!
  // biome-ignore lint/suspicious/noExplicitAny: generated, without types
  const type = (root as any).opentelemetry.proto.collector[signal].v1[name]
  return type.toObject(type.decode(bytes), { longs: String })
}

const attributesOf = (
  attributes: ReadonlyArray<{ readonly key: string; readonly value: object }>
): { readonly [key: string]: unknown } =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** An OTLP receiver on a free port: takes JSON and protobuf, and keeps what came. */
export const startReceiver = async () => {
  const received: Array<Received> = []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const path = request.url!
    const isJson = request.headers["content-type"] === "application/json"
    received.push({
      path,
      headers: request.headers,
      body: isJson ? JSON.parse(bytes.toString()) : decoded(path, bytes)
    })
    response.writeHead(200, { "content-type": request.headers["content-type"] ?? "" }).end(isJson ? "{}" : "")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const spans = () =>
    received
      .filter(({ path }) => path === "/v1/traces")
      .flatMap(({ body }) => body.resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        name: span.name as string,
        trace: hex(span.traceId),
        id: hex(span.spanId),
        parent: hex(span.parentSpanId ?? ""),
        attributes: attributesOf(span.attributes)
      }))
  const lines = () =>
    received
      .filter(({ path }) => path === "/v1/logs")
      .flatMap(({ body }) => body.resourceLogs)
      .flatMap(({ scopeLogs }) => scopeLogs)
      .flatMap(({ logRecords }) => logRecords)
      .map((line) => ({
        text: line.body.stringValue as unknown,
        trace: hex(line.traceId ?? ""),
        attributes: attributesOf(line.attributes)
      }))
  /** The processes that say that it is theirs. */
  const instancesIn = (body: Received["body"]): ReadonlyArray<unknown> =>
    [...(body.resourceSpans ?? []), ...(body.resourceMetrics ?? []), ...(body.resourceLogs ?? [])].map(
      ({ resource }) => attributesOf(resource.attributes)["service.instance.id"]
    )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    spans,
    lines,
    instancesIn,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
