import { Effect, Schema } from "effect"
import { beginning, hasReached, isAfter, type Position } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Build, type Difference, ReadModels } from "#engine/ports/ReadModels.ts"
import { bring } from "#engine/project.ts"

/**
 * Events that may be new since the last look: with no more than these, the new build is near enough for the live one to
 * be held meanwhile.
 */
const near = 2_000

/** How often differences are looked at, at most. */
const looks = 20

/** How many differences are kept of a table. */
const shown = 50

/** The result of building a read model anew. */
export interface Replayed {
  readonly projection: Projection
  /** The position that the new build was brought to. */
  readonly position: Position
  /** How many events the new build has taken in. */
  readonly events: number
  readonly differences: ReadonlyArray<Difference>
}

/** The live read model does not come to the new one's position: no process moves it on, although the log has more. */
export class StandsStill extends Schema.TaggedError<StandsStill>()("StandsStill", { message: Schema.String }) {}

const nameOf = ({ table, id }: Difference) => `${table}/${id}`

/**
 * Builds a read model anew beside the live one, from the log alone, brings it to exactly the live one's position, and
 * compares them there row by row. With `promote` the new one then takes its place, otherwise it is dropped.
 * A text that was erased is gone from every event at once, but from the live read model only when that comes to the
 * erasure. So differences are looked at again once the live one has passed the head that the log had, and only those
 * that remain count.
 */
export const replay = Effect.fnUntraced(function* (
  projection: Projection,
  options: {
    readonly promote: boolean
    /** Hears how far the new build is, where it is to come, and how many events it has taken in. */
    readonly progress: (position: Position, of: Position, events: number) => void
  }
) {
  const store = yield* EventStore
  const models = yield* ReadModels
  let events = 0

  /** Brings a build to a position that the live one has. */
  const bringTo = (from: Build, to: Position) =>
    bring(from, to, (build, taken) =>
      Effect.sync(() => {
        events += taken
        options.progress(build.position, to, events)
      })
    )

  /** The live build, once it has passed a position. */
  const passed = Effect.fnUntraced(function* (position: Position) {
    for (let tries = 0; tries < 500; tries++) {
      const live = yield* models.live(projection)
      if (hasReached(live.position, position)) return live
      yield* Effect.sleep("20 millis")
    }
    return yield* new StandsStill({
      message: `The read model ${projection.name} stands still behind the log's position ${position}.`
    })
  })

  const bringNear = Effect.fnUntraced(function* (from: Build) {
    let build = from
    while (true) {
      const before = events
      const live = yield* models.live(projection)
      build = yield* bringTo(build, live.position)
      if (events - before <= near) return build
    }
  })

  /** Compares both builds at the live one's position, and says whether the log had more by then. */
  const compared = Effect.fnUntraced(function* (build: Build, limit: number) {
    let head = beginning
    const met = yield* models.compare(
      projection,
      (live) => Effect.tap(bringTo(build, live.position), () => Effect.map(store.head, (now) => void (head = now))),
      limit
    )
    return { ...met, head, more: isAfter(head, met.live.position) }
  })

  const settle = Effect.fnUntraced(function* (first: Build) {
    let build = first
    let suspects: ReadonlySet<string> | undefined
    for (let look = 1; ; look++) {
      const limit = suspects === undefined ? shown : shown * looks
      const { rebuilt, differences, head, more } = yield* compared(yield* bringNear(build), limit)
      const still = differences.filter((difference) => suspects?.has(nameOf(difference)) ?? true)
      const certain = differences.length === 0 || !more || (suspects !== undefined && still.length > 0)
      if (certain || look === looks) return { rebuilt, differences: still.slice(0, shown) }
      build = rebuilt
      suspects = new Set(differences.map(nameOf))
      yield* passed(head)
    }
  })

  // the comparison needs a live read model that some process moves on
  yield* passed(yield* store.head)
  const build = yield* models.begin(projection)
  return yield* Effect.gen(function* () {
    const { rebuilt, differences } = yield* settle(build)
    const replayed: Replayed = { projection, position: rebuilt.position, events, differences }
    if (!options.promote) {
      yield* models.drop(rebuilt)
      return replayed
    }
    const next = yield* bringNear(rebuilt)
    const met = yield* models.promote(projection, (live) => bringTo(next, live.position))
    // the new build is live: if the old one can't be dropped now, the next replay drops it
    yield* Effect.uninterruptible(Effect.ignore(models.drop(met.live)))
    return { ...replayed, position: met.rebuilt.position, events }
  }).pipe(Effect.onError(() => Effect.ignore(models.drop(build))))
})
