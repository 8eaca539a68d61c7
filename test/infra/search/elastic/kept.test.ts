import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EventStore, StoreUnavailable } from "#engine/ports/EventStore.ts"
import { mappingVersion } from "#infra/search/elastic/mapping.ts"
import { type IndexChanges, SnippetIndex } from "#ports/SnippetIndex.ts"
import { aLog, indexAt, newName } from "#test/elasticsearch/index.ts"
import { startProxy } from "#test/elasticsearch/proxy.ts"
import { isHere, shared } from "#test/elasticsearch/shared.ts"
import { searching } from "#test/searching.ts"
import { median, query, snippet } from "../../indexed.ts"

const [url] = (isHere ? await shared() : ["http://127.0.0.1:9"]) as [string]

const changes = (some: Partial<IndexChanges>): IndexChanges => ({ put: [], voted: [], removed: [], ...some })
const put = (...ids: ReadonlyArray<string>) => changes({ put: ids.map((id) => snippet("home", id, median)) })

const found = Effect.flatMap(searching, (index) =>
  Effect.map(index.search(query("median", ["home"], { limit: 100 })), ({ matches }) => matches.map(({ id }) => id))
)

const send = (method: string, path: string) => Effect.promise(() => fetch(`${url}${path}`, { method }))

/** Documents that were deleted, and still lie in the files of any copy. */
const deletedIn = (index: string) =>
  Effect.promise(async (): Promise<number> => {
    const stats = await (await fetch(`${url}/${index}/_stats/docs`)).json()
    return stats._all.total.docs.deleted
  })

const until = (index: string, holds: (deleted: number) => boolean) =>
  Effect.gen(function* () {
    // for half a minute, and each look is work for both nodes
    while (!holds(yield* deletedIn(index))) yield* Effect.sleep("1 second")
  })

const twenty = put(...Array.from({ length: 20 }, (_, n) => `${n}`))

// beside each other: a copy waits half a minute before it lets go
describe.skipIf(!isHere)("an index in Elasticsearch that shrinks", { concurrent: true }, () => {
  it.live("lets go of what was deleted, in its files, too, also when Cairn was stopped before it had", () => {
    const name = newName()
    const on = (at: string) => indexAt(at, name)
    return Effect.gen(function* () {
      const proxy = yield* Effect.promise(() => startProxy(url))
      // as it is stopped before the files were written anew
      proxy.refuse(/_forcemerge/)
      yield* Effect.gen(function* () {
        const { apply } = yield* SnippetIndex
        yield* apply(twenty, { build: 1, position: 5 })
        yield* send("POST", `/${name}/_refresh`)
        yield* apply(changes({ removed: ["home-3"] }), { build: 1, position: 6 })
        assert.notInclude(yield* found, "home-3")
        yield* until(name, (deleted) => deleted > 0)
      }).pipe(Effect.provide(on(proxy.url)))
      proxy.stop()
      assert.isAbove(yield* deletedIn(name), 0)
      yield* Effect.provide(
        until(name, (deleted) => deleted === 0),
        on(url)
      )
    })
  })

  it.live("lets go of it in an edition that is not searched yet, too", () => {
    const name = newName()
    return Effect.gen(function* () {
      const { apply } = yield* SnippetIndex
      yield* apply(twenty, { build: 1, position: 9 })
      yield* apply(twenty, { build: 2, position: 3 })
      yield* send("POST", `/${name}-v*/_refresh`)
      yield* apply(changes({ removed: ["home-3"] }), { build: 2, position: 4 })
      yield* send("POST", `/${name}-v*/_refresh`)
      yield* until(`${name}-v${mappingVersion}-b2`, (deleted) => deleted === 0)
      assert.include(yield* found, "home-3")
    }).pipe(Effect.provide(indexAt(url, name)))
  })
})

describe.skipIf(!isHere)("an index in Elasticsearch", () => {
  it.live("that lost what it held says so once, and is filled again from the beginning", () => {
    const name = newName()
    return Effect.gen(function* () {
      const { apply, stand } = yield* SnippetIndex
      yield* apply(put("a"), { build: 1, position: 5 })
      yield* send("DELETE", `/${name}-v${mappingVersion}-b1`)
      const { fault } = yield* Effect.flip(apply(put("b"), { build: 1, position: 6 }))
      assert.include(fault, "has lost what it held")
      assert.deepStrictEqual(yield* stand, { build: undefined, position: 0 })
      yield* apply(put("a", "b"), { build: 1, position: 6 })
      assert.deepStrictEqual(yield* found, ["home-a", "home-b"])
    }).pipe(Effect.provide(indexAt(url, name)))
  })

  it.live.each([
    ["ends before it", aLog("event", 7)],
    ["went on otherwise", aLog("another")]
  ] as const)("that has come further than a log which was restored, and %s, is filled again", ([_, restored]) => {
    const name = newName()
    return Effect.gen(function* () {
      const filling = Effect.flatMap(SnippetIndex, ({ apply }) => apply(put("a", "b"), { build: 1, position: 9 }))
      yield* Effect.provide(filling, indexAt(url, name))
      yield* send("POST", `/${name}/_refresh`)
      yield* Effect.gen(function* () {
        const { apply, stand } = yield* SnippetIndex
        assert.deepStrictEqual(yield* found, ["home-a", "home-b"])
        assert.deepStrictEqual(yield* stand, { build: undefined, position: 0 })
        assert.deepStrictEqual(yield* found, [])
        yield* apply(put("a", "c"), { build: 1, position: 7 })
        assert.deepStrictEqual(yield* stand, { build: 1, position: 7 })
        assert.deepStrictEqual(yield* found, ["home-a", "home-c"])
      }).pipe(Effect.provide(indexAt(url, name, "one", restored)))
    })
  })

  it.live("is left alone while the log can't be asked", () => {
    const name = newName()
    const away = Layer.mock(EventStore, { eventAt: () => Effect.fail(new StoreUnavailable({ message: "away" })) })
    return Effect.gen(function* () {
      const filling = Effect.flatMap(SnippetIndex, ({ apply }) => apply(put("a"), { build: 1, position: 9 }))
      yield* Effect.provide(filling, indexAt(url, name))
      yield* Effect.gen(function* () {
        const { stand } = yield* SnippetIndex
        assert.strictEqual((yield* Effect.flip(stand)).fault, "away")
        assert.deepStrictEqual(yield* found, ["home-a"])
      }).pipe(Effect.provide(indexAt(url, name, "one", away)))
    })
  })

  it.live("remembers what it could not take, until it has gone or came again", () => {
    const name = newName()
    const odd = (id: string) => snippet("home", id, median, { vector: new Float32Array(3) })
    const refused = Effect.gen(function* () {
      const { stand } = yield* SnippetIndex
      return (yield* stand).refused
    }).pipe(Effect.provide(indexAt(url, name)))
    const take = (some: IndexChanges, position: number) =>
      Effect.flatMap(SnippetIndex, ({ apply }) => apply(some, { build: 1, position })).pipe(
        Effect.provide(indexAt(url, name))
      )
    return Effect.gen(function* () {
      yield* take(changes({ put: [odd("a"), odd("b"), odd("c"), snippet("home", "d", median)] }), 5)
      assert.deepStrictEqual(yield* refused, ["home-a", "home-b", "home-c"])
      yield* take({ ...put("a"), removed: ["home-b"] }, 6)
      assert.deepStrictEqual(yield* refused, ["home-c"])
      yield* take(put("c"), 7)
      assert.isUndefined(yield* refused)
    })
  })
})
