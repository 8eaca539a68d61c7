import { Context, Effect, Layer, PubSub, Ref, Schedule } from "effect"
import { type Projection, schemaOf, typesOf } from "#ports/Projection.ts"
import { EventStore } from "#ports/EventStore.ts"
import { type Build, ReadModels } from "#ports/ReadModels.ts"
import * as Codec from "./codec.ts"

/** Events that are taken in within one transaction. */
const batch = 5_000

/** Takes a build on by one batch; answers where it stands then. The same build again: there was nothing more. */
export const advance = Effect.fnUntraced(function* (build: Build, limit = batch) {
  const store = yield* EventStore
  const models = yield* ReadModels
  // in this order: what is read after the look at the head holds all events up to it
  const head = yield* store.head
  if (head <= build.position) return build
  const stored = yield* store.readAll(build.position, { types: typesOf(build.projection), limit })
  const to = stored.length < limit ? Math.max(head, stored.at(-1)?.position ?? 0) : stored.at(-1)!.position
  return yield* models.apply(build, stored.map(Codec.decode), to)
})

/**
 * Delivers the log to the read models: each goes on alone, at its own pace, woken by what is appended. One that fails
 * stops where it is, and is named by `failures`; nothing is skipped.
 */
export class Projector extends Context.Service<Projector, {
  /** Emits the schema name of each read model that has moved. */
  readonly moved: PubSub.PubSub<string>
  /** Read models that can't go on, and why. */
  readonly failures: Effect.Effect<ReadonlyMap<string, string>>
}>()("cairn/Projector") {
  static readonly layer = (projections: ReadonlyArray<Projection>) =>
    Layer.effect(
      Projector,
      Effect.gen(function* () {
        const store = yield* EventStore
        const models = yield* ReadModels
        const moved = yield* PubSub.sliding<string>(64)
        const failures = yield* Ref.make<ReadonlyMap<string, string>>(new Map())

        const catchUp = Effect.fnUntraced(function* (projection: Projection) {
          const name = schemaOf(projection)
          let build = yield* models.live(projection)
          while (true) {
            const next = yield* advance(build)
            if (next === build) return
            build = next
            yield* PubSub.publish(moved, name)
          }
        })

        const run = (projection: Projection) => {
          const name = schemaOf(projection)
          const note = (reason: string | undefined) =>
            Ref.update(failures, (known) => {
              const next = new Map(known)
              if (reason === undefined) next.delete(name)
              else next.set(name, reason)
              return next
            })
          return Effect.scoped(
            Effect.gen(function* () {
              const hints = yield* store.hints
              yield* catchUp(projection).pipe(
                Effect.retry({
                  while: (error) => error._tag === "BuildMoved",
                  schedule: Schedule.spaced("5 millis")
                }),
                Effect.tap(() => note(undefined)),
                Effect.catchCause((cause) =>
                  Effect.logError(`read model ${name} can't go on`, cause).pipe(
                    Effect.andThen(note(String(cause.reasons[0]))),
                    Effect.andThen(Effect.sleep("1 second"))
                  )
                ),
                Effect.andThen(PubSub.takeAll(hints)),
                Effect.forever
              )
            })
          )
        }

        for (const projection of projections) {
          yield* models.live(projection)
          yield* Effect.forkScoped(run(projection))
        }
        return Projector.of({ moved, failures: Ref.get(failures) })
      })
    )
}
