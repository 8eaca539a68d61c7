import { Effect, PubSub, Queue } from "effect"
import { Claims } from "#engine/ports/Claims.ts"
import { Telling } from "#ports/Telling.ts"

const about = "moves"
/** The time between two messages; the second one names what has moved meanwhile. */
const pause = "5 millis"

/** Tells other processes which read models this one has moved, and hears which ones they have moved. */
export const makeMoves = Effect.gen(function* () {
  const telling = yield* Telling
  const { shared } = yield* Claims
  const heard = yield* PubSub.sliding<string>(64)
  const wake = yield* Queue.sliding<void>(1)
  const moved = new Set<string>()

  const say = Effect.gen(function* () {
    yield* Queue.take(wake)
    const names = [...moved]
    moved.clear()
    // a process that does not hear of it looks by itself, later
    yield* telling.tell(about, names.join(" "))
    yield* Effect.sleep(pause)
  })
  if (shared) {
    const told = yield* telling.told(about)
    const pass = Effect.flatMap(PubSub.take(told), (names) => PubSub.publishAll(heard, names.split(" ")))
    yield* Effect.forkScoped(Effect.forever(say))
    yield* Effect.forkScoped(Effect.forever(pass))
  }

  const tell = (names: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      if (!shared) return Effect.void
      for (const name of names) moved.add(name)
      return Effect.asVoid(Queue.offer(wake, undefined))
    })
  return { tell, told: PubSub.subscribe(heard) }
})
