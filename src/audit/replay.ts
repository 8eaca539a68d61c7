import { Effect, Schema } from "effect"
import { beginning, hasReached, isAfter, type Position } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Build, type Difference, ReadModels } from "#engine/ports/ReadModels.ts"
import { bring } from "#engine/project.ts"

/**
 * So many events that were new since the last look: then a new build is near enough for the live one to be held
 * meanwhile.
 */
const near = 2_000

/** Times that differences are looked at again. */
const looks = 20

/** Differences that are kept of a table. */
const shown = 50

/** What came of building a read model anew. */
export interface Replayed {
  readonly projection: Projection
  /** That it was brought to. */
  readonly position: Position
  /** Events that were taken in. */
  readonly events: number
  readonly differences: ReadonlyArray<Difference>
}

/** The live read model can't be had where the new one is: no process moves it on, although the log has more. */
export class StandsStill extends Schema.TaggedError<StandsStill>()("StandsStill", { message: Schema.String }) {}

const nameOf = ({ table, id }: Difference) => `${table}/${id}`

/**
 * Builds a read model anew beside the live one, from the log alone, brings it to exactly the live one's position, and
 * compares them there row by row. With `promote` the new one then takes its place, else it is dropped.
 *
 * A text that was erased is gone from every event at once, and from the live read model only when it comes to the
 * erasure: so what differs is looked at again behind what the log had by then, and only what still differs counts.
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

  /** Takes the build on to a position that the live one has. */
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

  /** Both builds compared where the live one stands, and whether the log had more by then. */
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

  // a read model that no process moves on can't be compared with what it would be
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
    // it is in its place: what is left of the one before it the next replay drops
    yield* Effect.uninterruptible(Effect.ignore(models.drop(met.live)))
    return { ...replayed, position: met.rebuilt.position, events }
  }).pipe(Effect.onError(() => Effect.ignore(models.drop(build))))
})
