import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Logger, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { positionOf } from "#engine/Position.ts"
import { EventStore, StoreUnavailable } from "#engine/ports/EventStore.ts"
import { appendBatch } from "#infra/postgres/log/append.ts"
import { Writers } from "#infra/postgres/log/Writers.ts"
import { freshDatabase } from "#test/postgres.ts"
import { command, fresh, noted, to, typed, upTo } from "../../engine/appends.ts"
import { contract } from "../../engine/EventStore.contract.ts"
import { crash } from "../../engine/EventStore.crash.ts"
import { rest } from "../../engine/EventStore.reading.ts"
import { whole } from "../../engine/whole.ts"
import { freshClient, freshStore, storeOn } from "../stores.ts"

contract("Postgres", freshStore)
crash("Postgres", freshDatabase)

const together = { concurrency: "unbounded", discard: true } as const

// some appends are refused on purpose, which is logged
const quiet = freshStore.pipe(Layer.provide(Logger.layer([])))

layer(quiet, { excludeTestServices: true })("PostgresEventStore", (it) => {
  it.effect("counts positions without a gap, also over appends that were refused", () =>
    Effect.gen(function* () {
      const { append, head } = yield* EventStore
      const before = yield* head
      const given = command()
      yield* Effect.forEach(
        upTo(60),
        (n) => Effect.exit(append(to(fresh(), n % 4 === 0 ? 9 : "any", [n % 4 === 1 ? given : command()]))),
        together
      )
      const positions = (yield* rest(before)).map(({ position }) => position)
      assert.deepStrictEqual(
        positions,
        upTo(31).map((index) => before + 1 + index)
      )
    })
  )

  it.effect("keeps apart who gave the commands that go in together", () =>
    Effect.gen(function* () {
      const { append } = yield* EventStore
      const actors = upTo(5).map((n) => ({ key: `key ${n}`, user: `user ${n}`, organization: `organization ${n}` }))
      const stream = fresh()
      yield* append(
        to(
          stream,
          "none",
          actors.map((actor) => command({ actor }))
        )
      )
      const { readStream } = yield* whole
      assert.deepStrictEqual(
        (yield* readStream(stream, -1)).map(({ actor }) => actor),
        actors
      )
    })
  )

  it.effect("keeps what Postgres refuses from harming those that arrive with it", () =>
    Effect.gen(function* () {
      const { append, readStream } = yield* whole
      const refused = [
        to(fresh(), "any", [command({ events: [noted({ type: "No\u0000ted" })] })]),
        to(`${fresh()}\u0000`),
        to(fresh(), "any", [command({ commandId: "not a UUID" })]),
        to(fresh(), "any", [command({ events: [noted({ schemaVersion: 1e6, payload: typed(fresh()) })] })])
      ]
      const good = upTo(40).map(() => to(fresh(), "none"))
      const exits = yield* Effect.forEach(
        [...good.slice(0, 20), ...refused, ...good.slice(20)],
        (one) => Effect.exit(append(one)),
        { concurrency: "unbounded" }
      )
      for (const exit of exits.splice(20, refused.length)) {
        assert.deepStrictEqual(exit, Exit.fail(new StoreUnavailable({ message: "the event store can't be reached" })))
      }
      assert.isTrue(exits.every(Exit.isSuccess))
      for (const { stream } of good) assert.lengthOf(yield* readStream(stream, -1), 1)
      // and the store goes on
      yield* append(to(fresh(), "none"))
    })
  )

  it.effect("has an erased text's bytes in no table any more", () =>
    Effect.gen(function* () {
      const { append, readStream } = yield* whole
      const sql = yield* SqlClient
      const subject = fresh("subject")
      const marker = fresh("marker")
      const found = Effect.gen(function* () {
        const tables = yield* sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
        const asBytes = `%${Buffer.from(marker).toString("hex")}%`
        const rows = yield* Effect.forEach(
          tables,
          ({ name }) =>
            sql`SELECT ${name} AS name FROM ${sql(name)} t WHERE t::text LIKE ${`%${marker}%`} OR t::text LIKE ${asBytes}`
        )
        return rows.flat().map(({ name }) => name)
      })
      const stream = fresh()
      yield* append(to(stream, "any", [command({ events: [noted({ payload: typed(subject, `so ${marker}`) })] })]))
      assert.deepStrictEqual(yield* found, ["payloads"])
      yield* append(to(stream, "any", [command({ events: [noted({ erases: [subject] })] })]))
      assert.deepStrictEqual(yield* found, [])
      // once, and where it was said
      const erasures = yield* sql<{ position: bigint }>`SELECT position FROM erasures WHERE subject = ${subject}`
      assert.deepStrictEqual(
        erasures.map(({ position }) => Number(position)),
        [(yield* readStream(stream, -1)).at(-1)!.position]
      )
    })
  )

  it.effect("leaves no text of an append that was refused or repeated", () =>
    Effect.gen(function* () {
      const { append } = yield* EventStore
      const sql = yield* SqlClient
      const subject = fresh("subject")
      const payload = typed(subject)
      const [stream, given] = [fresh(), command({ events: [noted({ payload })] })]
      yield* Effect.flip(append(to(stream, 5, [command({ events: [noted({ payload })] })])))
      yield* append(to(stream, "none", [given]))
      yield* append(to(stream, "none", [given]))
      // under a subject that is not erased, with more events than the first time
      yield* append(to(stream, "none", [{ ...given, events: [...given.events, noted({ payload })] }]))
      const rows = yield* sql`SELECT id FROM payloads WHERE subject = ${subject}`
      assert.lengthOf(rows, 1)
    })
  )

  it.effect("answers a command that another stream has as it did there", () =>
    Effect.gen(function* () {
      const { add, readStream } = yield* whole
      const [stream, other, given] = [fresh(), fresh(), command({ events: [noted(), noted()] })]
      const first = yield* add(to(stream, "none", [given]))
      assert.deepStrictEqual(yield* add(to(other, "none", [given])), first)
      assert.deepStrictEqual(yield* readStream(other, -1), [])
    })
  )

  it.effect("reads what an append has to know by indexes, also when its plans are made on empty tables", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient
      yield* sql.withTransaction(
        Effect.gen(function* () {
          /** Of tables as a whole, and of one index. */
          const scans = sql<{
            relname: string
            scans: number
          }>`SELECT relname, pg_stat_get_xact_numscans(oid)::int AS scans
            FROM pg_class WHERE relname IN ('events', 'payloads', 'erasures', 'events_stream')
              AND relnamespace = current_schema()::regnamespace ORDER BY relname`
          const before = yield* scans
          const [stream, subject] = [fresh(), fresh("subject")]
          for (const n of upTo(20)) {
            const events = [noted({ payload: typed(subject) }), noted({ erases: n === 10 ? [subject] : [] })]
            yield* appendBatch([to(stream, "any", [command({ events })]), to(fresh(), "none"), to(stream)])
          }
          // one that the log has: what went in before it comes out again
          const twice = command({ events: [noted({ payload: typed(subject) })] })
          yield* appendBatch([to(stream, "any", [twice])])
          assert.deepStrictEqual((yield* appendBatch([to(fresh()), to(stream, "any", [twice])])).trouble, [1])
          const after = yield* scans
          assert.deepStrictEqual(
            after.map(({ relname, scans }, index) => [relname, scans - before[index]!.scans]),
            // two units of the stream each time, and none of one that has to be new; those at the end, of which a batch
            // in trouble is looked at twice
            [
              ["erasures", 0],
              ["events", 0],
              ["events_stream", 2 * 20 + 1 + 2 * 2],
              ["payloads", 0]
            ]
          )
        })
      )
    }).pipe(Effect.provideServiceEffect(Writers, Writers.inTransaction), Effect.provide(freshClient))
  )

  it.effect("appends though readers have every connection of the client", () =>
    Effect.gen(function* () {
      const { append } = yield* EventStore
      const { reserve } = yield* SqlClient
      // of six; the ear for news has one
      yield* Effect.forEach(upTo(5), () => reserve)
      yield* append(to(fresh()))
      yield* Effect.forEach(upTo(3), () => append(to(fresh())), together)
    }).pipe(Effect.scoped)
  )

  it.effect("never lets the log's time go back, though the clock does", () =>
    Effect.gen(function* () {
      const { append, head } = yield* EventStore
      const sql = yield* SqlClient
      yield* append(to(fresh()))
      // as if the clock had been an hour ahead then
      yield* sql`UPDATE events SET recorded_at = recorded_at + interval '1 hour' WHERE position = ${yield* head}`
      const before = yield* append(to(fresh()))
      assert.isAbove(before.recordedAt, Date.now() + 30 * 60_000)
      const [after] = yield* rest(positionOf(before.positions[0]! - 1))
      assert.strictEqual(after!.recordedAt, before.recordedAt)
      // and it is what answers say, to the millisecond: a log can be asked for as it was then
      assert.deepStrictEqual(
        yield* sql`SELECT 1 FROM events WHERE recorded_at <> date_trunc('milliseconds', recorded_at)`,
        []
      )
    })
  )
})

