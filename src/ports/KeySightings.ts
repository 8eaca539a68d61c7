import { Context, type Effect } from "effect"

/** Key to milliseconds since the epoch. */
export type Sightings = ReadonlyMap<string, number>

/** When keys were last seen in use. What is lost of it, the log says to the hour. */
export class KeySightings extends Context.Service<
  KeySightings,
  {
    /** Notes them all; what is known already and later stays. Never fails: it is no request's business. */
    readonly note: (seen: Sightings) => Effect.Effect<void>
  }
>()("cairn/KeySightings") {}
