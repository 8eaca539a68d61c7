import { Context, type Effect } from "effect"

/** Milliseconds since the epoch, by key. */
export type Sightings = ReadonlyMap<string, number>

/** When keys were last seen in use. For a sighting that is lost, the log still has the hour. */
export class KeySightings extends Context.Service<
  KeySightings,
  {
    /** Notes all of them; a later one that is known already stays. Never fails: no request depends on it. */
    readonly note: (seen: Sightings) => Effect.Effect<void>
  }
>()("cairn/KeySightings") {}
