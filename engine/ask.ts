import { Clock, Context, Data, Deferred, Effect, Exit, Layer, PubSub, Semaphore } from "effect"
import { Claims } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Checkpoint, ReadModels } from "#engine/ports/ReadModels.ts"
import { beginning, hasReached, latest, type Position, positionOf } from "./Position.ts"
import { type Projection, schemaOf, typesOf } from "./Projection.ts"
import { Projector } from "./project.ts"

/** Milliseconds that a read waits for its read model to have passed the log's head. */
export const ReadPatience = Context.Reference<number>("cairn/ReadPatience", { defaultValue: () => 1_000 })
/** The same for whoever has no use for an older state, and could only refuse. */
export const longPatience = 10_000

/** Where a live read model stands. */
export interface Standing extends Checkpoint {
  /** The last event in the log that it has to take in; it is fresh once `position` has passed it. */
  readonly due: Position
}

/**
 * A read model is behind the log, and did not catch up in time: what is read of it now may lack what was just written.
 * Or nobody knows, because the log is `away`, and with it whoever could write to it.
 */
export class Stale extends Data.TaggedError("Stale")<{
  readonly name: string
  readonly standing: Standing
  readonly away: boolean
}> {
  override get message() {
    return `the read model ${this.name} is behind the log`
  }
}

/** The read models can't be asked. */
export class Unreadable extends Data.TaggedError("Unreadable") {}

/** What one look at the log and the read models has seen. */
export type Look = { readonly head: Position; readonly models: ReadonlyMap<string, Standing>; readonly away: boolean }

/**
 * Milliseconds for which a log has to be away before reads are answered without it: a lost connection is no ground for
 * that.
 */
const gone = 1_000

/** A read model that is not there yet is behind, also of an empty log. */
const absent: Standing = { position: beginning, changed: beginning, due: positionOf(1) }

interface Waiter {
  readonly name: string
  /** The position that the read model must have passed. */
  readonly due: Position
  readonly deadline: number
  readonly answer: Deferred.Deferred<Standing, Stale | Unreadable>
}

/**
 * Reads that see everything written before them, by whom ever: a read takes the log's head on arrival and waits until
 * its read model has taken in every event up to it that concerns it. Requests that arrive during one look share the
 * next.
 */
export class Asker extends Context.Service<
  Asker,
  {
    /**
     * Where the read model stands, once it has taken in all that concerns it of what is in the log now. `Stale`: it did
     * not within `patience` milliseconds, `ReadPatience` unless told, or the log has been away for a second.
     * `Unreadable`: the read models can't be reached, or the log just now.
     */
    readonly fresh: (projection: Projection, patience?: number) => Effect.Effect<Standing, Stale | Unreadable>
    /** The same as of a look: what is in the log since then is not waited for. */
    readonly freshBy: (
      look: Look,
      projection: Projection,
      patience?: number
    ) => Effect.Effect<Standing, Stale | Unreadable>
    /**
     * Where the last event of a type is that the last look has seen, or from where on there was none; `undefined`
     * before the first look. Who has asked whether something is fresh misses nothing here that was written before.
     */
    readonly seen: (type: string) => Effect.Effect<Position | undefined>
    /**
     * The log's head, and where every live read model stands, by schema name; as they were last seen, where the log is
     * away.
     */
    readonly look: Effect.Effect<Look, Unreadable>
  }
