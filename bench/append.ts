import { randomUUID } from "node:crypto"
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql"
import { Effect, Layer, Redacted } from "effect"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as Postgres from "#infra/postgres/client.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import { benchDatabase } from "./database.ts"
import { type Measured, thousands } from "./report.ts"

const data = {
  vote: 1,
  count: 1,
  source: "human",
  text: "about as long as an event of the service: ids, a number, a digest"
}

/** Appends a second by so many clients, each waiting for its last one: one event a command, each to a new stream. */
const rate = async (clients: number, total: number, append: () => Promise<unknown>): Promise<number> => {
  const each = Math.ceil(total / clients)
  const start = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let i = 0; i < each; i++) await append()
    })
  )
  return (each * clients) / ((performance.now() - start) / 1000)
}

const ours = Effect.gen(function* () {
  const store = yield* EventStore
  const services = yield* Effect.context<EventStore>()
  const one = Effect.suspend(() => {
    const commandId = randomUUID()
    return store.append({
      tenant: "bench",
      stream: `snippet-${commandId}`,
      expected: "none",
      commands: [
        {
          commandId,
          correlationId: commandId,
          causationId: null,
          request: null,
          actor: { key: null, user: null, organization: null },
          events: [{ type: "VoteCast", schemaVersion: 1, data: JSON.stringify(data), payload: null, erases: [] }]
        }
      ]
    })
  })
  const run = Effect.runPromiseWith(services)
  return () => run(one)
})

/** The store's append beside Emmett's Postgres store, on the same server, in turns. */
export const append = (scale: number) =>
  Effect.gen(function* () {
    const { url } = yield* benchDatabase
    const mine = yield* ours.pipe(
      Effect.provide(yield* Layer.build(PostgresEventStore.layer.pipe(Layer.provide(Postgres.layer(url)))))
    )
    const peer = getPostgreSQLEventStore(Redacted.value(url))
    const theirs = () => peer.appendToStream(`snippet-${randomUUID()}`, [{ type: "VoteCast", data }])
    yield* Effect.promise(() => rate(8, 200, theirs))
    yield* Effect.promise(() => rate(32, 5_000 * scale, mine))
    const rows: Array<Measured> = []
    for (const [clients, us, them] of [
      [1, 1_000, 500],
      [32, 40_000, 3_000],
      [256, 100_000, 4_000]
    ] as const) {
      const b = yield* Effect.promise(() => rate(clients, Math.max(clients, them * scale), theirs))
      const a = yield* Effect.promise(() => rate(clients, Math.max(clients, us * scale), mine))
      const value = `${thousands(a)}/s; Emmett ${thousands(b)}/s (× ${(a / b).toFixed(1)})`
      const bar = clients === 256 ? "≥ 25,000/s and × 10" : ""
      rows.push({
        name: `append, ${clients} clients`,
        value,
        bar,
        met: clients === 256 ? a >= 25_000 && a >= 10 * b : null
      })
    }
    yield* Effect.promise(() => peer.close())
    return rows
  }).pipe(Effect.scoped)
