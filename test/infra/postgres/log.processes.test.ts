import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, PubSub } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { beginning } from "#engine/Position.ts"
import { EventStore, type StoredEvent } from "#engine/ports/EventStore.ts"
import { migrate } from "#infra/postgres/client.ts"
import { appendBatch } from "#infra/postgres/log/append.ts"
import { Writers } from "#infra/postgres/log/Writers.ts"
import { freshDatabase } from "#test/postgres.ts"
import { command, fresh, noted, plain, revisions, texts, to, typed, upTo } from "../../engine/appends.ts"
import { rest } from "../../engine/EventStore.reading.ts"
import { whole } from "../../engine/whole.ts"
import { storeOn } from "../stores.ts"

const together = { concurrency: "unbounded", discard: true } as const

/** The store of another process on the same database, in effect: it shares nothing but that. */
class Other extends Context.Service<Other, EventStore["Service"]>()("test/Other") {}
const two = Layer.unwrap(
  Effect.map(freshDatabase, (url) => {
    const other = Layer.effect(Other, EventStore).pipe(Layer.provide(storeOn(url)))
    // one after the other: both migrate
    return other.pipe(Layer.provideMerge(storeOn(url)))
  })
)

layer(two, { excludeTestServices: true })("two PostgresEventStores on one database", (it) => {
  it.effect("keep one order, which a reader follows without a skip, whatever other transactions do", () =>
    Effect.gen(function* () {
      const stores = [yield* EventStore, yield* Other]
      const sql = yield* SqlClient
      // holds back the horizon of all transactions of the server, and so everything that reads by transaction id
      const idle = yield* PgConnection.make({ url: yield* freshDatabase, ssl: false })
      yield* idle.query("BEGIN")
      yield* idle.query("SELECT pg_current_xact_id()::text")
      const aborted = to(fresh(), "any", [command({ events: [noted({ payload: typed(fresh()) }), noted()] })])
      const abort = appendBatch([aborted]).pipe(
        Effect.provideServiceEffect(Writers, Writers.inTransaction),
        Effect.andThen(Effect.fail("changed its mind" as const)),
        sql.withTransaction,
        Effect.flip
      )
      const shared = fresh("shared")
      const write = (n: number) =>
        stores[n % 2]!.append(to(n % 3 === 0 ? shared : fresh(), "any", [command({ events: [noted(), noted()] })]))
      const writer = (first: number) =>
        Effect.forEach(upTo(40), (n) => Effect.andThen(write(first + n), n % 10 === 0 ? abort : Effect.void))
      const count = 8 * 40 * 2
      const follow = Effect.fnUntraced(function* (store: EventStore["Service"]) {
        const seen: Array<StoredEvent> = []
        while (seen.length < count)
          seen.push(...(yield* store.readAll(seen.at(-1)?.position ?? beginning, { limit: 33 })).events)
        return seen
      })
      const [one, other] = yield* Effect.all(
        [follow(stores[0]!), follow(stores[1]!), Effect.forEach(upTo(8), writer, together)],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        one.map(({ position }) => position),
        upTo(count).map((index) => index + 1)
      )
      assert.deepStrictEqual(plain(one), plain(yield* rest(beginning)))
      assert.deepStrictEqual(plain(other), plain(one))
      const streams = Map.groupBy(one, ({ stream }) => stream)
      for (const events of streams.values()) assert.deepStrictEqual(revisions(events), upTo(events.length))
      assert.isFalse(streams.has(aborted.stream))
    }).pipe(Effect.scoped)
  )

  it.effect("let one of two writers win, and tell the other the revision", () =>
    Effect.gen(function* () {
      const stores = [yield* EventStore, yield* Other]
      const stream = fresh()
      for (const round of upTo(20)) {
        const exits = yield* Effect.forEach(
          upTo(6),
          (n) => Effect.exit(stores[n % 2]!.append(to(stream, round === 0 ? "none" : round - 1))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(exits.filter(Exit.isSuccess), 1)
        for (const exit of exits.filter(Exit.isFailure)) {
          assert.include(JSON.stringify(exit.cause), `"_tag":"WrongRevision"`)
          assert.include(JSON.stringify(exit.cause), `"actual":${round}`)
        }
      }
      assert.deepStrictEqual(revisions((yield* stores[0]!.readStream(stream, -1)).events), upTo(20))
    })
  )

  it.effect("append a command once, though both were given it", () =>
    Effect.gen(function* () {
      const stores = [yield* whole, yield* Effect.provideServiceEffect(whole, EventStore, Other)]
      const given = upTo(40).map(() =>
        to(fresh(), "none", [command({ events: [noted({ payload: typed(fresh()) }), noted()] })])
      )
      const answers = yield* Effect.forEach(
        [...given, ...given.toReversed()],
        (one, index) => stores[index < given.length ? 0 : 1]!.add(one),
        { concurrency: "unbounded" }
      )
      for (const [index, { stream }] of given.entries()) {
        const stored = plain(yield* stores[0]!.readStream(stream, -1))
        assert.lengthOf(stored, 2)
        assert.deepStrictEqual(plain(answers[index]![0]!), stored)
        assert.deepStrictEqual(plain(answers[2 * given.length - 1 - index]![0]!), stored)
      }
    })
  )

  it.effect("leave no text behind when one erases while the other appends", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* EventStore, yield* Other]
      const sql = yield* SqlClient
      const text = new Uint8Array(100_000)
      for (const round of upTo(25)) {
        const subject = fresh("subject")
        const says = to(fresh(), "any", [command({ events: [noted({ payload: typed(subject, text) })] })])
        const erases = to(fresh(), "any", [command({ events: [noted({ erases: [subject] })] })])
        const both = [there.append(says), here.append(erases)]
        yield* Effect.all(round % 2 === 0 ? both : both.toReversed(), together)
        assert.deepStrictEqual(yield* sql`SELECT id FROM payloads WHERE subject = ${subject}`, [])
        assert.deepStrictEqual(texts((yield* here.readStream(says.stream, -1)).events), [null])
      }
    })
  )

  it.effect("hint at what the other appended, long before the next look", () =>
    Effect.gen(function* () {
      const { append } = yield* EventStore
      const hinted = yield* (yield* Other).hints
      // another command each time: one that was taken before appends nothing
      const appended = Effect.suspend(() => append(to(fresh())))
      // The first append is told of by a hint or by a look at the log. If it was a look, the next one is a second away.
      // A busy machine may take longer than half a second, so it is tried again.
      const soon = appended.pipe(
        Effect.andThen(PubSub.take(hinted)),
        Effect.andThen(PubSub.takeUpTo(hinted, 10)),
        Effect.andThen(appended),
        Effect.andThen(Effect.timeout(PubSub.take(hinted), "500 millis"))
      )
      yield* Effect.retry(soon, { times: 10 })
    }).pipe(Effect.scoped)
  )
})

