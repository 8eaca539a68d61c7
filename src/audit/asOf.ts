import { Effect } from "effect"
import type { Projection } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Kept, ReadModels } from "#engine/ports/ReadModels.ts"
import { bring } from "#engine/project.ts"

/** Where the read models of a position are kept. */
export const schemaAt = (position: number): string => `as_of_${position}`

/** The position of the last event that was recorded at a time (milliseconds since the epoch) or before; 0 for none. */
export const positionAt = Effect.fnUntraced(function* (time: number) {
  const store = yield* EventStore
  // the log's time never goes back: all events up to `low` are in time, and the first one behind `high` is not
  let low = 0
  let high = yield* store.head
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [next] = (yield* store.readAll(middle, { limit: 1 })).events
    if (next === undefined || next.position > high || next.recordedAt > time) high = middle
    else low = next.position
  }
  return low
})

/** A read model as it was. */
export interface AsOf {
  readonly projection: Projection
  readonly tables: ReadonlyArray<Kept>
}

/**
 * Builds a read model from the log up to a position, as it was then but for what was erased since, into a schema that
 * nothing else uses. The live one is not touched.
 */
export const asOf = Effect.fnUntraced(function* (
  projection: Projection,
  position: number,
  progress: (position: number, of: number) => void
) {
  const models = yield* ReadModels
  const begun = yield* models.begin(projection)
  return yield* Effect.gen(function* () {
    const build = yield* bring(begun, position, (build) => Effect.sync(() => progress(build.position, position)))
    const asOf: AsOf = { projection, tables: yield* models.keep(build, schemaAt(position)) }
    return asOf
  }).pipe(Effect.onError(() => Effect.ignore(models.drop(begun))))
})
