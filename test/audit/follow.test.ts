import { Clock, Effect, Fiber, Layer, PubSub, Stream } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { beginning } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Tail } from "#engine/tail.ts"
import { follow } from "#src/audit/follow.ts"
import { Closing } from "#src/closing.ts"
import { castVote, uploadSnippet } from "../commands.ts"
import { hurried } from "../hurried.ts"
import { memberKey } from "../service/tenants.ts"
import { type Service, startService } from "../service.ts"

/** Reads as they are. */
const asIs = <A>(read: (look: object) => A): A => read({})

describe("following the log", () => {
  let service: Service
  let key: string
  beforeAll(async () => {
    service = await startService()
    key = (await memberKey(service.call, "admin@example.org", "admin")).id
    await service.run(uploadSnippet("followed"))
    for (let i = 0; i < 100; i++) await service.run(castVote("followed"))
  })
  afterAll(() => service.close())

  /** Follows with a store that notes where its pages begin. */
  const noting = (pages: Array<number>) =>
    Effect.map(EventStore, (store) =>
      EventStore.of({
        ...store,
        readAll: (after, options) =>
          Effect.suspend(() => {
            pages.push(after)
            return store.readAll(after, options)
          })
      })
    )

  it("reads a page when the one before was taken, and none ahead", async () => {
    const pages: Array<number> = []
    const told = await service.run(
      Effect.gen(function* () {
        const store = yield* noting(pages)
        const stream = follow(key, "events.eventStream", beginning, { tenant: "tenant" }, asIs).pipe(
          Stream.provideService(EventStore, store),
          Stream.mapEffect((news) => Effect.sync(() => [news, pages.length] as const)),
          Stream.take(3)
        )
        return yield* Stream.runCollect(stream)
      }).pipe(Effect.provide(Closing.layer))
    )
    assert.deepStrictEqual(
      told.map(([, read]) => read),
      [1, 2, 3]
    )
    const positions = told.flatMap(([news]) =>
      news._tag === "Events" ? news.events.map(({ position }) => position) : []
    )
    assert.lengthOf(new Set(positions), positions.length)
    assert.deepStrictEqual(
      pages.slice(1),
      told.slice(0, -1).map(([news]) => (news._tag === "Events" ? news.events.at(-1)!.position : 0))
    )
  })

  it("frees its place among those that wait for news when its reader leaves", async () => {
    const pages: Array<number> = []
    await service.run(
      Effect.gen(function* () {
        const store = yield* noting(pages)
        const first = follow(key, "events.eventStream", beginning, {}, asIs).pipe(
          Stream.provideService(EventStore, store),
          Stream.take(1)
        )
        yield* Stream.runDrain(first)
      }).pipe(Effect.provide(Closing.layer))
    )
    const read = pages.length
    // others append, and whoever still listens hears of it
    await service.run(
      Effect.scoped(
        Effect.gen(function* () {
          const hints = yield* (yield* EventStore).hints
          for (let heard = 0; heard < 2; heard++) {
            yield* castVote("followed")
            yield* PubSub.takeAll(hints)
          }
        })
      )
    )
    assert.strictEqual(pages.length, read)
  })

  it("costs about one look and one page for whatever is new, however many follow", async () => {
    const counts = { since: 0, readAll: 0 }
    let heard = 0
    const until = (condition: () => boolean) =>
      Effect.gen(function* () {
        while (!condition()) yield* Effect.sleep("5 millis")
      })
    const told = await service.run(
      Effect.gen(function* () {
        const store = yield* EventStore
        const counting = EventStore.of({
          ...store,
          since: (after) =>
            Effect.suspend(() => {
              counts.since += 1
              return store.since(after)
            }),
          readAll: (after, options) =>
            Effect.suspend(() => {
              counts.readAll += 1
              return store.readAll(after, options)
            })
        })
        const tail = Layer.provide(Layer.fresh(Tail.layer), Layer.succeed(EventStore, counting))
        const head = yield* store.head
        return yield* Effect.gen(function* () {
          const readers = yield* Effect.forEach(
            Array.from({ length: 40 }, (_, n) => n),
            (n) =>
              follow(key, "events.eventStream", head, { tenant: n < 20 ? "tenant" : "another" }, asIs).pipe(
                Stream.provideService(EventStore, counting),
                Stream.filter(({ _tag }) => _tag === "Events"),
                Stream.tap(() => Effect.sync(() => void (heard += 1))),
                Stream.take(3),
                Stream.runCollect,
                Effect.forkScoped
              )
          )
          // all of them wait at the end of the log
          const messages = yield* (yield* Tail).join
          yield* PubSub.take(messages)
          yield* PubSub.take(messages)
          const before = { ...counts }
          for (const round of [1, 2, 3]) {
            yield* castVote("followed")
            yield* until(() => heard === 20 * round)
          }
          const told = yield* Effect.forEach(readers.slice(0, 20), (reader) => Fiber.join(reader))
          return { told, since: counts.since - before.since, readAll: counts.readAll - before.readAll }
        }).pipe(Effect.provide(tail), Effect.scoped)
      }).pipe(Effect.provide(Closing.layer))
    )
    for (const news of told.told)
      assert.lengthOf(
        news.flatMap((one) => (one._tag === "Events" ? one.events : [])),
        3
      )
    // hints come in twos, on a busy machine too
    assert.isAtMost(told.since, 15)
    assert.isAtMost(told.readAll, 9)
  })

  it("says that it is there when nothing was told for 15 s", async () => {
    const told = await service.run(
      Effect.gen(function* () {
        const head = yield* (yield* EventStore).head
        const silent = follow(key, "events.eventStream", head, { tenant: "tenant" }, asIs).pipe(Stream.take(2))
        return yield* hurried(Effect.all([Stream.runCollect(silent), Clock.currentTimeMillis]), 8_000)
      }).pipe(Effect.provide(Closing.layer))
    )
    // the start, two looks a silence, and this test's own
    assert.deepStrictEqual(told, [[{ _tag: "Silence" }, { _tag: "Silence" }], 6 * 8_000])
  })

  it("ends when its store does not answer", async () => {
    const told = await service.run(
      Effect.gen(function* () {
        const store = yield* EventStore
        const broken = EventStore.of({ ...store, readAll: () => Effect.fail({ _tag: "StoreUnavailable" } as never) })
        return yield* Stream.runCollect(
          follow(key, "events.eventStream", beginning, {}, asIs).pipe(Stream.provideService(EventStore, broken))
        )
      }).pipe(Effect.provide(Closing.layer))
    )
    assert.deepStrictEqual(told, [{ _tag: "End", why: "unavailable" }])
  })
})
