import { Layer } from "effect"
import { erasures } from "#domain/erasures.ts"
import { type DomainEvent, eventSchemas, upcasts } from "#domain/events.ts"
import { Codec, type EventCodec, makeCodec } from "#engine/codec.ts"
import type { AnyEvent } from "#engine/Event.ts"

const codec = makeCodec<DomainEvent>({ schemas: eventSchemas, upcasts, erasures })

/** How Cairn's events are written into the log and read from it. */
export const { encode, encoding, decode, decoding } = codec

/** The same for the engine, which is given nothing but Cairn's events. */
export const layer = Layer.succeed(Codec, codec as unknown as EventCodec<AnyEvent>)
