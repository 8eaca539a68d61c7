import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Option, PubSub, Stream } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import { beginning, positionOf } from "#engine/Position.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import { Writers } from "#infra/postgres/log/Writers.ts"
import { freshDatabase } from "#test/postgres.ts"
import { command, fresh, noted, to, typed, upTo } from "../../engine/appends.ts"
import { freshClient, freshStore, storeOn } from "../stores.ts"

/** The streams of the units that each call brought. */
const calls: Array<ReadonlyArray<string>> = []
/** Of all statements, and of looks at where the log ends, which come by themselves. */
let statements = 0
let looks = 0
/** Bytes of the largest value that came in one message, and of the largest that went. */
let largest = 0
let largestSent = 0

const note = (row: object) => {
  for (const value of Object.values(row)) if (value instanceof Uint8Array) largest = Math.max(largest, value.length)
}

const noteSent = (parameter: unknown): void => {
  if (parameter instanceof Uint8Array) largestSent = Math.max(largestSent, parameter.length)
  else if (Array.isArray(parameter)) parameter.forEach(noteSent)
  else if (typeof parameter === "object" && parameter !== null && "value" in parameter) noteSent(parameter.value)
}

const noteCall = (statement: string, parameters: ReadonlyArray<unknown>): void => {
  if (statement.includes("AS head FROM events")) looks += 1
  else statements += 1
  parameters.forEach(noteSent)
  if (statement.includes("es_append"))
    calls.push([(parameters[1] as { readonly value: string | ReadonlyArray<string> }).value].flat())
}

/** The client, with what the store asks of it noted, also within a transaction. */
const noting = Layer.effect(
  PgClient.PgClient,
  Effect.map(PgClient.PgClient, (sql) => {
    const unsafe = ((statement: string, parameters: ReadonlyArray<unknown> = []) => {
      noteCall(statement, parameters)
      const asked = sql.unsafe<object>(statement, parameters)
      const told = Effect.tap(asked, (rows) => Effect.sync(() => rows.forEach(note)))
      return Object.assign(told, {
        values: asked.values,
        stream: Stream.tap(asked.stream, (row) => Effect.sync(() => note(row)))
      })
    }) as never as typeof sql.unsafe
    return new Proxy(sql, { get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)) })
  })
)
/** The same for its writers. */
const notingWriters = Layer.effect(
  Writers,
  Effect.map(Writers, ({ call }) => ({
    call: (statement: string, parameters: ReadonlyArray<unknown>) =>
      Effect.suspend(() => {
        noteCall(statement, parameters)
        return Effect.tap(call(statement, parameters), (rows) => Effect.sync(() => rows.forEach(note)))
      })
  }))
).pipe(Layer.provide(Writers.layer))
const bytes = 20_000
const store = PostgresEventStore.layerBy.pipe(
  Layer.provide(notingWriters),
  Layer.provide(Layer.succeed(Bounds, { count: 1_000, bytes })),
  Layer.provide(noting),
  Layer.provideMerge(freshClient),
  Layer.provide(Logger.layer([]))
)

