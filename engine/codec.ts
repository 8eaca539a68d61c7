import { createHash, randomBytes } from "node:crypto"
import { Context, Schema } from "effect"
import type { AnyEvent, Recorded } from "./Event.ts"
import { jsonInSteps } from "./jsonInSteps.ts"
import { hasText, jsonPieces } from "./jsonPieces.ts"
import { hasEscapedName } from "./parseJson.ts"
import type { NewEvent, StoredEvent } from "./ports/EventStore.ts"
import { saltedDigest } from "./saltedDigest.ts"
import { atOnce } from "./steps.ts"

type Fields = { readonly [key: string]: unknown }

/** Turns an event's stored fields of one version into those of the next. */
export type Upcast = (fields: Fields) => Fields

/** The events that a log can hold. */
export interface Registry<E extends AnyEvent> {
  /** The shape of each event's current version. Keys are what the log calls the type. */
  readonly schemas: { readonly [T in E["_tag"]]: Schema.Top }
  /**
   * Event types that have changed: a type's first upcast turns version 1 into version 2, and so on, so its current
   * version is its number of upcasts plus one. A new meaning is a new type instead.
   */
  readonly upcasts: { readonly [T in E["_tag"]]?: ReadonlyArray<Upcast> }
  /** The subjects whose text an event erases. */
  readonly erasures?: { readonly [T in E["_tag"]]?: (event: Extract<E, { readonly _tag: T }>) => ReadonlyArray<string> }
}

type Erasures = { readonly [type: string]: ((event: unknown) => ReadonlyArray<string>) | undefined }

/** How events are written into the log and read from it. */
export interface EventCodec<E extends AnyEvent> {
  /** An event as the log takes it, encoded in one go: for events without a long text. */
  readonly encode: (event: E) => NewEvent
  /**
   * An event as the log takes it: ids and numbers in `data`; what a caller typed in a payload, whose salted digest is
   * in `data`. A long text takes many steps, and other work can have its turn between them.
   */
  readonly encoding: (event: E) => Generator<void, NewEvent>
  /**
   * A stored event as deciders and projections see it: in its current version, with its text or `null`. Throws
   * `UnreadableEvent`.
   */
  readonly decode: (stored: StoredEvent) => Recorded<E>
  /** The same in steps; a text that is not long takes at most one. */
  readonly decoding: (stored: StoredEvent) => Generator<void, Recorded<E>>
}

/** The codec of the log that the engine runs on. */
export class Codec extends Context.Service<Codec, EventCodec<AnyEvent>>()("engine/Codec") {}

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder()

/** Characters of text (in the log, bytes) from which an event is encoded and decoded in steps. */
export const big = 131_072

/** A text as it is kept beside the log, with its salt and its digest. */
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

/** The log holds an event whose type or version this code doesn't know, or that doesn't fit its type's schema. */
export class UnreadableEvent extends Error {
  override readonly name = "UnreadableEvent"
  /** Leaves out the cause: a schema's message quotes the wrong value, and this error is logged. */
  constructor({ position, type, schemaVersion }: StoredEvent) {
    super(`event ${position} (${type} version ${schemaVersion}) can't be read by this version of the code`)
  }
}

/** The envelope and the event, field by field: a replay makes millions, and copying the rest of an object is slow. */
const asRecorded = <E>(stored: StoredEvent, event: E): Recorded<E> => ({
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
  request: stored.request,
  recordedAt: stored.recordedAt,
  event
})

const readPayload = (payload: Uint8Array | null): Generator<void, unknown> | { readonly now: unknown } => {
  if (payload === null) return { now: null }
  if (payload.length >= big) return jsonInSteps(payload)
  const json = fromUtf8.decode(payload)
  return hasEscapedName(json) ? jsonInSteps(json) : { now: JSON.parse(json) }
}

/**
 * The codec of a log's events. Encoding throws the schema's error for an event that does not fit it; decoding throws
 * `UnreadableEvent`.
 */
export const makeCodec = <E extends AnyEvent>({ schemas, upcasts, erasures }: Registry<E>): EventCodec<E> => {
  const encoders = new Map<string, (event: E) => Fields>()
  const decoders = new Map<string, (fields: Fields) => E>()
  for (const [type, schema] of Object.entries(schemas) as Array<[string, Schema.Codec<E, Fields>]>) {
    encoders.set(type, Schema.encodeSync(schema))
    decoders.set(type, Schema.decodeUnknownSync(schema))
  }
  const upcastsOf = (type: string): ReadonlyArray<Upcast> =>
    (upcasts as { readonly [type: string]: ReadonlyArray<Upcast> | undefined })[type] ?? []

  function* encoding(event: E): Generator<void, NewEvent> {
    const { _tag: type, text, ...facts } = encoders.get(event._tag)!(event) as Fields & { readonly _tag: string }
    const erases = (erasures as Erasures | undefined)?.[type]?.(event) ?? []
    const head = { type, schemaVersion: upcastsOf(type).length + 1, erases }
    if (text === undefined) return { ...head, data: JSON.stringify(facts), payload: null }
    if (text === null) return { ...head, data: JSON.stringify({ ...facts, text }), payload: null }
    const { salt, bytes, digest } = hasText(text, big) ? yield* writtenInSteps(text) : writtenAtOnce(text)
    const data = JSON.stringify({ ...facts, text: digest })
    return { ...head, data, payload: { subject: facts["subject"] as string, salt, bytes } }
  }

  function* decoding(stored: StoredEvent): Generator<void, Recorded<E>> {
    try {
      const facts = JSON.parse(stored.data) as Record<string, unknown>
      if ("text" in facts) {
        const text = readPayload(stored.payload)
        facts["text"] = "now" in text ? text.now : yield* text
      }
      const read = decoders.get(stored.type)
      if (read === undefined) throw new Error("unknown type")
      const changes = upcastsOf(stored.type)
      if (stored.schemaVersion > changes.length + 1) throw new Error("newer version")
      let fields: Fields = facts
      for (const upcast of changes.slice(stored.schemaVersion - 1)) fields = upcast(fields)
      return asRecorded(stored, read(Object.assign(fields, { _tag: stored.type })))
    } catch {
      throw new UnreadableEvent(stored)
    }
  }

  return {
    encoding,
    decoding,
    encode: (event) => atOnce(encoding(event)),
    decode: (stored) => atOnce(decoding(stored))
  }
}
