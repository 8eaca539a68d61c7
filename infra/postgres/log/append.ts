import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import type { Append } from "#engine/ports/EventStore.ts"
import { arrayOf } from "../arrayOf.ts"
import { isLong, sendLong, sent } from "../sending.ts"
import { transaction } from "../transaction.ts"
import { appendOne, isOne } from "./appendOne.ts"
import { type CallResult, expectedBy } from "./callResult.ts"
import { Writers } from "./Writers.ts"
import { weightOf } from "./weight.ts"

type Row = readonly [
  head: bigint,
  recorded: Date | null,
  trouble: ReadonlyArray<number> | null,
  actual: ReadonlyArray<number>
]

const { bytea, int2, int4, text, uuid } = PgTypes.OID

/** The element type of each of `es_append`'s parameters, in its order. */
const types = {
  units: { tenant: text, stream: text, expected: int4, before: int4 },
  events: {
    unit: int4,
    place: int4,
    id: uuid,
    type: text,
    version: int2,
    data: text,
    /** Bytes of its text; null when it has none. */
    text: int4,
    key: text,
    user: text,
    organization: text,
    command: uuid,
    correlation: uuid,
    causation: uuid,
    request: text
  },
  payloads: { event: int4, subject: text, salt: bytea, bytes: bytea },
  erasures: { unit: int4, subject: text }
} as const

type Columns = { readonly [T in keyof typeof types]: { readonly [C in keyof (typeof types)[T]]: Array<unknown> } }

const empty = (): Columns => {
  const columns = (table: object) => Object.fromEntries(Object.keys(table).map((name) => [name, []]))
  return Object.fromEntries(Object.entries(types).map(([name, table]) => [name, columns(table)])) as never
}

/** The batch in columns, as `es_append` takes it; units and events are numbered from 1. */
const columnsOf = (batch: ReadonlyArray<Append>): Columns => {
  const { units, events, payloads, erasures } = empty()
  /** How many events each stream gets from the units that come before. */
  const sizes = new Map<string, number>()
  for (const [index, append] of batch.entries()) {
    const first = events.id.length
    for (const { commandId, correlationId, causationId, actor, request, ...command } of append.commands) {
      for (const [place, { type, schemaVersion, data, payload, erases }] of command.events.entries()) {
        events.unit.push(index + 1)
        events.place.push(events.place.length - first)
        events.id.push(derivedId(commandId, place))
        events.type.push(type)
        events.version.push(schemaVersion)
        events.data.push(data)
        events.text.push(payload === null ? null : payload.bytes.length)
        events.key.push(actor.key)
        events.user.push(actor.user)
        events.organization.push(actor.organization)
        events.command.push(commandId)
        events.correlation.push(correlationId)
        events.causation.push(causationId)
        events.request.push(place === 0 && request !== null ? JSON.stringify(request) : null)
        for (const subject of erases) {
          erasures.unit.push(index + 1)
          erasures.subject.push(subject)
        }
        if (payload === null) continue
        payloads.event.push(events.id.length)
        payloads.subject.push(payload.subject)
        payloads.salt.push(payload.salt)
        payloads.bytes.push(payload.bytes)
      }
    }
    units.tenant.push(append.tenant)
    units.stream.push(append.stream)
    units.expected.push(expectedBy(append))
    const before = sizes.get(append.stream) ?? 0
    units.before.push(before)
    sizes.set(append.stream, before + events.id.length - first)
  }
  return { units, events, payloads, erasures }
}

/** Typed, because no type can be inferred from an array of nulls. */
const parametersOf = (columns: Columns) =>
  Object.entries(types).flatMap(([table, elements]) =>
    Object.entries(elements).map(([name, element]) => arrayOf((columns as never)[table]![name], element))
  )

const names = Object.entries(types).flatMap(([table, elements]) =>
  Object.keys(elements).map((name) => `${table}.${name}`)
)
const calling = (write: (parameter: string, name: string) => string): string =>
  `SELECT head, recorded, trouble, actual FROM es_append(${names.map((name, index) => write(`$${index + 1}`, name)).join(", ")})`

const statement = calling((parameter) => parameter)
/** The same, for long texts that were sent before: their bytes are null, and found by their place among all texts. */
const statementOfSent = calling((parameter, name) =>
  name === "payloads.bytes"
    ? `ARRAY(SELECT coalesce(p.bytes, ${sent("p.place")}) FROM unnest(${parameter}) WITH ORDINALITY AS p (bytes, place) ORDER BY p.place)`
    : parameter
)

/** One call, with its long texts sent before it. */
const callInPieces = Effect.fnUntraced(function* (columns: Columns) {
  const { call } = yield* Writers.inTransaction
  const texts = columns.payloads.bytes as ReadonlyArray<Uint8Array>
  yield* sendLong(texts)
  const payloads = { ...columns.payloads, bytes: texts.map((bytes) => (isLong(bytes) ? null : bytes)) }
  return yield* call(statementOfSent, parametersOf({ ...columns, payloads }))
})

/** Appends a batch in one call: all of it or nothing. */
export const appendBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<Append>) {
  if (isOne(batch)) return yield* appendOne(batch[0]!)
  const sql = yield* PgClient.PgClient
  const { call } = yield* Writers
  const columns = columnsOf(batch)
  const [row] = (columns.payloads.bytes as ReadonlyArray<Uint8Array>).some(isLong)
    ? yield* transaction(sql)(callInPieces(columns))
    : yield* call(
        statement,
        parametersOf(columns),
        batch.reduce((sum, append) => sum + weightOf(append), 0)
      )
  const [head, recorded, trouble, actual] = row as unknown as Row
  const result: CallResult = {
    head: Number(head),
    recordedAt: recorded?.getTime() ?? 0,
    trouble: (trouble ?? []).map((unit) => unit - 1),
    actual
  }
  return result
})
