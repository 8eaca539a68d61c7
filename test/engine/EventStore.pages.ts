import { assert, type Vitest } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { beginning, positionOf } from "#engine/Position.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { command, fresh, noted, revisions, to, typed, upTo } from "./appends.ts"
import { rest } from "./EventStore.reading.ts"
import { whole } from "./whole.ts"

/** So small that hardly anything fits into one page. */
export const small = Layer.succeed(Bounds, { count: 3, bytes: 20_000 })

/** An event with so many bytes of text beside it. */
const heavy = (bytes: number, type = "Heavy") =>
  noted({ type, payload: typed(fresh("subject"), new Uint8Array(bytes)) })

const append = Effect.fnUntraced(function* (sizes: ReadonlyArray<number>, tenant = fresh("tenant")) {
  const { add } = yield* whole
  const stream = fresh()
  const events = sizes.map((bytes) => heavy(bytes))
  const [stored] = yield* add(to(stream, "none", [command({ events })], tenant))
  return { tenant, stream, stored: stored! }
})

/** The part of the contract that is about how much a page holds; for stores that are bound as `small` has it. */
export const pages = (it: Vitest.MethodsNonLive<EventStore>) => {
  it.effect("a page has as many events as are asked for and allowed, and says whether there may be more", () =>
    Effect.gen(function* () {
      const { readStream, readAll } = yield* EventStore
      const { tenant, stream, stored } = yield* append([0, 0, 0, 0, 0])
      for (const read of [
        (after: number, limit?: number) => readStream(stream, after, limit === undefined ? {} : { limit }),
        (after: number, limit = 1_000) =>
          readAll(positionOf(after < 0 ? 0 : stored[after]!.position), { tenant, limit }),
        (after: number, limit = 1_000) =>
          readAll(positionOf(after < 0 ? 0 : stored[after]!.position), { stream, limit })
      ]) {
        assert.deepStrictEqual(yield* read(-1), { events: stored.slice(0, 3), more: true })
        assert.deepStrictEqual(yield* read(-1, 2), { events: stored.slice(0, 2), more: true })
        assert.deepStrictEqual(yield* read(2, 4), { events: stored.slice(3), more: false })
        assert.deepStrictEqual(yield* read(4), { events: [], more: false })
      }
    })
  )

  it.effect("a page ends with the event that brings it to the bytes allowed", () =>
    Effect.gen(function* () {
      const { readStream, readAll } = yield* EventStore
      const { tenant, stream, stored } = yield* append([10_000, 10_000, 10, 25_000, 10, 10_000, 10, 10_000, 10])
      const cut = [2, 4, 7, 9]
      for (const options of [{ tenant }, { stream }, { tenant, types: ["Heavy"] }, undefined]) {
        const counts: Array<number> = []
        for (let last = -1; ; ) {
          const page: { events: typeof stored; more: boolean } =
            options === undefined
              ? yield* readStream(stream, last)
              : yield* readAll(positionOf(last < 0 ? 0 : stored[last]!.position), options)
          last += page.events.length
          counts.push(last + 1)
          if (!page.more) break
        }
        assert.deepStrictEqual(counts, cut, JSON.stringify(options))
      }
    })
  )

  it.effect("a page has no more bytes than were asked for either", () =>
    Effect.gen(function* () {
      const { readStream, readAll } = yield* EventStore
      const { stream, tenant, stored } = yield* append([5_000, 5_000, 5_000])
      for (const page of [
        yield* readStream(stream, -1, { bytes: 6_000 }),
        yield* readAll(beginning, { stream, bytes: 6_000 }),
        yield* readAll(beginning, { tenant, bytes: 6_000 })
      ]) {
        assert.deepStrictEqual(page, { events: stored.slice(0, 2), more: true })
      }
    })
  )

  it.effect("what is bigger than a page goes alone, and is given whole", () =>
    Effect.gen(function* () {
      const { readStream, outcome } = yield* EventStore
      const { stream, stored } = yield* append([300_000, 300_000])
      const first = yield* readStream(stream, -1)
      assert.deepStrictEqual(revisions(first.events), [0])
      assert.isTrue(first.more)
      assert.strictEqual(first.events[0]!.payload!.length, 300_000)
      assert.deepStrictEqual(revisions((yield* readStream(stream, 0)).events), [1])
      assert.lengthOf(yield* outcome(stream, stored[0]!.commandId), 2)
    })
  )

  it.effect("what is not asked for does not count, however much of it lies between", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const tenant = fresh("tenant")
      const before = yield* store.head
      for (const _ of upTo(30)) {
        const events = upTo(50).map(() => heavy(3_000, "Other"))
        yield* store.append(to(fresh(), "none", [command({ events })], tenant))
      }
      yield* store.append(to(fresh(), "none", [command({ events: [noted({ type: "Wanted" }), noted()] })], tenant))
      for (const options of [{ tenant, types: ["Wanted"] }, { types: ["Wanted"] }]) {
        const { events } = yield* store.readAll(before, options)
        assert.deepStrictEqual(
          events.map(({ type }) => type),
          ["Wanted"]
        )
      }
      const all = yield* store.readAll(before, { tenant })
      assert.lengthOf(all.events, 3)
      assert.lengthOf(yield* rest(before), 1_502)
    })
  )

  it.effect("what is asked for counts, however much else lies before it", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const tenant = fresh("tenant")
      const before = yield* store.head
      for (const _ of upTo(25)) {
        const events = upTo(50).map(() => heavy(3_000, "Other"))
        yield* store.append(to(fresh(), "none", [command({ events })], tenant))
      }
      const events = upTo(3).map(() => heavy(15_000, "Wanted"))
      yield* store.append(to(fresh(), "none", [command({ events })], tenant))
      for (const options of [{ tenant, types: ["Wanted"] }, { types: ["Wanted"] }]) {
        const page = yield* store.readAll(before, options)
        assert.deepStrictEqual([revisions(page.events), page.more], [[0, 1], true])
      }
    })
  )
}
