import { Clock, Context, Data, Deferred, Effect, Exit, Layer, PubSub, Semaphore } from "effect"
import { Claims } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Checkpoint, ReadModels } from "#engine/ports/ReadModels.ts"
import { beginning, hasReached, latest, type Position, positionOf } from "./Position.ts"
import { type Projection, schemaOf, typesOf } from "./Projection.ts"
import { Projector } from "./project.ts"

/** Milliseconds that a read waits for its read model to catch up with the log. */
export const ReadPatience = Context.Reference<number>("engine/ReadPatience", { defaultValue: () => 1_000 })
/** The same for callers that can't use an older state and would have to refuse. */
export const longPatience = 10_000

/** Where a live read model stands. */
export interface Standing extends Checkpoint {
  /** Position of the last event that it has to take in; it is fresh once `position` has reached this. */
  readonly due: Position
}

/**
 * A read model is behind the log and did not catch up in time: what is read of it may lack what was just written. Or
 * the log is `away`, so that nobody knows whether it is behind, and nobody can write either.
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

/** The read models can't be reached, or the log just now. */
export class Unreadable extends Data.TaggedError("Unreadable") {}

/** What one look at the log and the read models has seen. */
export type Look = { readonly head: Position; readonly models: ReadonlyMap<string, Standing>; readonly away: boolean }

/**
 * Milliseconds for which the log must be away before reads are answered without it: a lost connection alone is no
 * reason.
 */
const gone = 1_000

/** A read model that does not exist yet is behind, even if the log is empty. */
const absent: Standing = { position: beginning, changed: beginning, due: positionOf(1) }

interface Waiter {
  readonly name: string
  /** The position that the read model must reach. */
  readonly due: Position
  readonly deadline: number
  readonly answer: Deferred.Deferred<Standing, Stale | Unreadable>
}

/**
 * Reads that see everything written before them, by anyone. A read takes the log's head on arrival and waits until its
 * read model has taken in every event up to there that concerns it. Reads that arrive during one look share the next.
 */
export class Asker extends Context.Service<
  Asker,
  {
    /**
     * Where the read model stands, once it has taken in every event in the log now that concerns it. `Stale`: it did
     * not within `patience` milliseconds (`ReadPatience` if not given), or the log has been away for a second.
     * `Unreadable`: the read models can't be reached, or the log just now.
     */
    readonly fresh: (projection: Projection, patience?: number) => Effect.Effect<Standing, Stale | Unreadable>
    /** The same as of an earlier look: events appended after it are not waited for. */
    readonly freshBy: (
      look: Look,
      projection: Projection,
      patience?: number
    ) => Effect.Effect<Standing, Stale | Unreadable>
    /**
     * Position of the last event of a type that the looks have seen; if there was none, where the first look began.
     * `undefined` before the first look. A caller that has awaited `fresh` misses no event that was written before.
     */
    readonly seen: (type: string) => Effect.Effect<Position | undefined>
    /**
     * The log's head, and where every live read model stands, by schema name. While the log is away, the head is the
     * one last seen.
     */
    readonly look: Effect.Effect<Look, Unreadable>
  }
>()("engine/Asker") {
  static readonly layer = (projections: ReadonlyArray<Projection>) =>
    Layer.effect(
      Asker,
      Effect.gen(function* () {
        const models = yield* ReadModels
        const projector = yield* Projector
        const readPatience = yield* ReadPatience
        const scope = yield* Effect.scope
        // processes that share a log tell each other what they move; the command line beside a service hears nothing
        const pause = (yield* Claims).shared ? "50 millis" : "10 millis"
        const one = yield* Semaphore.make(1)
        let next: Deferred.Deferred<Look, Unreadable> | undefined
        const waiters = new Set<Waiter>()
        let watching = false

        const store = yield* EventStore

        /** After `from`, `newest` has the last event of each type; the log was looked at up to `to`. */
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

        /** Takes in what is new in the log since the last look; only one at a time. */
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

        /** Nobody knows which events before the first look concern a read model there: it has to reach that look. */
        const dueOf = (name: string, position: Position): Position =>
          latest(position, from ?? position, newestFor.get(name) ?? position)

        let awaySince: number | undefined

        /** Takes in news. Gives whether the log is away; a fault of less than `gone` milliseconds fails instead. */
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
         * Uninterruptible: a caller that left in between would leave all others waiting for a look that nobody makes.
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

        /** One look at a time: a caller that comes during a look waits for the whole of the next one. */
        const look = Effect.suspend(() =>
          next === undefined ? Effect.flatMap(begin, Deferred.await) : Deferred.await(next)
        )

        const standingIn = ({ models: standings }: Look, name: string) => standings.get(name) ?? absent

        /** Looks once for all waiters whenever a read model has moved, until nobody waits any more. */
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
            // another process may move the read model: then a message may be lost, or never come here
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

/** Where a read model stands, and whether it failed to catch up with the log in time. */
export interface MaybeStale extends Standing {
  readonly stale: boolean
}

/**
 * `Asker.fresh` for callers that can use an older state, too: it fails with `Unreadable` only. Goes by the look `seen`,
 * if given, instead of making one.
 */
export const freshOrOlder = (projection: Projection, seen?: Look) =>
  Effect.flatMap(Asker, (asker) =>
    seen === undefined ? asker.fresh(projection) : asker.freshBy(seen, projection)
  ).pipe(
    Effect.map((standing): MaybeStale => ({ ...standing, stale: false })),
    Effect.catchTag("Stale", ({ standing }) => Effect.succeed({ ...standing, stale: true }))
  )
