import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, PubSub, Queue, Schedule } from "effect"
import { Claims } from "#engine/ports/Claims.ts"
import { Telling } from "#ports/Telling.ts"

const channel = "cairn_told"

/** Tells over one channel of the database; each process listens to it on one connection. */
export const layer = Layer.effect(
  Telling,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { shared } = yield* Claims
    const self = randomUUID()
    const topics = new Map<string, PubSub.PubSub<string>>()
    const listen = Effect.gen(function* () {
      const messages = yield* sql.listen(channel)
      for (;;) {
        const [, from, about, text] = /^(\S+) (\S+) (.*)$/s.exec((yield* Queue.take(messages)).payload) ?? []
        const topic = topics.get(about ?? "")
        if (from !== self && topic !== undefined) yield* PubSub.publish(topic, text!)
      }
    })
    if (shared)
      yield* listen.pipe(Effect.scoped, Effect.ignore, Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)
    return Telling.of({
      tell: (about, text) => (shared ? Effect.ignore(sql.notify(channel, `${self} ${about} ${text}`)) : Effect.void),
      told: Effect.fnUntraced(function* (about) {
        const topic = topics.get(about) ?? (yield* PubSub.sliding<string>(64))
        topics.set(about, topic)
        return yield* PubSub.subscribe(topic)
      })
    })
  })
)
