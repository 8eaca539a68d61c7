import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Logger, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { derivedId } from "#engine/derivedId.ts"
import { beginning } from "#engine/Position.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { command, fresh, noted, revisions, texts, to, typed, upTo } from "../../engine/appends.ts"
import { whole } from "../../engine/whole.ts"
import { Double, doubleAndDatabase, sound, storeAt } from "../../kurrent/stores.ts"

/** A store on the server and the database that the test has, as another process would have it. */
const another = Effect.flatMap(Double, ({ url }) =>
  Effect.map(Layer.build(Layer.fresh(storeAt(url))), (built) => Context.get(built, EventStore))
)

/** What is told to the operator is no output of the tests. */
const quiet = Logger.layer([])

layer(Layer.merge(doubleAndDatabase, quiet), { excludeTestServices: true })("appending to KurrentDB", (it) => {
  it.effect("an append whose answer is lost is repeated, and goes in once", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const { append, readStream } = yield* another
      const stream = fresh()
      const given = command({ events: [noted({ payload: typed(fresh("subject"), "text") }), noted()] })
      double.loseAnswers = 3
      const answer = yield* append(to(stream, "none", [given]))
      assert.deepStrictEqual([answer.revision, answer.before], [1, undefined])
      const { events } = yield* readStream(stream, -1)
      assert.deepStrictEqual(
        [revisions(events), texts(events)],
        [
          [0, 1],
          ["text", null]
        ]
      )
      // of streams that others append to as well
      double.loseAnswers = 2
      yield* append(to(stream, "any"))
      assert.lengthOf((yield* readStream(stream, -1)).events, 3)
      assert.strictEqual(double.loseAnswers, 0)
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("events have the ids that follow from their command and place", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const { append } = yield* another
      const [stream, given] = [fresh(), command({ events: [noted(), noted()] })]
      yield* append(to(stream, "none", [given]))
      assert.deepStrictEqual(
        double.records.stream(stream).map(({ id }) => id),
        [derivedId(given.commandId, 0), derivedId(given.commandId, 1)]
      )
    }).pipe(Effect.scoped)
  )

  it.effect(
    "of several processes that give one command at once, each with other events, all are answered with the one that went in",
    () =>
      Effect.gen(function* () {
        const stores = yield* Effect.all(upTo(4).map(() => another))
        for (const expected of ["none", "any"] as const) {
          const [stream, { commandId }] = [fresh(), command()]
          const answers = yield* Effect.forEach(
            stores,
            ({ append, outcome }, n) => {
              const given = command({ commandId, events: [noted({ data: `{"n":${n}}` })] })
              return Effect.map(append(to(stream, expected, [given])), ({ before }) => ({ n, before, outcome }))
            },
            { concurrency: "unbounded" }
          )
          const [event, ...more] = yield* stores[0]!.outcome(stream, commandId)
          assert.lengthOf(more, 0)
          const first = answers.filter(({ before }) => before === undefined)
          assert.deepStrictEqual(
            first.map(({ n }) => `{"n":${n}}`),
            [event!.data]
          )
          for (const { before } of answers) if (before !== undefined) assert.deepStrictEqual(before, [[event!]])
        }
      }).pipe(Effect.scoped)
  )

  it.effect("an append that expects nothing goes behind what another process has appended since", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* another, yield* another]
      const stream = fresh()
      for (const n of upTo(4)) {
        assert.strictEqual((yield* one.append(to(stream))).revision, 2 * n)
        assert.strictEqual((yield* other.append(to(stream))).revision, 2 * n + 1)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("where a command is to go is noted before it goes: a process that dies in between has done nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { append, outcome } = yield* another
      const [stream, given] = [fresh(), command()]
      yield* sql`INSERT INTO kurrent_commands (command_id, stream, revision) VALUES (${given.commandId}::uuid, ${stream}, 0)`
      assert.deepStrictEqual(yield* outcome(stream, given.commandId), [])
      const { before } = yield* append(to(stream, "none", [given]))
      assert.isUndefined(before)
      assert.lengthOf(yield* outcome(stream, given.commandId), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("a database that was restored from before some commands knows them again at the next start", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Scope.make()
      const [stream, other] = [fresh(), fresh()]
      const given = upTo(9).map(() => command({ events: [noted(), noted(), noted()] }))
      const { append } = yield* Scope.provide(another, scope)
      yield* append(to(stream, "none", given.slice(0, 4)))
      for (const one of given.slice(4)) yield* append(to(other, "any", [one]))
      yield* Scope.close(scope, Exit.void)
      yield* sql`DELETE FROM kurrent_commands`
      yield* sql`UPDATE kurrent_log SET known = 0`
      const restored = yield* another
      for (const [index, one] of given.entries()) {
        const { before } = yield* restored.append(to(index < 4 ? stream : other, "any", [one]))
        assert.lengthOf(before?.[0] ?? [], 3, String(index))
      }
      const [row] = yield* sql<{ known: bigint }>`SELECT known FROM kurrent_log`
      assert.strictEqual(Number(row!.known), yield* restored.head)
    }).pipe(Effect.scoped)
  )

  it.effect("knows them again also where they do not go into one page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Scope.make()
      const stream = fresh()
      const given = upTo(9).map(() => command({ events: [noted(), noted()] }))
      const { append } = yield* Scope.provide(another, scope)
      for (const one of given) yield* append(to(stream, "any", [one]))
      yield* Scope.close(scope, Exit.void)
      yield* sql`DELETE FROM kurrent_commands`
      yield* sql`UPDATE kurrent_log SET known = 0`
      const restored = yield* Effect.provideService(another, Bounds, { count: 3, bytes: 20_000 })
      for (const [index, { commandId }] of given.entries())
        assert.lengthOf(yield* restored.outcome(stream, commandId), 2, String(index))
    }).pipe(Effect.scoped)
  )

  it.effect("what a command led to is found behind a place where it was to go and did not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { append, outcome } = yield* another
      const [stream, given] = [fresh(), command()]
      yield* append(to(stream, "none", [command({ events: [noted(), noted(), noted()] })]))
      yield* sql`INSERT INTO kurrent_commands (command_id, stream, revision) VALUES (${given.commandId}::uuid, ${stream}, 1)`
      assert.strictEqual((yield* append(to(stream, "any", [given]))).revision, 3)
      assert.deepStrictEqual(revisions(yield* outcome(stream, given.commandId)), [3])
    }).pipe(Effect.scoped)
  )

  it.effect("all events of a command are found, however many there are", () =>
    Effect.gen(function* () {
      const { append, outcome } = yield* another
      for (const count of [63, 64, 65, 128, 129]) {
        const [stream, given] = [fresh(), command({ events: upTo(count).map(() => noted()) })]
        yield* append(to(stream, "none", [given]))
        assert.deepStrictEqual(revisions(yield* outcome(stream, given.commandId)), upTo(count))
      }
    }).pipe(Effect.scoped)
  )

  it.effect("what another process's try brought in just before is answered as it went in", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const { append } = yield* another
      const [stream, given] = [fresh(), command()]
      const appending = double.records.append.bind(double.records)
      double.records.append = (name, expected, events) => {
        if (name === stream) {
          double.records.append = appending
          const rivals = events.map(({ metadata, ...event }) => {
            const beside = { ...JSON.parse(Buffer.from(metadata).toString()), attempt: crypto.randomUUID() }
            return { ...event, data: Buffer.from('{"n":2}'), metadata: Buffer.from(JSON.stringify(beside)) }
          })
          appending(name, expected, rivals)
        }
        return appending(name, expected, events)
      }
      const { before } = yield* append(to(stream, "none", [given]))
      assert.deepStrictEqual(
        before?.map((events) => events.map(({ data }) => data)),
        [['{"n":2}']]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("what the server finds too big is refused, and said to the operator", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const { version } = double
      double.version = "23.10.6"
      const { append, readStream } = yield* another
      const stream = fresh()
      const data = JSON.stringify({ n: "x".repeat(60_000) })
      const big = command({ events: upTo(20).map(() => noted({ data })) })
      const lines: Array<string> = []
      const told = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      const error = yield* Effect.flip(append(to(stream, "none", [big]))).pipe(Effect.provide(told))
      assert.strictEqual(error._tag, "StoreUnavailable")
      assert.match(lines.join("\n"), /Maximum Append Size of 1048576 Exceeded/)
      assert.deepStrictEqual((yield* readStream(stream, -1)).events, [])
      // from 25.1 on a server takes as much as a chunk of its log holds
      double.version = version
      yield* append(to(stream, "none", [big]))
      assert.lengthOf((yield* readStream(stream, -1)).events, 20)
    }).pipe(Effect.scoped)
  )

  it.effect("a stream that is kept for a time is told so once, before its first event", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const store = yield* Effect.map(
        Layer.build(Layer.fresh(storeAt(double.url, [{ streams: "usage-", seconds: 60 }]))),
        (built) => Context.get(built, EventStore)
      )
      const [used, kept] = [fresh("usage"), fresh("kept")]
      for (const stream of [used, kept, used]) yield* store.append(to(stream))
      assert.deepStrictEqual([double.records.maxAge(used), double.records.maxAge(kept)], [60, undefined])
      const [told, ...more] = double.records.stream(`$$${used}`)
      assert.lengthOf(more, 0)
      assert.isBelow(told!.position, double.records.stream(used)[0]!.position)
      // and what is older is read no more; the stream goes on
      double.records.now = () => Date.now() + 61_000
      const { events } = yield* store.readStream(used, -1)
      assert.deepStrictEqual(events, [])
      const { revision } = yield* store.append(to(used))
      assert.strictEqual(revision, 2)
      assert.deepStrictEqual(revisions((yield* store.readStream(used, -1)).events), [2])
      double.records.now = Date.now
    }).pipe(Effect.scoped)
  )

  it.effect("a log's first page is read as it was written, after all of this", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const store = yield* another
      const all = yield* Effect.provideService(
        Effect.flatMap(whole, ({ readAll }) => readAll(beginning)),
        EventStore,
        store
      )
      const ours = double.records.all.filter(({ type }) => !type.startsWith("$") && type !== "CairnLogBegun")
      assert.deepStrictEqual(
        all.map(({ eventId }) => eventId),
        ours.map(({ id }) => id)
      )
      yield* sound
    }).pipe(Effect.scoped)
  )
})
