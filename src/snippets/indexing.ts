import { Clock, Context, Deferred, Effect, Fiber, Layer, PubSub, Semaphore } from "effect"
import { ReadPatience } from "#engine/ask.ts"
import { schemaOf } from "#engine/Projection.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { Projector } from "#engine/project.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { Telling } from "#ports/Telling.ts"
import { indexChanges } from "#projections/Snippets/changes.ts"
import type { WhyLeftOut } from "#projections/Snippets/rows.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { standsOf } from "#projections/stands.ts"
import { makeReading, type Source } from "./indexing/reading.ts"

const byTable: Source = { read: indexChanges, stands: standsOf([Snippets]), tells: true }
/** Milliseconds between two readings that nobody asked for; other processes can't ask for those of a shared index. */
const pause = { own: 50, shared: 10 }
/** Milliseconds between two looks at an index that another process feeds, while a caller waits for it. */
const look = 250
/** Names the messages in which the feeding process says how far the index is. */
const about = "snippet_index"

/**
 * Keeps the snippet index in step with the catalogue. It reads on in the catalogue's rows, whichever process wrote
 * them, from where the index is; an index that holds nothing yet is filled from the terms and vectors stored there. If
 * all processes share one index, one of them feeds it and the others hear from it. A process that hears nothing in time
 * reads on by itself: taking the same rows in twice changes nothing.
 */
export class Indexing extends Context.Service<
  Indexing,
  {
    /** Waits until the index holds every change up to a position, for at most `ReadPatience`. Gives whether it does. */
    readonly reach: (position: number) => Effect.Effect<boolean>
    readonly position: Effect.Effect<number>
    /** The furthest position that it ever had, even if it is away since. */
    readonly furthest: Effect.Effect<number>
    /** Why its last try to read on failed; `undefined`: it did not. */
    readonly fault: Effect.Effect<string | undefined>
    /** Whether that is because the index can't be reached: reading goes on by itself once it can. */
    readonly away: Effect.Effect<boolean>
    /**
     * Snippets that can't be found by all of their text, and why; `refused`: the index could not take them. If another
     * process feeds the index, this is some seconds old.
     */
    readonly leftOut: Effect.Effect<ReadonlyMap<string, WhyLeftOut | "refused">>
    /** How many snippets the index holds; `undefined`: it is outside this service. */
    readonly size: Effect.Effect<number | undefined>
  }
>()("cairn/Indexing") {
  static readonly make = (source: Source) =>
    Effect.gen(function* () {
      const index = yield* SnippetIndex
      const patience = yield* ReadPatience
      const projector = yield* Projector
      const claims = yield* Claims
      const telling = yield* Telling
      const one = yield* Semaphore.make(1)
      const name = schemaOf(Snippets)
      const isShared = claims.shared && index.sharedAs !== undefined
      const between = isShared ? pause.shared : pause.own
      let isFeeder = !isShared
      /** Callers that wait for a position. They go on as soon as it is reached, even while later rows are read. */
      const waiting = new Map<Deferred.Deferred<void>, number>()
      const scope = yield* Effect.scope

      const { read, isStill, hear, anew, position, furthest, fault, isAway, leftOut } = yield* makeReading(
        source,
        Effect.fnUntraced(function* (position) {
          for (const [reached, to] of waiting) if (to <= position) yield* Deferred.succeed(reached, undefined)
          // processes that wait need not look for it
          if (isFeeder && isShared) yield* telling.tell(about, `${position}`)
        })
      )
      const catchUp = Effect.repeat(read.pipe(one.withPermits(1)), { until: (more) => !more })
      const heard = hear.pipe(one.withPermits(1))

      const moves = yield* PubSub.subscribe(projector.moved)
      const moved = Effect.map(PubSub.takeAll(moves), (names) => names.includes(name))
      const lookOn = Effect.flatMap(isStill.pipe(one.withPermits(1)), (still) => (still ? Effect.void : catchUp))
      const goOn = moved.pipe(
        Effect.map((mine) => (mine ? catchUp : Effect.void)),
        // another process may move the catalogue: then no message comes here
        Effect.timeoutOrElse({ duration: "1 second", orElse: () => Effect.succeed(lookOn) }),
        Effect.flatten,
        // callers don't wait for this pause; what is read between their questions only leaves them less to wait for
        Effect.andThen(Effect.sleep(between))
      )
      const feed = Effect.andThen(catchUp, Effect.repeat(goOn, { while: () => !isShared || fault() === undefined }))

      // one step, unless another caller's has reached the position: nobody waits for rows that are written meanwhile
      const until = (to: number, step: Effect.Effect<boolean>) =>
        Effect.suspend(() => (position() < to ? Effect.asVoid(step) : Effect.void)).pipe(one.withPermits(1))

      if (isShared) {
        const feeding = Effect.acquireUseRelease(
          Effect.sync(() => {
            isFeeder = true
            anew()
          }),
          () => feed,
          () =>
            Effect.sync(() => {
              isFeeder = false
            })
        )
        // a process that can't feed the index, for whatever reason, lets others try
        const inTurn = Effect.flatMap(claims.claim(`${index.sharedAs} of ${name}`), ({ lost }) =>
          Effect.raceFirst(feeding, lost)
        )
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.scoped(inTurn), Effect.sleep("1 second"))))
        const others = Effect.suspend(() => (isFeeder ? Effect.void : heard))
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(others, Effect.sleep("1 second"))))
        const told = yield* telling.told(about)
        const listen = Effect.gen(function* () {
          const furthest = Math.max(...(yield* PubSub.takeAll(told)).map(Number))
          const due = [...waiting.values()].filter((to) => to <= furthest)
          if (due.length > 0) yield* until(Math.min(...due), hear)
        })
        yield* Effect.forkScoped(Effect.forever(listen))
      } else yield* Effect.forkScoped(feed)

      /** Brings the index to a position, or hears that another process has. */
      const bring = Effect.fnUntraced(function* (to: number) {
        const began = yield* Clock.currentTimeMillis
        while (position() < to) {
          const before = position()
          const isOwn = isFeeder || (yield* Clock.currentTimeMillis) - began >= patience / 2
          // a caller that stops waiting leaves the step running: if each broke it off, it would never end
          yield* Fiber.await(yield* Effect.forkIn(until(to, isOwn ? read : hear), scope))
          // a search asks the index itself next, and hears then that it is away
          if (isAway()) return
          // no new rows have come yet
          if (fault() !== undefined || position() === before) yield* Effect.sleep(isOwn ? pause.own : look)
        }
      })
      const reach = Effect.fnUntraced(function* (to: number) {
        if (position() >= to) return true
        const reached = yield* Deferred.make<void>()
        waiting.set(reached, to)
        yield* Effect.raceFirst(bring(to), Deferred.await(reached)).pipe(
          Effect.timeoutOption(patience),
          Effect.ensuring(Effect.sync(() => waiting.delete(reached)))
        )
        return position() >= to
      })
      return Indexing.of({
        reach,
        position: Effect.sync(position),
        furthest: Effect.sync(furthest),
        fault: Effect.sync(fault),
        away: Effect.sync(isAway),
        leftOut: Effect.sync(leftOut),
        size: index.size ?? Effect.undefined
      })
    })

  static readonly layer = Layer.effect(Indexing, Indexing.make(byTable))
}
