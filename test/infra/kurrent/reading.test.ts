import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger, Redacted } from "effect"
import { beginning, positionOf } from "#engine/Position.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Kurrent } from "#infra/kurrent/client.ts"
import { follow } from "#infra/kurrent/follow.ts"
import { Log, logOf } from "#infra/kurrent/Log.ts"
import { command, fresh, noted, to, upTo } from "../../engine/appends.ts"
import { rest } from "../../engine/EventStore.reading.ts"
import { Double, doubleAndDatabase, sound, storeAt } from "../../kurrent/stores.ts"
import { notReady } from "../../kurrent/wire.ts"

const another = Effect.flatMap(Double, ({ url }) =>
  Effect.map(Layer.build(Layer.fresh(storeAt(url))), (built) => Context.get(built, EventStore))
)
const quiet = Logger.layer([])

/** A double that answers as ever behind a test that has made it slow, however that ends. */
const slowed = Effect.acquireRelease(Double, (double) =>
  Effect.sync(() => {
    double.unready = 0
    Object.assign(double.slow, { before: undefined, news: undefined })
  })
)

/** Waits until a condition holds: what it rests on comes over the network. */
const until = (holds: () => boolean) =>
  Effect.gen(function* () {
    while (!holds()) yield* Effect.sleep("2 millis")
  })

