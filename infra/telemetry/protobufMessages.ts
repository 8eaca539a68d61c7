import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import type { OtlpLogger, OtlpResource, OtlpTracer } from "effect/observability"

type Write<A> = (writer: BinaryWriter, value: A) => void

/** Writes a message as a field. Fields go by their numbers (opentelemetry-proto 1). */
const message = <A>(writer: BinaryWriter, field: number, write: Write<A>, value: A) => {
  writer.tag(field, WireType.LengthDelimited).fork()
  write(writer, value)
  writer.join()
}

const each = <A>(writer: BinaryWriter, field: number, write: Write<A>, values: ReadonlyArray<A>) => {
  for (const value of values) message(writer, field, write, value)
}

const text = (writer: BinaryWriter, field: number, value: string) =>
  writer.tag(field, WireType.LengthDelimited).string(value)

const bytes = (writer: BinaryWriter, field: number, value: Uint8Array) =>
  writer.tag(field, WireType.LengthDelimited).bytes(value)

/** Writes an id, given in hexadecimal digits. */
const id = (writer: BinaryWriter, field: number, digits: string) => bytes(writer, field, Buffer.from(digits, "hex"))

/** Writes a time, given as nanoseconds since 1970 in decimal digits. */
const time = (writer: BinaryWriter, field: number, nanoseconds: string) =>
  writer.tag(field, WireType.Bit64).fixed64(nanoseconds)

const count = (writer: BinaryWriter, field: number, value: number) => writer.tag(field, WireType.Varint).uint32(value)

/** Writes 64 bits, of a larger number the lowest, as Effect's writer does: an error would lose a whole batch. */
const integer = (writer: BinaryWriter, field: number, value: string | number) =>
  writer.tag(field, WireType.Varint).int64(BigInt.asIntN(64, BigInt(value)))

/** Writes a text, unless it is missing or empty. */
const textIfAny = (writer: BinaryWriter, field: number, value: string | null | undefined) => {
  if (value != null && value !== "") text(writer, field, value)
}

const countIfAny = (writer: BinaryWriter, field: number, value: number | undefined) => {
  if (value !== undefined && value > 0) count(writer, field, value)
}

const idIfAny = (writer: BinaryWriter, field: number, value: string | Uint8Array | undefined) => {
  if (value === undefined || value.length === 0) return
  if (typeof value === "string") id(writer, field, value)
  else bytes(writer, field, value)
}

const anyValue: Write<OtlpResource.AnyValue> = (writer, value) => {
  if (value.stringValue != null) text(writer, 1, value.stringValue)
  else if (value.boolValue != null) writer.tag(2, WireType.Varint).bool(value.boolValue)
  else if (value.intValue != null) integer(writer, 3, value.intValue)
  else if (value.doubleValue != null) writer.tag(4, WireType.Bit64).double(value.doubleValue)
  else if (value.arrayValue !== undefined) message(writer, 5, anyValues, value.arrayValue.values)
  else if (value.kvlistValue !== undefined) message(writer, 6, attributesOf, value.kvlistValue.values)
  else if (value.bytesValue !== undefined) bytes(writer, 7, value.bytesValue)
}

const anyValues: Write<ReadonlyArray<OtlpResource.AnyValue>> = (writer, values) => each(writer, 1, anyValue, values)

const attribute: Write<OtlpResource.KeyValue> = (writer, { key, value }) => {
  text(writer, 1, key)
  message(writer, 2, anyValue, value)
}

const attributesOf: Write<ReadonlyArray<OtlpResource.KeyValue>> = (writer, values) => each(writer, 1, attribute, values)

const resource: Write<OtlpResource.Resource> = (writer, { attributes, droppedAttributesCount }) => {
  each(writer, 1, attribute, attributes)
  countIfAny(writer, 2, droppedAttributesCount)
}

const scope: Write<{ readonly name?: string; readonly version?: string }> = (writer, { name = "", version }) => {
  text(writer, 1, name)
  textIfAny(writer, 2, version)
}

