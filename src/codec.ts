import { randomBytes } from "node:crypto"
import { Schema } from "effect"
import type { Recorded } from "#domain/Event.ts"
import { currentVersion, type DomainEvent, type EventType, eventSchemas, type Upcast, upcasts } from "#domain/events.ts"
import { saltedDigest } from "#domain/Id.ts"
import type { NewEvent, StoredEvent } from "#ports/EventStore.ts"

type Fields = { readonly [key: string]: unknown }
type AnyCodec = Schema.Codec<DomainEvent, Fields>

const encoders = new Map<string, (event: DomainEvent) => Fields>()
const decoders = new Map<string, (fields: Fields) => DomainEvent>()
for (const [type, schema] of Object.entries(eventSchemas) as unknown as Array<[EventType, AnyCodec]>) {
  encoders.set(type, Schema.encodeSync(schema))
  decoders.set(type, Schema.decodeUnknownSync(schema))
}

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder()

/** An event as the log takes it: ids and numbers as `data`, what a caller typed as a payload with a salted digest. */
export const encode = (event: DomainEvent): NewEvent => {
  const { _tag, text, ...facts } = encoders.get(event._tag)!(event)
  const head = { type: event._tag, schemaVersion: currentVersion(event._tag) }
  if (text === undefined) return { ...head, data: JSON.stringify(facts), payload: null }
  if (text === null) return { ...head, data: JSON.stringify({ ...facts, text }), payload: null }
  const salt = randomBytes(16)
  const bytes = utf8.encode(JSON.stringify(text))
  const data = JSON.stringify({ ...facts, text: saltedDigest(salt, bytes) })
  return { ...head, data, payload: { subject: facts["subject"] as string, salt, bytes } }
}

/** The log holds an event of a type or version that this code doesn't know, or one that doesn't have its shape. */
export class UnreadableEvent extends Error {
  override readonly name = "UnreadableEvent"
  /** Without its cause: what a schema says of a wrong value quotes it, and this is logged. */
  constructor({ position, type, schemaVersion }: StoredEvent) {
    super(`event ${position} (${type} version ${schemaVersion}) can't be read by this version of Cairn`)
  }
}

/** The envelope and the event. Named one by one: a replay makes millions, and a copy of the rest of an object is slow. */
export const recorded = <E>(stored: StoredEvent, event: E): Recorded<E> => ({
  position: stored.position,
  tenant: stored.tenant,
  stream: stored.stream,
  revision: stored.revision,
  eventId: stored.eventId,
  type: stored.type,
  schemaVersion: stored.schemaVersion,
  actor: stored.actor,
  commandId: stored.commandId,
  correlationId: stored.correlationId,
  causationId: stored.causationId,
  recordedAt: stored.recordedAt,
  event
})

/** Reads stored events as if types had changed by these upcasts. */
export const decoder =
  (upcasts: { readonly [type: string]: ReadonlyArray<Upcast> | undefined }) =>
  (stored: StoredEvent): Recorded<DomainEvent> => {
    try {
      const facts = JSON.parse(stored.data) as Record<string, unknown>
      if ("text" in facts) facts["text"] = stored.payload === null ? null : JSON.parse(fromUtf8.decode(stored.payload))
      const read = decoders.get(stored.type)
      if (read === undefined) throw new Error("unknown type")
      const changes = upcasts[stored.type] ?? []
      if (stored.schemaVersion > changes.length + 1) throw new Error("newer version")
      let fields: Fields = facts
      for (const upcast of changes.slice(stored.schemaVersion - 1)) fields = upcast(fields)
      return recorded(stored, read(Object.assign(fields, { _tag: stored.type })))
    } catch {
      throw new UnreadableEvent(stored)
    }
  }

/** A stored event as deciders and projections see it: of the current version, with its text or `Erased` in place. */
export const decode = decoder(upcasts)