describe("the calls of PostgresEventStore", () =>
  layer(store, { excludeTestServices: true })((it) => {
    /** Appends all at once; answers how many units each call had. */
    const together = Effect.fnUntraced(function* (sizes: ReadonlyArray<number>) {
      const { append } = yield* EventStore
      calls.length = 0
      statements = 0
      yield* Effect.forEach(
        sizes,
        (size) => {
          // half of it data, half of it text
          const data = JSON.stringify("x".repeat(Math.floor(size / 2) - 2))
          const payload = typed(fresh("subject"), new Uint8Array(Math.ceil(size / 2)))
          return append(to(fresh(), "none", [command({ events: [noted({ data, payload })] })]))
        },
        { concurrency: "unbounded" }
      )
      return calls.map(({ length }) => length)
    })

    it.effect("are one for an append, and one for all that come together, and nothing is asked besides", () =>
      Effect.gen(function* () {
        for (const count of [1, 30]) {
          assert.deepStrictEqual(yield* together(upTo(count).map(() => 20)), [count])
          assert.strictEqual(statements, 1)
        }
      })
    )

    const looked = (more: number) => {
      const until = looks + more
      return Effect.promise(() => vi.waitFor(() => assert.isAtLeast(looks, until), { timeout: 60_000 }))
    }

    it.effect("are one each second while nothing comes, and nobody is told to look", () =>
      Effect.gen(function* () {
        const hinted = yield* (yield* EventStore).hints
        // what was written before this has been looked at
        yield* looked(2)
        yield* PubSub.takeUpTo(hinted, 10)
        statements = 0
        let told = 1
        // a look that takes two seconds, on a machine with much else to do, tells all to look for themselves
        for (let tries = 0; told > 0 && tries < 10; tries++) {
          yield* looked(2)
          told = (yield* PubSub.takeUpTo(hinted, 10)).length
        }
        assert.strictEqual(told, 0)
        assert.strictEqual(statements, 0)
      }).pipe(Effect.scoped)
    )

    it.effect("hold so many bytes of data and text at most, with the one that reaches them", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* together([bytes - 1, 10, 10]), [2, 1])
        assert.deepStrictEqual(yield* together([8_000, 8_000, 8_000, 8_000]), [3, 1])
      })
    )

    it.effect(
      "take and bring a long text by pieces, whoever reads it: a connection keeps room for the longest message",
      () =>
        Effect.gen(function* () {
          const { append, readStream, readAll, outcome } = yield* EventStore
          largestSent = 0
          for (const size of [256 * 1024, 256 * 1024 + 1, 512 * 1024 + 1, 1_500_000]) {
            const text = Uint8Array.from({ length: size }, (_, n) => (n * 7_919) >> 8)
            const sent = command({ events: [noted({ payload: typed(fresh("subject"), text) })] })
            const stream = fresh()
            const position = (yield* append(to(stream, "none", [sent]))).positions[0]!
            largest = 0
            const reads = [
              ...(yield* readStream(stream, -1)).events,
              ...(yield* readAll(positionOf(position - 1), { limit: 1 })).events,
              ...(yield* outcome(stream, sent.commandId))
            ]
            assert.deepStrictEqual(
              reads.map(({ position }) => position),
              [position, position, position]
            )
            for (const { payload } of reads) assert.strictEqual(Buffer.compare(payload!, text), 0)
            assert.isAtMost(largest, 256 * 1024)
          }
          assert.strictEqual(largestSent, 512 * 1024)
        })
    )

    it.effect("keep long texts apart that come together, with short ones between them", () =>
      Effect.gen(function* () {
        const { append, readStream } = yield* EventStore
        const sizes = [600_000, 10, 1_200_000, 0, 524_289]
        const texts = sizes.map((length, of) => Uint8Array.from({ length }, (_, n) => (n * 7_919 * (of + 1)) >> 8))
        const events = texts.map((text) => noted({ payload: typed(fresh("subject"), text) }))
        const streams = upTo(3).map(() => fresh())
        yield* Effect.forEach(streams, (stream) => append(to(stream, "none", [command({ events })])), {
          concurrency: "unbounded"
        })
        for (const stream of streams) {
          let after = -1
          for (const text of texts) {
            const { events: read } = yield* readStream(stream, after, { limit: 1 })
            assert.strictEqual(Buffer.compare(read[0]!.payload!, text), 0)
            after = read[0]!.revision
          }
        }
      })
    )

    it.effect("keep long texts apart that come one after the other within one transaction", () =>
      Effect.gen(function* () {
        const { append, readStream } = yield* EventStore
        const sql = yield* PgClient.PgClient
        const texts = [1, 2].map((of) => Uint8Array.from({ length: 600_000 }, (_, n) => (n * 7_919 * of) >> 8))
        const appends = texts.map((text) =>
          to(fresh(), "none", [command({ events: [noted({ payload: typed(fresh("subject"), text) })] })])
        )
        yield* sql.withTransaction(Effect.forEach(appends, append))
        for (const [of, { stream }] of appends.entries()) {
          const { events } = yield* readStream(stream, -1, { limit: 1 })
          assert.strictEqual(Buffer.compare(events[0]!.payload!, texts[of]!), 0)
        }
      })
    )

    it.effect("leave long texts out of a look at a page, and tell how much they have", () =>
      Effect.gen(function* () {
        const { append, readAll } = yield* EventStore
        const sizes = [100, 300_000, 10_000, 900_000]
        const events = sizes.map((length) => noted({ payload: typed(fresh("subject"), new Uint8Array(length)) }))
        const stream = fresh()
        for (const event of events) yield* append(to(stream, "any", [command({ events: [event] })]))
        const looked = []
        let left = 0
        largest = 0
        for (let page = yield* readAll(beginning, { stream, withoutLong: true }); page.events.length > 0; ) {
          looked.push(...page.events)
          left += page.left ?? 0
          page = yield* readAll(page.events.at(-1)!.position, { stream, withoutLong: true })
        }
        assert.deepStrictEqual(
          looked.map(({ payload }) => payload?.length),
          [100, undefined, 10_000, undefined]
        )
        const data = looked.reduce((sum, { payload, data }) => sum + (payload === null ? data.length : 0), 0)
        assert.strictEqual(left, 1_200_000 + data)
        assert.isAtMost(largest, 10_000)
      })
    )

    it.effect("tell that a long text was erased", () =>
      Effect.gen(function* () {
        const { append, readStream } = yield* EventStore
        const [stream, subject] = [fresh(), fresh("subject")]
        yield* append(
          to(stream, "none", [command({ events: [noted({ payload: typed(subject, new Uint8Array(1e6)) })] })])
        )
        yield* append(to(stream, 0, [command({ events: [noted({ erases: [subject] })] })]))
        const [first] = (yield* readStream(stream, -1, { limit: 1 })).events
        assert.isNull(first!.payload)
      })
    )

    it.effect("tell nobody once more to look at what this process has appended, which was hinted at once", () =>
      Effect.gen(function* () {
        const hinted = yield* (yield* EventStore).hints
        for (let tries = 0, again = 1; again > 0; tries++) {
          assert.isBelow(tries, 10)
          yield* together([20])
          yield* PubSub.take(hinted)
          yield* looked(2)
          again = (yield* PubSub.takeUpTo(hinted, 10)).length
        }
      }).pipe(Effect.scoped)
    )
  }))

