import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, PubSub, Queue, Schedule, type Scope } from "effect"
import { Claims } from "#engine/ports/Claims.ts"

const channel = "cairn_told"

/**
 * What processes on a database say to each other; one that is alone says and hears nothing. They listen on one
 * connection.
 */
export class Telling extends Context.Service<
  Telling,
  {
    /**
     * Says a text to all others, of at most 7,000 bytes, about something that has a name without spaces. It may be
     * lost.
     */
    readonly tell: (about: string, text: string) => Effect.Effect<void>
    /** What others say about it, from now on; the last 64 wait for a slow subscriber. */
    readonly told: (about: string) => Effect.Effect<PubSub.Subscription<string>, never, Scope.Scope>
  }
>()("cairn/Telling") {
  static readonly layer = Layer.effect(
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
}