>()("cairn/Asker") {
  static readonly layer = (projections: ReadonlyArray<Projection>) =>
    Layer.effect(
      Asker,
      Effect.gen(function* () {
        const models = yield* ReadModels
        const projector = yield* Projector
        const readPatience = yield* ReadPatience
        const scope = yield* Effect.scope
        // others say when they have moved read models; but for the command line beside a service, which hears nothing
        const pause = (yield* Claims).shared ? "50 millis" : "10 millis"
        const one = yield* Semaphore.make(1)
        let next: Deferred.Deferred<Look, Unreadable> | undefined
        const waiters = new Set<Waiter>()
        let watching = false

        const store = yield* EventStore

        /** Behind it, `newest` has the last event of each type; how far the log was looked at. */
        let from: Position | undefined
        let to = beginning
        const newest = new Map<string, Position>()
        /** The same by read model: the last event that concerns it. */
        const newestFor = new Map<string, Position>()
        const concerned = Map.groupBy(
          projections.flatMap((projection) =>
            typesOf(projection).map((type) => ({ type, name: schemaOf(projection) }))
          ),
          ({ type }) => type
        )
        const note = (known: Map<string, Position>, name: string, last: Position) =>
          known.set(name, latest(last, known.get(name) ?? last))

        /** What is new in the log since the last look: one at a time. */
        const news = Effect.gen(function* () {
          if (from === undefined) {
            to = yield* store.head
            from = to
            return
          }
          const { head, kinds } = yield* store.since(to)
          for (const { type, last } of kinds) {
            note(newest, type, last)
            for (const { name } of concerned.get(type) ?? []) note(newestFor, name, last)
          }
          to = head
        })

        /** Of one that stands before the first look, nobody knows what it has to take in before that. */
        const dueOf = (name: string, position: Position): Position =>
          latest(position, from ?? position, newestFor.get(name) ?? position)

        let awaySince: number | undefined

        /** Whether the log is away, which it has to be for a while. */
        const newsOrAway = Effect.gen(function* () {
          const exit = yield* Effect.exit(news)
          if (Exit.isSuccess(exit)) {
            awaySince = undefined
            return false
          }
          const now = yield* Clock.currentTimeMillis
          awaySince ??= now
          if (from === undefined || now - awaySince < gone) return yield* Effect.failCause(exit.cause)
          return true
        })

        const now = Effect.all([newsOrAway, models.checkpoints(projections)], { concurrency: 2 }).pipe(
          Effect.map(([away, checkpoints]): Look => {
            const standings = projections.flatMap((projection) => {
              const name = schemaOf(projection)
              const found = checkpoints.get(name)
              return found === undefined ? [] : [[name, { ...found, due: dueOf(name, found.position) }] as const]
            })
            return { head: to, models: new Map(standings), away }
          }),
          Effect.mapError(() => new Unreadable())
        )

        /**
         * Nobody leaves while beginning what others wait for too: it would stay begun for all of them, and never end.
         */
        const begin = Effect.gen(function* () {
          const mine = yield* Deferred.make<Look, Unreadable>()
          next = mine
          yield* Effect.suspend(() => {
            next = undefined
            return Deferred.into(now, mine)
          }).pipe(one.withPermits(1), Effect.forkIn(scope, { startImmediately: true }))
          return mine
        }).pipe(Effect.uninterruptible)

        /** One look at a time; whoever comes while it is under way gets the one after it, whole. */
        const look = Effect.suspend(() =>
          next === undefined ? Effect.flatMap(begin, Deferred.await) : Deferred.await(next)
        )

        const standingIn = ({ models: standings }: Look, name: string) => standings.get(name) ?? absent

        /** One look for all that wait, whenever a read model has moved, until nobody waits any more. */
        const watch = Effect.gen(function* () {
          const moves = yield* PubSub.subscribe(projector.moved)
          while (waiters.size > 0) {
            const seen = yield* Effect.exit(look)
            const now = yield* Clock.currentTimeMillis
            for (const waiter of waiters) {
              const { name, due, deadline, answer } = waiter
              const outcome = Exit.map(seen, (found) => standingIn(found, name))
              const away = Exit.isSuccess(seen) && seen.value.away
              if (Exit.isSuccess(outcome) && !hasReached(outcome.value.position, due)) {
                if (now < deadline && !away) continue
                yield* Deferred.fail(answer, new Stale({ name, standing: outcome.value, away }))
              } else yield* Deferred.done(answer, outcome)
              waiters.delete(waiter)
            }
            // another process may be the one that moves it: then a message may be lost, or none comes here
            if (waiters.size > 0) yield* Effect.ignore(PubSub.takeAll(moves).pipe(Effect.timeout(pause)))
          }
          watching = false
        }).pipe(Effect.scoped)

        const beginToWatch = Effect.suspend(() => {
          if (watching) return Effect.void
          watching = true
          return Effect.forkIn(watch, scope)
        }).pipe(Effect.uninterruptible)

        const freshBy: Asker["Service"]["freshBy"] = Effect.fnUntraced(function* (
          found,
          projection,
          wait = readPatience
        ) {
          const name = schemaOf(projection)
          const standing = standingIn(found, name)
          if (found.away) return yield* new Stale({ name, standing, away: true })
          if (hasReached(standing.position, standing.due)) return standing
          const answer = yield* Deferred.make<Standing, Stale | Unreadable>()
          const deadline = (yield* Clock.currentTimeMillis) + wait
          waiters.add({ name, due: standing.due, deadline, answer })
          yield* beginToWatch
          return yield* Deferred.await(answer)
        })

        const fresh: Asker["Service"]["fresh"] = (projection, wait) =>
          Effect.flatMap(look, (found) => freshBy(found, projection, wait))

        return Asker.of({ fresh, freshBy, seen: (type) => Effect.sync(() => newest.get(type) ?? from), look })
      })
    )
}

/** `Asker.fresh`: waits until a read model has taken in what is in the log now, at most `patience` milliseconds. */
export const fresh = (projection: Projection, patience?: number) =>
  Effect.flatMap(Asker, (asker) => asker.fresh(projection, patience))

/** Where a read model that was asked stands, and whether it did not catch up with the log in time. */
export interface MaybeStale extends Standing {
  readonly stale: boolean
}

/**
 * `Asker.fresh` for who answers from an older state, too: only `Unreadable` is a failure. By a look that was `seen`,
 * where there is one, without another.
 */
export const freshOrOlder = (projection: Projection, seen?: Look) =>
  Effect.flatMap(Asker, (asker) =>
    seen === undefined ? asker.fresh(projection) : asker.freshBy(seen, projection)
  ).pipe(
    Effect.map((standing): MaybeStale => ({ ...standing, stale: false })),
    Effect.catchTag("Stale", ({ standing }) => Effect.succeed({ ...standing, stale: true }))
  )
