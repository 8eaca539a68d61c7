import { Cause, Clock, Context, Effect, Layer, PubSub, Queue, Schedule } from "effect"
import { Claims, whileMine } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Build, ReadModels } from "#engine/ports/ReadModels.ts"
import { hasReached, isAfter, latest, type Position } from "./Position.ts"
import { type Projection, schemaOf, typesOf } from "./Projection.ts"
import { decodeAll } from "./pages.ts"
import { saying } from "./saying.ts"

/** Events that one transaction takes in, when they are small. */
const batch = 5_000
/** Milliseconds after which a read model that can't go on is tried again. */
const patience = 1_000

/**
 * Brings a build up to a position of the log, batch by batch: one batch is read while another is applied. `told` hears
 * of each batch: the build after it, and how many events it had. Gives the build as it then stands. Fails with
 * `BuildMoved` if another process moves it meanwhile, and if the log or the read models can't be reached.
 */
export const bring = Effect.fnUntraced(function* (
  from: Build,
  to: Position,
  told: (build: Build, events: number) => Effect.Effect<void> = () => Effect.void
) {
  if (hasReached(from.position, to)) return from
  const store = yield* EventStore
  const models = yield* ReadModels
  const types = typesOf(from.projection)
  const read = (after: Position) => store.readAll(after, { types, limit: batch })
  let build = from
  let page = yield* read(build.position)
  while (isAfter(to, build.position)) {
    const due = page.events.filter(({ position }) => hasReached(to, position))
    const end = due.length === page.events.length && page.more ? due.at(-1)!.position : to
    const [moved, next] = yield* Effect.all(
      [
        Effect.flatMap(decodeAll(due), (events) => models.apply([build], events, end)),
        isAfter(to, end) ? read(end) : Effect.succeed(page)
      ],
      { concurrency: 2 }
    )
    build = moved[0]!
    page = next
    yield* told(build, due.length)
  }
  return build
})

const nameOf = ({ projection }: Build) => schemaOf(projection)

/** The name that a process claims before it folds a read model. */
export const claimOf = (projection: Projection): string => `read model ${schemaOf(projection)}`

/**
 * Delivers the log to the read models that this process moves on; only one process at a time moves each of them. Read
 * models at the same position go on together: one read of the log, one transaction. One that can't go on stops where it
 * is, is named by `failures`, and is tried again every second, while the others go on. No event is skipped.
 */
export class Projector extends Context.Service<
  Projector,
  {
    /** Emits the schema name of each read model that any process has moved. Keeps the last 64 for a slow subscriber. */
    readonly moved: PubSub.PubSub<string>
    /** Read models that can't go on, by schema name, with the error as text. */
    readonly failures: Effect.Effect<ReadonlyMap<string, string>>
  }