layer(Layer.merge(doubleAndDatabase, quiet), { excludeTestServices: true })("reading from KurrentDB", (it) => {
  it.effect("what others write on the same server is passed over: in streams, behind the head, between ours", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const store = yield* another
      const stream = fresh()
      const before = yield* store.head
      yield* store.append(to(stream))
      // of a program that knows nothing of us, of another Cairn, and in a stream of ours
      const beside = { cairn: crypto.randomUUID(), tenant: "theirs", version: 1, command: crypto.randomUUID() }
      double.foreign(
        "theirs",
        upTo(40).map(() => ({}))
      )
      double.foreign("theirs", [
        { type: "Noted", contentType: "application/octet-stream", metadata: Buffer.from(JSON.stringify(beside)) }
      ])
      double.foreign(stream, [{ type: "Noted", metadata: Buffer.from("no JSON") }])
      // one that says it is ours, and is not as we write
      const [mark] = double.records.stream("cairn-log")
      const ours = { ...beside, cairn: JSON.parse(Buffer.from(mark!.data).toString()).id }
      double.foreign("theirs", [{ type: "Noted", metadata: Buffer.from(JSON.stringify(ours)) }])
      double.foreign("$stats", [{ type: "$statsCollected" }])
      const head = yield* store.head
      // and by one that has just begun, and has seen nothing of it
      assert.strictEqual(yield* (yield* another).head, head)
      assert.deepStrictEqual(
        (yield* store.readStream(stream, -1)).events.map(({ position }) => position),
        [head]
      )
      assert.deepStrictEqual(yield* store.since(head), { head, kinds: [] })
      const { revision } = yield* store.append(to(stream, "any"))
      assert.strictEqual(revision, 2)
      const all = yield* Effect.provideService(rest(before), EventStore, store)
      assert.deepStrictEqual(
        all.map((event) => [event.stream, event.revision]),
        [
          [stream, 0],
          [stream, 2]
        ]
      )
      const noted = yield* store.readAll(before, { types: ["Noted"] })
      assert.lengthOf(noted.events, 2)
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("types are looked for by the server, and are the whole name of one", () =>
    Effect.gen(function* () {
      const store = yield* another
      const before = yield* store.head
      for (const type of ["A", "AA", "BA", "A.B", "AxB"])
        yield* store.append(to(fresh(), "none", [command({ events: [noted({ type })] })]))
      const of = (...types: ReadonlyArray<string>) =>
        Effect.map(store.readAll(before, { types }), ({ events }) => events.map(({ type }) => type))
      assert.deepStrictEqual(yield* of("A"), ["A"])
      assert.strictEqual((yield* Double).seen.patterns.at(-1), "^(?:A)$")
      assert.deepStrictEqual(yield* of("A.B", "AA"), ["AA", "A.B"])
      assert.strictEqual((yield* Double).seen.patterns.at(-1), "^(?:A\\.B|AA)$")
    }).pipe(Effect.scoped)
  )

  it.effect("the head is asked from the leader, and so is everything else", () =>
    Effect.gen(function* () {
      const double = yield* Double
      // an operator who prefers others: half of the client would ask for the leader anyway
      const built = yield* Layer.build(Layer.fresh(storeAt(`${double.url}&nodePreference=random`)))
      const store = Context.get(built, EventStore)
      yield* store.head
      assert.isNotEmpty(double.calls)
      // a node that isn't it names the leader, which here is itself: whoever did not ask for the leader would not be
      // told
      double.leader = { host: "127.0.0.1", port: double.port }
      const reads = [store.readStream(fresh(), -1), store.readAll(beginning)]
      for (const read of [store.head, ...reads].map((read) => Effect.asVoid(read as typeof store.head)))
        assert.strictEqual((yield* Effect.flip(read))._tag, "StoreUnavailable")
      double.leader = undefined
      yield* store.head
    }).pipe(Effect.scoped)
  )

  it.effect("who reads everything finds the next page read already", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const store = yield* another
      const before = yield* store.head
      for (const _ of upTo(30)) yield* store.append(to(fresh(), "none"))
      const seen: Array<number> = []
      // each page is read once, from the second on one before it is asked for; the last one again, as it may have grown
      const reads = [1, 3, 4, 5, 6, 7, 8]
      const calls = double.calls.length
      let at = before
      for (const [index, expected] of reads.entries()) {
        const page = yield* store.readAll(at, { limit: 5 })
        assert.strictEqual(page.more, index < reads.length - 1)
        seen.push(...page.events.map(({ position }) => position))
        at = page.events.at(-1)?.position ?? at
        yield* until(() => double.calls.length - calls >= expected)
      }
      assert.strictEqual(double.calls.length - calls, reads.at(-1))
      assert.lengthOf(new Set(seen), 30)
      assert.deepStrictEqual(
        seen,
        seen.toSorted((one, other) => one - other)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("who reads on by some types is not given what was read ahead by others", () =>
    Effect.gen(function* () {
      const store = yield* another
      const before = yield* store.head
      for (const n of upTo(40))
        yield* store.append(to(fresh(), "none", [command({ events: [noted({ type: n % 2 === 0 ? "A" : "B" })] })]))
      let at = before
      for (const _ of upTo(2)) at = (yield* store.readAll(at, { types: ["A"], limit: 5 })).events.at(-1)!.position
      const { events } = yield* store.readAll(at, { types: ["B"], limit: 5 })
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        upTo(5).map(() => "B")
      )
    }).pipe(Effect.scoped)
  )

  it.effect("what lies behind a place is known before the subscription brings it, also of very many tenants", () =>
    Effect.gen(function* () {
      const double = yield* slowed
      const store = yield* another
      const { positions } = yield* store.append(to(fresh()))
      const before = positions[0]!
      const gate = Promise.withResolvers<void>()
      double.slow.news = () => gate.promise
      yield* Effect.addFinalizer(() => Effect.sync(gate.resolve))
      const mine = yield* another
      const appended = yield* store.append(
        to(fresh(), "none", [command({ events: [noted({ type: "Late" })] })], "late")
      )
      const late = { tenant: "late", type: "Late", last: appended.positions[0]! }
      assert.deepStrictEqual(yield* mine.since(before), { head: late.last, kinds: [late] })
      // more than it remembers
      const { data, contentType, metadata } = double.records.all.at(-1)!
      const beside = JSON.parse(Buffer.from(metadata).toString())
      const many = upTo(10_001).map((n) => ({
        id: crypto.randomUUID(),
        type: "Noted",
        contentType,
        data,
        metadata: Buffer.from(JSON.stringify({ ...beside, tenant: `tenant ${n}` }))
      }))
      double.records.append(fresh(), "no_stream", many)
      const { head, kinds } = yield* mine.since(late.last)
      assert.strictEqual(head, double.records.all.at(-1)!.position)
      assert.lengthOf(new Set(kinds.map(({ tenant }) => tenant)), 10_001)
    }).pipe(Effect.scoped)
  )

  it.effect("what lies behind a place that a process has not seen is read to its end", () =>
    Effect.gen(function* () {
      const store = yield* another
      const before = yield* store.head
      const types = upTo(7).map((n) => `T${n}`)
      for (const type of types) yield* store.append(to(fresh(), "none", [command({ events: [noted({ type })] })]))
      const small = yield* Effect.provideService(another, Bounds, { count: 3, bytes: 20_000 })
      const { head, kinds } = yield* small.since(before)
      assert.strictEqual(head, yield* store.head)
      assert.deepStrictEqual(
        kinds.map(({ type }) => type),
        types
      )
    }).pipe(Effect.scoped)
  )

  it.effect("the newest are found page by page, each once, in a stream and among all", () =>
    Effect.gen(function* () {
      const store = yield* another
      const [stream, tenant] = [fresh(), fresh("tenant")]
      const events = upTo(501).map(() => noted())
      yield* store.append(to(stream, "none", [command({ events })], tenant))
      for (const which of [{ stream }, { tenant }]) {
        const found = yield* store.newest({ ...which, limit: 1_000 })
        assert.lengthOf(found, 501)
        assert.lengthOf(new Set(found), 501)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("an event that can't be read for a moment is not taken for one that is not there", () =>
    Effect.gen(function* () {
      const double = yield* slowed
      const store = yield* another
      const [place] = (yield* store.append(to(fresh()))).positions
      const id = yield* store.eventAt(place!)
      assert.isString(id)
      yield* store.append(to(fresh()))
      // while the server answers all else
      double.slow.before = ({ position }) => (position === place ? new Promise(() => {}) : Promise.resolve())
      assert.strictEqual((yield* Effect.flip(store.eventAt(place!)))._tag, "StoreUnavailable")
      let faults = 3
      double.slow.before = async ({ position }) => {
        if (position === place && faults-- > 0) throw notReady()
      }
      assert.strictEqual(yield* store.eventAt(place!), id)
      assert.isBelow(faults, 1)
      double.slow.before = undefined
      double.unready = 1_000
      assert.strictEqual((yield* Effect.flip(store.eventAt(place!)))._tag, "StoreUnavailable")
      double.unready = 0
      // what the server refuses is none of its places
      assert.isUndefined(yield* store.eventAt(positionOf(place! + 1)))
    }).pipe(Effect.scoped)
  )

  it.effect("a subscription is given no more than it takes, however much there is", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const data = Buffer.alloc(8_000)
      const from = double.records.all.at(-1)?.position ?? 0
      for (const _ of upTo(30))
        double.foreign(
          "theirs",
          upTo(100).map(() => ({ data }))
        )
      const gate = yield* Deferred.make<void>()
      const following = Effect.fnUntraced(function* (wait: Effect.Effect<void>) {
        // a connection each: what one leaves lying there, no other can pass
        const kurrent = yield* Layer.build(Layer.fresh(Kurrent.layer(Redacted.make(double.url))))
        let passed = 0
        const count = (more: number) =>
          Effect.andThen(
            wait,
            Effect.sync(() => void (passed += more))
          )
        const first = double.seen.sent.length
        yield* Effect.forkScoped(
          follow(from, () => Effect.void, count).pipe(
            Effect.provideService(Log, logOf(crypto.randomUUID())),
            Effect.provideContext(kurrent)
          )
        )
        yield* until(() => double.seen.sent.length > first)
        return { sent: () => double.seen.sent[first]!, passed: () => passed }
      })
      const held = yield* following(Deferred.await(gate))
      const free = yield* following(Effect.void)
      yield* until(() => free.passed() === 3_000)
      // by then it could have had as much
      assert.isBelow(held.sent(), 1_500)
      assert.strictEqual(held.passed(), 0)
      yield* Deferred.succeed(gate, undefined)
      yield* until(() => held.passed() === 3_000)
    }).pipe(Effect.scoped)
  )
})
