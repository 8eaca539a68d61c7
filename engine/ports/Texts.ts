import { Context, type Effect } from "effect"
import type { Payload, StoreUnavailable } from "./EventStore.ts"

/** A payload with the name that it is found under. */
export interface Text extends Payload {
  readonly id: string
  readonly tenant: string
}

/**
 * What callers typed, where it lies beside a log that has no texts of its own. Each operation may be repeated, and is
 * whole or has not begun.
 */
export class Texts extends Context.Service<
  Texts,
  {
    /** Keeps texts; what is there under an id stays, and of a subject that was erased nothing is kept. */
    readonly put: (texts: ReadonlyArray<Text>) => Effect.Effect<void, StoreUnavailable>
    /** The bytes of those that are there. */
    readonly get: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Uint8Array>, StoreUnavailable>
    /** Removes all texts of a tenant's subjects, and sees to it that none of them is kept again. */
    readonly erase: (tenant: string, subjects: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
  }
>()("engine/Texts") {}
