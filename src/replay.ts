import { Effect, Schema } from "effect"
import { EventStore } from "#ports/EventStore.ts"
import { type Projection, typesOf } from "#ports/Projection.ts"
import { type Build, type Difference, ReadModels } from "#ports/ReadModels.ts"
import * as Codec from "./codec.ts"

/** Events that are taken in within one transaction. */
const batch = 5_000

/** So many positions behind the live build a new one is near enough for the live one to be held meanwhile. */
const near = 2_000

/** Times that differences are looked at again. */
const looks = 20

/** Differences that are kept of a table. */
const shown = 50

/** What came of building a read model anew. */
export interface Replayed {
  readonly projection: Projection
  /** At which both builds were compared. */
  readonly position: number
  /** Events that were taken in. */
  readonly events: number
  readonly differences: ReadonlyArray<Difference>
}

/** The live read model can't be had where the new one is: no process moves it on, although the log has more. */
export class StandsStill extends Schema.TaggedError<StandsStill>()("StandsStill", { message: Schema.String }) {}

const nameOf = ({ table, id }: Difference) => `${table}/${id}`

/**
 * Builds a read model anew beside the live one, from the log alone, brings it to exactly the live one's position, and
 * compares them row by row while the live one is held. With `promote` the new one takes its place, else it is dropped.
 *
 * A text that was erased is gone from every event at once, and from the live read model only when it comes to the
 * erasure: so what differs is looked at again behind what the log had by then, and only what still differs counts.
 */
export const replay = Effect.fnUntraced(function* (
  projection: Projection,
  options: { readonly promote: boolean; readonly progress: (position: number, of: number) => void }
) {
  const store = yield* EventStore
  const models = yield* ReadModels
  let events = 0

  /** Takes a build on to a position that the live one has, batch by batch. */
  const bring = Effect.fnUntraced(function* (from: Build, to: number) {
    let build = from
    while (build.position < to) {
      const stored = yield* store.readAll(build.position, { types: typesOf(projection), limit: batch })
      const due = stored.filter(({ position }) => position <= to)
      const next = due.length === batch ? due.at(-1)!.position : to
      build = yield* models.apply(build, due.map(Codec.decode), next)
      events += due.length
      options.progress(build.position, to)
    }
    return build
  })

  /** The live build, once it has passed a position. */
  const passed = Effect.fnUntraced(function* (position: number) {
    for (let tries = 0; tries < 500; tries++) {
      const live = yield* models.live(projection)
      if (live.position >= position) return live
      yield* Effect.sleep("20 millis")
    }
    return yield* new StandsStill({
      message: `The read model ${projection.name} stands still behind the log's position ${position}.`
    })
  })

  const bringNear = Effect.fnUntraced(function* (from: Build) {
    let build = from
    while (true) {
      const live = yield* models.live(projection)
      if (live.position - build.position <= near) return build
      build = yield* bring(build, live.position)
    }
  })

  const compared = (build: Build, suspects: ReadonlySet<string> | undefined, last: boolean) =>
    models.hold(
      projection,
      Effect.fnUntraced(function* (live) {
        const rebuilt = yield* bring(build, live.position)
        const all = yield* models.compare(live, rebuilt, suspects === undefined ? shown : shown * looks)
        const differences = suspects === undefined ? all : all.filter((difference) => suspects.has(nameOf(difference)))
        const head = yield* store.head
        const certain = all.length === 0 || head === live.position || (suspects !== undefined && differences.length > 0)
        const settled = certain || last
        if (settled && options.promote) yield* models.promote(rebuilt)
        return { rebuilt, live, all, differences, settled, head }
      })
    )

  const settle = Effect.fnUntraced(function* (first: Build) {
    let build = first
    let suspects: ReadonlySet<string> | undefined
    for (let look = 1; ; look++) {
      const { rebuilt, live, all, differences, settled, head } = yield* compared(
        yield* bringNear(build),
        suspects,
        look === looks
      )
      const { position } = rebuilt
      if (settled) {
        yield* models.drop(options.promote ? live : rebuilt)
        const replayed: Replayed = { projection, position, events, differences: differences.slice(0, shown) }
        return replayed
      }
      build = rebuilt
      suspects = new Set(all.map(nameOf))
      yield* passed(head)
    }
  })

  // a read model that no process moves on can't be compared with what it would be
  yield* passed(yield* store.head)
  const build = yield* models.begin(projection)
  return yield* settle(build).pipe(Effect.onError(() => Effect.ignore(models.drop(build))))
})
