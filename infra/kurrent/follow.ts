import { type AllStreamSubscription, eventTypeFilter } from "@kurrent/kurrentdb-client"
import { Effect, Schedule } from "effect"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { Kurrent } from "./client.ts"
import { faultOf } from "./Fault.ts"
import { Log, Mark } from "./Log.ts"
import { nobodysSystem } from "./read.ts"

/** Windows of events that a server looks through between two words on how far it is. */
const checkpointInterval = 32

/** Where a subscription goes on: behind it nothing was given yet. */
interface ServerPosition {
  readonly commit: bigint
  readonly prepare: bigint
}

/**
 * The one subscription of a process, from a position on (0: from the beginning): gives each event of ours behind it to
 * `take`, in order and once, and waits for it. A connection that was lost is made again, and goes on behind the last
 * event or the last word on how far the server has looked. `passed` is told how many events of others there were.
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
          // it is told when it arrives: while events before it wait to be taken, they are what was not seen yet
          if ((subscription as AllStreamSubscription).readableLength === 0) at = position
        }
      })
      const subscription = kurrent.client.subscribeToAll({ fromPosition: at ?? "start", filter, requiresLeader: true })
      // while nobody waits for it yet, an error would end the process; and if it did not, nobody would hear of it
      return subscription.on("error", () => void subscription.destroy())
    }),
    (subscription) =>
      Effect.gen(function* () {
        const events = (subscription as AllStreamSubscription)[Symbol.asyncIterator]()
        for (;;) {
          // one by one: the client stops reading while nobody takes what it has, and then the server stops sending
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
