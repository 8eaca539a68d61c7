import { randomUUID } from "node:crypto"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql"
import { Effect, Layer, Redacted } from "effect"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as Postgres from "#infra/postgres/client.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import { nobodys } from "./nobodys.ts"

const data = {
  vote: 1,
  count: 1,
  source: "human",
  text: "about as long as an event of the service: ids, a number, a digest"
}

/** Appends a second by so many clients, each waiting for its last one: one event a command, each to a new stream. */
export const rate = async (clients: number, total: number, append: () => Promise<unknown>): Promise<number> => {
  const each = Math.ceil(total / clients)
  const start = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let i = 0; i < each; i++) await append()
    })
  )
  return (each * clients) / ((performance.now() - start) / 1000)
}

/** An append of this project's store on a database; its connections go with the scope. */
export const ours = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const services = yield* Layer.build(PostgresEventStore.layer.pipe(Layer.provide(Postgres.layer(url))))
    const run = Effect.runPromiseWith(services)
    const one = Effect.flatMap(EventStore, ({ append }) => {
      const commandId = randomUUID()
      return append({
        tenant: "bench",
        stream: `snippet-${commandId}`,
        expected: "none",
        commands: [
          nobodys(commandId, [
            { type: "VoteCast", schemaVersion: 1, data: JSON.stringify(data), payload: null, erases: [] }
          ])
        ]
      })
    })
    return () => run(one)
  })

/**
 * Waits until a program has no connection any more. The pool that Emmett's store has says that it is closed before its
 * connections have ended, and one of them that the server ends then would end the process.
 */
const gone = Effect.fnUntraced(function* (url: Redacted.Redacted, program: string) {
  const connection = yield* PgConnection.make({ url, ssl: false })
  const left = () =>
    connection.query("SELECT 1 FROM pg_stat_activity WHERE application_name = $1::text", [program], false)
  while ((yield* left()).rows.length > 0) yield* Effect.sleep("10 millis")
}, Effect.scoped)

/** The same by Emmett's store. */
export const emmetts = (url: Redacted.Redacted) => {
  const program = `emmett-${randomUUID()}`
  const named = new URL(Redacted.value(url))
  named.searchParams.set("application_name", program)
  return Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => getPostgreSQLEventStore(named.href)),
      (peer) =>
        Effect.andThen(
          Effect.promise(() => peer.close()),
          Effect.orDie(gone(url, program))
        )
    ),
    (peer) => () => peer.appendToStream(`snippet-${randomUUID()}`, [{ type: "VoteCast", data }])
  )
}