it.effect("hints come with each append, to its own process and to others, which look each second besides", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [one, other] = [
      yield* Effect.provide(EventStore, yield* Layer.build(storeOn(url))),
      yield* Effect.provide(EventStore, yield* Layer.build(storeOn(url)))
    ]
    const [here, there] = [yield* one.hints, yield* other.hints]
    // time stands still but for what is said here, less than a second in all: nothing but an append gives a hint
    yield* PubSub.takeUpTo(here, 10)
    yield* PubSub.takeUpTo(there, 10)
    const heard = (hints: typeof there) => TestClock.withLive(Effect.timeoutOption(PubSub.take(hints), "2 seconds"))
    // who tells may begin to rest only after the other has heard
    const heardInTime = Effect.gen(function* () {
      for (const _ of upTo(10)) {
        if (Option.isSome(yield* heard(there))) return
        yield* TestClock.adjust("20 millis")
      }
      assert.fail("another process heard nothing of an append")
    })
    // the other may not listen yet
    for (const _ of upTo(10)) {
      yield* one.append(to(fresh()))
      yield* PubSub.take(here)
      if (Option.isSome(yield* heard(there))) break
      yield* TestClock.adjust("20 millis")
    }
    for (const _ of upTo(3)) {
      yield* one.append(to(fresh()))
      yield* PubSub.take(here)
      yield* heardInTime
      yield* TestClock.adjust("20 millis")
    }
    // however often they were told, what others have appended is new to their own look
    yield* PubSub.takeUpTo(there, 10)
    yield* TestClock.adjust("1 second")
    yield* PubSub.take(there)
  }).pipe(Effect.scoped)
)

for (const [how, answer, hints] of [
  // two seconds each, a second apart
  ["is not answered, as by a dead connection", Effect.never, [0, 1, 0, 0, 1]],
  ["fails by a defect", Effect.die("broken"), [1, 1, 1, 1, 1]],
  ["goes with its connection", Effect.interrupt, [1, 1, 1, 1, 1]]
] as const) {
  it.effect(`all are hinted to look for themselves when a look at the log's end ${how}`, () => {
    const silent = Layer.effect(
      PgClient.PgClient,
      Effect.map(PgClient.PgClient, (sql) => {
        const unsafe = (statement: string, parameters?: ReadonlyArray<unknown>) =>
          statement.includes("AS head FROM events") ? answer : sql.unsafe(statement, parameters)
        return new Proxy(sql, { get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)) })
      })
    )
    const idle = Effect.forEach(upTo(50), () => Effect.yieldNow, { discard: true })
    return Effect.gen(function* () {
      const hinted = yield* (yield* EventStore).hints
      yield* idle
      yield* PubSub.takeUpTo(hinted, 10)
      const heard: Array<number> = []
      for (const _ of upTo(5)) {
        yield* TestClock.adjust("1 second")
        yield* idle
        heard.push((yield* PubSub.takeUpTo(hinted, 10)).length)
      }
      assert.deepStrictEqual(heard, [...hints])
    }).pipe(
      Effect.scoped,
      Effect.provide(PostgresEventStore.layer.pipe(Layer.provide(silent), Layer.provide(freshClient)))
    )
  })
}

it.effect("a store whose tables are away says that it can't be reached, whatever it is asked", () =>
  Effect.gen(function* () {
    const { append, readAll, readStream, outcome, since, head } = yield* EventStore
    const sql = yield* PgClient.PgClient
    yield* append(to("before"))
    yield* sql`ALTER TABLE events RENAME TO away`
    for (const asked of [
      append(to("x")),
      readAll(beginning),
      readStream("x", -1),
      outcome(fresh(), fresh()),
      since(beginning),
      head
    ])
      assert.strictEqual((yield* Effect.flip(asked as typeof head))._tag, "StoreUnavailable")
    yield* sql`ALTER TABLE away RENAME TO events`
    assert.strictEqual(yield* head, 1)
  }).pipe(Effect.provide(freshStore.pipe(Layer.provideMerge(Logger.layer([])))))
)
