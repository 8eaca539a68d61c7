import { createHash, randomBytes } from "node:crypto"
import { Schema } from "effect"
import type { Recorded } from "./Event.ts"
import { currentVersion, type DomainEvent, type EventType, eventSchemas, type Upcast, upcasts } from "#domain/events.ts"
import { saltedDigest } from "#domain/Id.ts"
import { hasText, jsonPieces } from "./jsonPieces.ts"
import { atOnce } from "./steps.ts"
import type { NewEvent, StoredEvent } from "#engine/ports/EventStore.ts"
import { jsonInSteps } from "./json.ts"

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

/** Characters of text, or bytes of it in the log, from which an event is written and read in steps. */
export const big = 131_072

/** A text with what the log keeps of it beside its event. */
interface Written {
  readonly salt: Uint8Array
  readonly bytes: Uint8Array
  readonly digest: string
}

const writtenAtOnce = (text: unknown): Written => {
  const salt = randomBytes(16)
  const bytes = utf8.encode(JSON.stringify(text))
  return { salt, bytes, digest: saltedDigest(salt, bytes) }
}

function* writtenInSteps(text: unknown): Generator<void, Written> {
  const salt = randomBytes(16)
  const hash = createHash("sha256").update(salt)
  const pieces: Array<Uint8Array> = []
  for (const piece of jsonPieces(text)) {
    const bytes = utf8.encode(piece)
    hash.update(bytes)
    pieces.push(bytes)
    yield
  }
  return { salt, bytes: Buffer.concat(pieces), digest: hash.digest("hex") }
}

/**
 * An event as the log takes it: ids and numbers as `data`, what a caller typed as a payload with a salted digest. One with a long
 * text takes many steps: others may have their turn between them.
 */
export function* encoding(event: DomainEvent): Generator<void, NewEvent> {
  const { _tag, text, ...facts } = encoders.get(event._tag)!(event)
  const head = { type: event._tag, schemaVersion: currentVersion(event._tag) }
  if (text === undefined) return { ...head, data: JSON.stringify(facts), payload: null }
  if (text === null) return { ...head, data: JSON.stringify({ ...facts, text }), payload: null }
  const { salt, bytes, digest } = hasText(text, big) ? yield* writtenInSteps(text) : writtenAtOnce(text)
  const data = JSON.stringify({ ...facts, text: digest })
  return { ...head, data, payload: { subject: facts["subject"] as string, salt, bytes } }
}

/** An event as the log takes it, written on end: for those that have no long text. */
export const encode = (event: DomainEvent): NewEvent => atOnce(encoding(event))

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

const readPayload = (payload: Uint8Array | null): Generator<void, unknown> | { readonly now: unknown } => {
  if (payload === null) return { now: null }
  return payload.length < big ? { now: JSON.parse(fromUtf8.decode(payload)) } : jsonInSteps(payload)
}

type Upcasts = { readonly [type: string]: ReadonlyArray<Upcast> | undefined }

function* reading(upcasts: Upcasts, stored: StoredEvent): Generator<void, Recorded<DomainEvent>> {
  try {
    const facts = JSON.parse(stored.data) as Record<string, unknown>
    if ("text" in facts) {
      const text = readPayload(stored.payload)
      facts["text"] = "now" in text ? text.now : yield* text
    }
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

/** Reads stored events as if types had changed by these upcasts. */
export const decoder =
  (upcasts: Upcasts) =>
  (stored: StoredEvent): Recorded<DomainEvent> =>
    atOnce(reading(upcasts, stored))

/** A stored event as deciders and projections see it: of the current version, with its text or `Erased` in place. */
export const decode = decoder(upcasts)

/** The same in steps, of which there is one only unless its text is long. */
export const decoding = (stored: StoredEvent) => reading(upcasts, stored)
