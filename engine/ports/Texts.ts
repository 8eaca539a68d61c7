import { Context, type Effect } from "effect"
import type { Position } from "../Position.ts"
import type { Payload, StoreUnavailable } from "./EventStore.ts"

/** A payload with the id under which it is found. */
export interface Text extends Payload {
  readonly id: string
  readonly tenant: string
}

/**
 * What callers typed, for a log that has no texts of its own. Each operation may be repeated, and is done whole or not
 * at all.
 */
export class Texts extends Context.Service<
  Texts,
  {
    /** Keeps texts. A text that is there under an id stays as it is; texts of an erased subject are not kept. */
    readonly put: (texts: ReadonlyArray<Text>) => Effect.Effect<void, StoreUnavailable>
    /** The bytes of the texts that are there, by id. */
    readonly get: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Uint8Array>, StoreUnavailable>
    /** Removes all texts of a tenant's subjects, and sees to it that none of them is kept again. */
    readonly erase: (tenant: string, subjects: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
    /** Up to where `finishErasures` has done all erasures of the log, as far as is known here. */
    readonly finished: Effect.Effect<Position, StoreUnavailable>
  }
>()("engine/Texts") {}