>()("engine/Projector") {
  static readonly layer = (projections: ReadonlyArray<Projection>) =>
    Layer.effect(
      Projector,
      Effect.gen(function* () {
        const store = yield* EventStore
        const models = yield* ReadModels
        const moved = yield* PubSub.sliding<string>(64)
        const failures = new Map<string, string>()
        const said = new Map(projections.map((projection) => [projection, saying()]))
        const { shared } = yield* Claims
        /** The read models that this process moves on, and how often that set has changed. */
        const mine = new Set<Projection>(shared ? [] : projections)
        let changes = 0
        const changed = yield* Queue.sliding<void>(1)

        const tell = (builds: ReadonlyArray<Build>) => {
          const names = builds.map(nameOf)
          const told = PubSub.publishAll(moved, names)
          return shared ? Effect.andThen(told, models.tell(names)) : told
        }

        const change = (how: () => void) =>
          Effect.suspend(() => {
            how()
            changes += 1
            return Queue.offer(changed, undefined)
          })
        const own = (projection: Projection) =>
          whileMine(claimOf(projection), () =>
            Effect.acquireUseRelease(
              change(() => mine.add(projection)),
              () => Effect.never,
              () =>
                change(() => {
                  mine.delete(projection)
                  failures.delete(schemaOf(projection))
                })
            )
          )

        /** Brings one read model up to a position by itself. */
        const alone = Effect.fnUntraced(function* (projection: Projection, to: Position) {
          const build = yield* bring(yield* models.live(projection), to, (build) => tell([build]))
          failures.delete(nameOf(build))
          yield* said.get(projection)!.over(Effect.logInfo(`read model ${nameOf(build)} goes on`))
          return [build]
        })

        const orNoted = (projection: Projection, to: Position) =>
          alone(projection, to).pipe(
            Effect.retry({
              while: (error) => error._tag === "BuildMoved" && mine.has(projection),
              schedule: Schedule.spaced("5 millis")
            }),
            Effect.catchCause((cause) => {
              if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
              const name = schemaOf(projection)
              if (!mine.has(projection)) return Effect.succeed([])
              const fault = String(Cause.squash(cause))
              failures.set(name, fault)
              const { say } = said.get(projection)!
              return Effect.as(say(cause, Effect.logError(`read model ${name} can't go on`, cause)), [])
            })
          )

        /** Brings read models to one position, each by itself, so that they can go on together from there. */
        const each = Effect.fnUntraced(function* (some: ReadonlyArray<Projection>) {
          const head = yield* store.head
          const checkpoints = yield* models.checkpoints(some)
          const to = latest(head, ...[...checkpoints.values()].map(({ position }) => position))
          const builds = yield* Effect.forEach(some, (projection) => orNoted(projection, to), { concurrency: 2 })
          return builds.flat() as ReadonlyArray<Build>
        })

        /** Moves builds that stand together on by one page of the log; `more`: further pages may follow. */
        const together = Effect.fnUntraced(function* (builds: ReadonlyArray<Build>) {
          const { events: stored, more } = yield* store.readAll(builds[0]!.position, { limit: batch })
          if (stored.length === 0) return { builds, more }
          const subscribed = new Set<string>(builds.flatMap(({ projection }) => typesOf(projection)))
          const events = yield* decodeAll(stored.filter(({ type }) => subscribed.has(type)))
          const next = yield* models.apply(builds, events, stored.at(-1)!.position)
          yield* tell(next)
          return { builds: next, more }
        })

        const apart: Effect.Success<ReturnType<typeof together>> = { builds: [], more: true }

        const stand = (builds: ReadonlyArray<Build>) =>
          builds.length > 0 && builds.every(({ position }) => position === builds[0]!.position)

        const unlessInterrupted =
          <A>(otherwise: A) =>
          (cause: Cause.Cause<unknown>) =>
            Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause as Cause.Cause<never>) : Effect.succeed(otherwise)

        const deliver = Effect.gen(function* () {
          const hints = yield* store.hints
          let builds: ReadonlyArray<Build> = []
          const news = shared ? Effect.raceFirst(PubSub.takeAll(hints), Queue.take(changed)) : PubSub.takeAll(hints)
          let tried = 0
          let claimed = changes
          for (;;) {
            const now = yield* Clock.currentTimeMillis
            if (mine.size === 0) {
              yield* Queue.take(changed)
              continue
            }
            if (!stand(builds) || claimed !== changes || (failures.size > 0 && now - tried >= patience)) {
              if (failures.size === mine.size) yield* Effect.sleep(patience)
              tried = now
              claimed = changes
              // if the log or the read models are away, every read says so: wait, and try again
              builds = yield* each(projections.filter((projection) => mine.has(projection))).pipe(
                Effect.tapError(() => Effect.sleep("200 millis")),
                Effect.catchCause(unlessInterrupted<ReadonlyArray<Build>>([]))
              )
              continue
            }
            // another process was first, or one build can't take an event: then bring each up by itself
            const next = yield* Effect.catchCause(together(builds), unlessInterrupted(apart))
            builds = next.builds
            // News that came meanwhile has left a hint. Read models that can't go on are tried again even without news.
            if (!next.more) yield* failures.size === 0 ? news : Effect.timeoutOption(news, patience)
          }
        })

        yield* Effect.forEach(projections, models.live, { concurrency: 4, discard: true })
        yield* Effect.forkScoped(Effect.scoped(deliver))
        if (shared) {
          for (const projection of projections) yield* Effect.forkScoped(own(projection))
          const told = yield* models.told
          const pass = Effect.flatMap(PubSub.takeAll(told), (names) => PubSub.publishAll(moved, names))
          yield* Effect.forkScoped(Effect.forever(pass))
        }
        return Projector.of({ moved, failures: Effect.sync(() => new Map(failures)) })
      })
    )
}