it.live("a database that has all migrations is left alone: none of its tables is locked", () =>
  Effect.gen(function* () {
    const client = PgClient.layer({ url: yield* freshDatabase, maxConnections: 1 })
    const migrated = Effect.scoped(Effect.provide(migrate, Layer.fresh(client)))
    assert.isNotEmpty(yield* migrated)
    yield* Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const reading = Effect.andThen(sql`LOCK TABLE migrations IN ACCESS SHARE MODE`, migrated)
      assert.deepStrictEqual(yield* sql.withTransaction(reading), [])
    }).pipe(Effect.scoped, Effect.provide(client))
  })
)

it.live("ten PostgresEventStores may start at once on an empty database", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const migrated = Effect.scoped(Effect.provide(migrate, PgClient.layer({ url, maxConnections: 1 })))
    const runs = yield* Effect.all(
      upTo(10).map(() => migrated),
      { concurrency: "unbounded" }
    )
    // one did it all, and the others waited until it had
    assert.lengthOf(
      runs.filter((ran) => ran.length > 0),
      1
    )
    const start = Effect.gen(function* () {
      const { append } = yield* EventStore
      return (yield* append(to(fresh()))).positions[0]!
    }).pipe(Effect.provide(storeOn(url)))
    const positions = yield* Effect.all([start, start, start], { concurrency: "unbounded" })
    assert.sameMembers(positions, [1, 2, 3])
  })
)