it.live("PostgresEventStore waits while the server has no place for it", () =>
  Effect.gen(function* () {
    const admin = yield* PgConnection.make({ url: yield* freshDatabase, ssl: false })
    const run = (statement: string) => admin.query(statement, [], false)
    const role = `role_${randomUUID().replaceAll("-", "")}`
    yield* run(`CREATE ROLE ${role} LOGIN PASSWORD 'password'`)
    const own = new URL(Redacted.value(yield* freshDatabase))
    yield* run(`ALTER DATABASE ${own.pathname.slice(1)} OWNER TO ${role}`)
    own.username = role
    own.password = "password"
    const proof = Effect.gen(function* () {
      const { append } = yield* EventStore
      const sql = yield* SqlClient
      yield* append(to(fresh()))
      yield* run(`ALTER ROLE ${role} CONNECTION LIMIT 0`)
      yield* run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`)
      const refused = Effect.flip(sql`SELECT 1`)
      yield* refused
      const appending = yield* Effect.forkChild(append(to(fresh())))
      // long enough for the append to be refused too
      yield* Effect.repeat(refused, { times: 9 })
      yield* run(`ALTER ROLE ${role} CONNECTION LIMIT -1`)
      yield* Fiber.join(appending)
    })
    yield* Effect.provide(proof, storeOn(Redacted.make(own.href)))
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
)

it.live("PostgresEventStore leaves nobody waiting when it is closed", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { append } = Context.get(yield* Layer.buildWithScope(storeOn(yield* freshDatabase), scope), EventStore)
    const big = () => command({ events: [noted({ payload: typed(fresh(), new Uint8Array(2_000_000)) })] })
    const appends = yield* Effect.forEach(upTo(12), () =>
      Effect.forkChild(Effect.exit(append(to(fresh(), "any", [big()]))))
    )
    yield* Effect.yieldNow
    yield* Scope.close(scope, Exit.void)
    yield* Fiber.joinAll(appends)
    assert.strictEqual((yield* Effect.flip(append(to(fresh()))))._tag, "StoreUnavailable")
  }).pipe(Effect.provide(Logger.layer([])))
)
