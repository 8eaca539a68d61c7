import { type AllStreamSubscription, eventTypeFilter } from "@kurrent/kurrentdb-client"
import { Effect, Schedule } from "effect"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { Kurrent } from "./client.ts"
import { faultOf } from "./Fault.ts"
import { Log, Mark } from "./Log.ts"
import { nobodysSystem } from "./read.ts"

/** Windows of events that the server looks through between two reports of how far it is. */
const checkpointInterval = 32

/** Where a subscription goes on: nothing behind it was given yet. */
interface ServerPosition {
  readonly commit: bigint
  readonly prepare: bigint
}

/**
 * The one subscription of a process, from a position on (0: from the beginning). Gives each event of ours behind it to
 * `take`, in order and once, and waits for that to end. After a lost connection it goes on behind the last event, or
 * behind the server's last report of how far it has looked. `passed` gets the number of others' events.
 */
export const follow = Effect.fnUntraced(function* (
  from: number,
  take: (event: StoredEvent) => Effect.Effect<void>,
  passed: (count: number) => Effect.Effect<void>
) {
  const kurrent = yield* Kurrent
  const { stored } = yield* Log
  const mark = yield* Mark
  let at: ServerPosition | undefined = from === 0 ? undefined : { commit: BigInt(from), prepare: BigInt(from) }

  /** Ends when the connection does. */
  const once = Effect.acquireUseRelease(
    Effect.sync(() => {
      const filter = eventTypeFilter({
        regex: nobodysSystem,
        checkpointInterval,
        checkpointReached: (subscription, position) => {
          // this is called when a report arrives: events before it that still wait to be taken were not seen yet
          if ((subscription as AllStreamSubscription).readableLength === 0) at = position
        }
      })
      const subscription = kurrent.client.subscribeToAll({ fromPosition: at ?? "start", filter, requiresLeader: true })
      // an error that comes before the loop waits for it would end the process, or be heard by nobody
      return subscription.on("error", () => void subscription.destroy())
    }),
    (subscription) =>
      Effect.gen(function* () {
        const events = (subscription as AllStreamSubscription)[Symbol.asyncIterator]()
        for (;;) {
          // one by one: while nothing takes its events, the client stops reading, and then the server stops sending
          const next = yield* Effect.tryPromise({ try: () => events.next(), catch: faultOf })
          if (next.done) return
          const { event } = next.value
          if (event === undefined) continue
          const ours = stored(event)
          if (ours !== undefined) yield* take(ours)
          else if (event.streamId !== mark) yield* passed(1)
          at = event.position
        }
      }),
    (subscription) => Effect.promise(() => subscription.unsubscribe().catch(() => undefined))
  )
  return yield* once.pipe(
    Effect.tapError((fault) => Effect.logDebug("the subscription to KurrentDB was lost", fault.message)),
    Effect.ignore,
    Effect.repeat(Schedule.spaced("250 millis"))
  )
})