/** The contents of a scope or a resource: the same fields for spans and for lines. */
const inside = <A>(
  writer: BinaryWriter,
  write: Write<A>,
  values: ReadonlyArray<A>,
  { schemaUrl }: { readonly schemaUrl?: string | null | undefined }
) => {
  each(writer, 2, write, values)
  textIfAny(writer, 3, schemaUrl)
}

const whole = <A>(write: Write<A>, values: ReadonlyArray<A>): Uint8Array => {
  const writer = new BinaryWriter()
  each(writer, 1, write, values)
  return writer.finish()
}

type ResourceSpans = OtlpTracer.TraceData["resourceSpans"][number]
type ScopeSpans = ResourceSpans["scopeSpans"][number]
type Span = ScopeSpans["spans"][number]

const event: Write<Span["events"][number]> = (writer, { timeUnixNano, name, attributes, droppedAttributesCount }) => {
  time(writer, 1, timeUnixNano)
  text(writer, 2, name)
  each(writer, 3, attribute, attributes)
  countIfAny(writer, 4, droppedAttributesCount)
}

const link: Write<Span["links"][number]> = (writer, { traceId, spanId, attributes, droppedAttributesCount }) => {
  id(writer, 1, traceId)
  id(writer, 2, spanId)
  each(writer, 4, attribute, attributes)
  countIfAny(writer, 5, droppedAttributesCount)
}

const spanStatus: Write<Span["status"]> = (writer, { code, message }) => {
  textIfAny(writer, 2, message)
  count(writer, 3, code)
}

const span: Write<Span> = (writer, one) => {
  id(writer, 1, one.traceId)
  id(writer, 2, one.spanId)
  idIfAny(writer, 4, one.parentSpanId)
  text(writer, 5, one.name)
  count(writer, 6, one.kind)
  time(writer, 7, one.startTimeUnixNano)
  time(writer, 8, one.endTimeUnixNano)
  each(writer, 9, attribute, one.attributes)
  countIfAny(writer, 10, one.droppedAttributesCount)
  each(writer, 11, event, one.events)
  countIfAny(writer, 12, one.droppedEventsCount)
  each(writer, 13, link, one.links)
  countIfAny(writer, 14, one.droppedLinksCount)
  message(writer, 15, spanStatus, one.status)
}

const scopeSpans: Write<ScopeSpans> = (writer, one) => {
  message(writer, 1, scope, one.scope)
  inside(writer, span, one.spans, one)
}

const resourceSpans: Write<ResourceSpans> = (writer, one) => {
  message(writer, 1, resource, one.resource)
  inside(writer, scopeSpans, one.scopeSpans, one)
}

/** `TracesData` of OTLP, in protobuf's bytes. */
export const tracesMessage = (data: OtlpTracer.TraceData): Uint8Array => whole(resourceSpans, data.resourceSpans)

type ResourceLogs = OtlpLogger.LogsData["resourceLogs"][number]
type ScopeLogs = ResourceLogs["scopeLogs"][number]
type LogRecord = NonNullable<ScopeLogs["logRecords"]>[number]

const logRecord: Write<LogRecord> = (writer, one) => {
  time(writer, 1, String(one.timeUnixNano))
  if (one.severityNumber !== undefined) count(writer, 2, one.severityNumber)
  textIfAny(writer, 3, one.severityText)
  if (one.body !== undefined) message(writer, 5, anyValue, one.body)
  each(writer, 6, attribute, one.attributes)
  countIfAny(writer, 7, one.droppedAttributesCount)
  idIfAny(writer, 9, one.traceId)
  idIfAny(writer, 10, one.spanId)
  if (one.observedTimeUnixNano !== undefined) time(writer, 11, String(one.observedTimeUnixNano))
}

const scopeLogs: Write<ScopeLogs> = (writer, one) => {
  message(writer, 1, scope, one.scope ?? {})
  inside(writer, logRecord, one.logRecords ?? [], one)
}

const resourceLogs: Write<ResourceLogs> = (writer, one) => {
  if (one.resource !== undefined) message(writer, 1, resource, one.resource)
  inside(writer, scopeLogs, one.scopeLogs, one)
}

/** `LogsData` of OTLP, in protobuf's bytes. */
export const logsMessage = (data: OtlpLogger.LogsData): Uint8Array => whole(resourceLogs, data.resourceLogs)
