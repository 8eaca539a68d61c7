import { connect, createServer } from "node:net"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { beginning } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { freshDatabase } from "#test/postgres.ts"
import { command, fresh, to } from "../../engine/appends.ts"
import { rest } from "../../engine/EventStore.reading.ts"
import { storeOn } from "../stores.ts"

/**
 * What stands between a store and its server, as a failover would have it: once `lose` was called, the first answer to
 * whoever says the word is kept back until `before` has ended, and its connection is ended instead.
 */
const between = (url: Redacted.Redacted<string>) =>
  Effect.gen(function* () {
    const there = new URL(Redacted.value(url))
    let armed: { readonly word: string; readonly before: () => Promise<void> } | undefined
    let lost = 0
    const server = createServer((client) => {
      const upstream = connect(Number(there.port), there.hostname)
      let asked = ""
      const end = () => [client, upstream].forEach((socket) => void socket.destroy())
      for (const socket of [client, upstream]) socket.on("error", end).on("close", end)
      client.on("data", (chunk) => {
        asked = armed === undefined ? "" : asked + chunk.toString("latin1")
        upstream.write(chunk)
      })
      upstream.on("data", (chunk) => {
        if (armed === undefined || !asked.includes(armed.word)) return void client.write(chunk)
        const { before } = armed
        armed = undefined
        lost++
        // the rest of its answer is lost, too
        upstream.removeAllListeners("data").resume()
        void before().then(end, end)
      })
    })
    yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    const { port } = server.address() as { port: number }
    there.hostname = "127.0.0.1"
    const through = new URL(there)
    through.port = String(port)
    return {
      url: Redacted.make(through.href),
      lose: (word: string, before: () => Promise<void>) => {
        armed = { word, before }
      },
      lost: () => lost
    }
  })

it.live("an append whose answer is lost behind its commit ends in the first outcome, and is there once", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const line = yield* between(database)
    const admin = yield* PgConnection.make({ url: database, ssl: false })
    const proof = Effect.gen(function* () {
      const { append, outcome } = yield* EventStore
      const stream = fresh()
      // its connection knows the statement by now: what is lost is the answer to the append itself
      yield* append(to(stream, "none"))
      const given = command()
      let seen = 0
      line.lose(stream, async () => {
        // as everybody else sees it: committed
        const question = "SELECT count(*)::int AS count FROM events WHERE command_id = $1::uuid"
        while (seen === 0) {
          const { rows } = await Effect.runPromise(admin.query(question, [given.commandId], false))
          seen = Number(rows[0]!["count"])
        }
      })
      const { revision, positions, recordedAt } = yield* append(to(stream, 0, [given]))
      assert.deepStrictEqual([line.lost(), seen], [1, 1])
      const [first] = yield* outcome(stream, given.commandId)
      assert.deepStrictEqual([revision, positions, recordedAt], [1, [first!.position], first!.recordedAt])
      assert.lengthOf(yield* rest(beginning), 2)
    })
    yield* Effect.provide(proof, storeOn(line.url))
  }).pipe(Effect.scoped)
)
