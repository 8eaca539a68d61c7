import { Effect, PubSub, Schedule } from "effect"
import type { Recorded } from "#domain/Event.ts"
import type { EventOf, EventType } from "#domain/events.ts"
import { EventStore } from "#ports/EventStore.ts"
import { ReadModels } from "#ports/ReadModels.ts"
import * as Codec from "./codec.ts"

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

/** Runs a reaction for as long as the scope lives. One that fails tries again from the event that it failed at. */
export const react = Effect.fnUntraced(function* <A extends AnyReaction>(reaction: A) {
  const handle = reaction.handle as (event: never) => Effect.Effect<void, unknown, Needs<A>>
  const store = yield* EventStore
  const models = yield* ReadModels

  const step = Effect.gen(function* () {
    const from = yield* models.reaction(reaction.name)
    const head = yield* store.head
    if (from >= head) return false
    const stored = yield* store.readAll(from, { types: reaction.on, limit: batch })
    for (const event of stored) yield* handle(Codec.decode(event) as never)
    const to = stored.length < batch ? Math.max(head, stored.at(-1)?.position ?? 0) : stored.at(-1)!.position
    yield* models.advance(reaction.name, from, to)
    return true
  })

  return yield* Effect.scoped(
    Effect.gen(function* () {
      const hints = yield* store.hints
      const catchUp = Effect.repeat(step, { while: (more) => more })
      return yield* catchUp.pipe(
        Effect.tapCause((cause) => Effect.logWarning(`reaction ${reaction.name} stands still`, cause)),
        // a defect may pass too: a full disk, an event of a newer version that runs beside this one
        Effect.catchDefect((defect) => Effect.fail(defect)),
        Effect.retry(Schedule.spaced("1 second")),
        Effect.andThen(PubSub.takeAll(hints)),
        Effect.forever
      )
    })
  )
})
