import { Clock, Effect, PubSub, Schedule } from "effect"
import type { Recorded } from "#domain/Event.ts"
import type { EventOf, EventType } from "#domain/events.ts"
import { EventStore } from "#ports/EventStore.ts"
import { ReadModels } from "#ports/ReadModels.ts"
import * as Codec from "./codec.ts"
import { inSteps } from "./pages.ts"

/**
 * What follows from events: has its own checkpoint, sees each event at least once and in order, is never replayed. What
 * it does must come out the same when it is done twice (derived command ids).
 */
export interface Reaction<T extends EventType, E, R> {
  readonly name: string
  readonly on: ReadonlyArray<T>
  readonly handle: (event: Recorded<EventOf<T>>) => Effect.Effect<void, E, R>
}

export const reaction = <const T extends EventType, E, R>(definition: Reaction<T, E, R>) => definition

/** One of any events. */
interface AnyReaction extends Pick<Reaction<EventType, unknown, unknown>, "name" | "on"> {
  readonly handle: (event: never) => Effect.Effect<void, unknown, unknown>
}

/** What a reaction, or one of several, stands on. */
type Needs<A extends AnyReaction> = Effect.Services<ReturnType<A["handle"]>>

const batch = 500
/** Milliseconds after which a checkpoint that only passed others' events is stored, so that a start need not pass them again. */
const idle = 1_000

/** How far the log was looked through for all reactions together, and where each last had something of its own. */
interface Watch {
  readonly from: number
  to: number
  readonly latest: Map<string, number>
}

/** Runs a reaction. One that fails tries again from the event that it failed at. */
const run = Effect.fnUntraced(function* <A extends AnyReaction>(
  { name, on, ...reaction }: A,
  watch: Watch,
  moves: PubSub.Subscription<void>
) {
  const handle = reaction.handle as (event: never) => Effect.Effect<void, unknown, Needs<A>>
  const store = yield* EventStore
  const models = yield* ReadModels
  // not known before it was read
  let stored = -1
  let storedAt = 0
  let at = -1

  const keep = Effect.gen(function* () {
    while (stored < at && !(yield* models.advance(name, stored, at))) stored = yield* models.reaction(name)
    stored = Math.max(stored, at)
    at = stored
    storedAt = yield* Clock.currentTimeMillis
  })

  const deliver = Effect.fnUntraced(function* (to: number) {
    // another process may have done it
    stored = yield* models.reaction(name)
    at = Math.max(at, stored)
    while (at < to) {
      const { events, more } = yield* store.readAll(at, { types: on, limit: batch })
      for (const event of events) yield* handle((yield* inSteps(Codec.decoding(event))) as never)
      const last = events.at(-1)?.position ?? at
      at = more ? last : Math.max(to, last)
      yield* keep
    }
  })

  const step = Effect.gen(function* () {
    const { from, to, latest } = watch
    if (at < from || (latest.get(name) ?? 0) > at) return yield* deliver(to)
    at = Math.max(at, to)
    if (at > stored && (yield* Clock.currentTimeMillis) - storedAt >= idle) yield* keep
  })

  return yield* step.pipe(
    Effect.tapCause((cause) => Effect.logWarning(`reaction ${name} stands still`, cause)),
    // a defect may pass too: a full disk, an event of a newer version that runs beside this one
    Effect.catchDefect((defect) => Effect.fail(defect)),
    Effect.retry(Schedule.spaced("1 second")),
    Effect.andThen(PubSub.takeAll(moves)),
    Effect.forever
  )
})

/**
 * Runs reactions for as long as the scope lives. One look at what is new tells all of them whether it concerns them:
 * most events concern none.
 */
export const react = Effect.fnUntraced(function* <A extends AnyReaction>(reactions: ReadonlyArray<A>) {
  const store = yield* EventStore
  const moves = yield* PubSub.sliding<void>(1)
  const hints = yield* store.hints
  const head = yield* Effect.retry(store.head, Schedule.spaced("1 second"))
  const watch: Watch = { from: head, to: head, latest: new Map() }
  for (const one of reactions) {
    yield* Effect.forkScoped(Effect.flatMap(PubSub.subscribe(moves), (moves) => run(one, watch, moves)))
  }
  const look = Effect.gen(function* () {
    const { head, kinds } = yield* store.since(watch.to)
    const types = new Set<string>(kinds.map(({ type }) => type))
    for (const { name, on } of reactions) if (on.some((type) => types.has(type))) watch.latest.set(name, head)
    watch.to = head
    yield* PubSub.publish(moves, undefined)
  })
  // a store that is away is asked again by the next hint
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(PubSub.takeAll(hints), Effect.ignore(look))))
})
