import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, PubSub, Queue, Schedule } from "effect"
import { Claims } from "#engine/ports/Claims.ts"

const channel = "cairn_moves"
/** Between two messages: what moves meanwhile is said by the second one. */
const pause = "5 millis"

/** What processes say to each other of read models that they have moved. One that is alone says and hears nothing. */
export const makeMoves = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { shared } = yield* Claims
  const self = randomUUID()
  const heard = yield* PubSub.sliding<string>(64)
  const wake = yield* Queue.sliding<void>(1)
  const moved = new Set<string>()

  const say = Effect.gen(function* () {
    yield* Queue.take(wake)
    const names = [...moved]
    moved.clear()
    // whoever does not hear of it looks by itself, later
    yield* Effect.ignore(sql.notify(channel, [self, ...names].join(" ")))
    yield* Effect.sleep(pause)
  })
  const listen = Effect.gen(function* () {
    const messages = yield* sql.listen(channel)
    for (;;) {
      const [from, ...names] = (yield* Queue.take(messages)).payload.split(" ")
      if (from !== self) yield* PubSub.publishAll(heard, names)
    }
  })
  if (shared) {
    yield* Effect.forkScoped(Effect.forever(say))
    yield* listen.pipe(Effect.scoped, Effect.ignore, Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)
  }

  const tell = (names: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      if (!shared) return Effect.void
      for (const name of names) moved.add(name)
      return Effect.asVoid(Queue.offer(wake, undefined))
    })
  return { tell, told: PubSub.subscribe(heard) }
})
