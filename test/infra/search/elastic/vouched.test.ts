import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { mappingVersion } from "#infra/search/elastic/mapping.ts"
import { type IndexChanges, SnippetIndex } from "#ports/SnippetIndex.ts"
import { indexAt, newName } from "#test/elasticsearch/index.ts"
import { startProxy } from "#test/elasticsearch/proxy.ts"
import { isHere, shared } from "#test/elasticsearch/shared.ts"
import { searching } from "#test/searching.ts"
import { median, query, snippet } from "../../indexed.ts"

const [url] = (isHere ? await shared() : ["http://127.0.0.1:9"]) as [string]

const put = (...ids: ReadonlyArray<string>): IndexChanges => ({
  put: ids.map((id) => snippet("home", id, median)),
  voted: [],
  removed: []
})

/** A process's way to an index. */
const processAt = Effect.fnUntraced(function* (at: string, name: string) {
  const services = yield* Layer.build(indexAt(at, name))
  const { apply, stand } = Context.get(services, SnippetIndex)
  const { search } = yield* Effect.provideContext(searching, services)
  const found = Effect.map(search(query("median", ["home"])), ({ matches }) => matches.map(({ id }) => id))
  return { apply, stand, found }
})

const ask = (method: string, path: string, body?: object) =>
  Effect.promise(async () => {
    const headers = { "content-type": "application/json" }
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    assert.isTrue(answer.ok, `${method} ${path}: ${answer.status}`)
  })

const upTo = (position: number) => ({ build: 1, position })

describe.skipIf(!isHere)("what a process vouches for of an index in Elasticsearch that others write to", () => {
  it.live("is found, also where a node that was asked to refresh it has not heard of it yet", () =>
    Effect.gen(function* () {
      const name = newName()
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => startProxy(url)),
        ({ stop }) => Effect.sync(stop)
      )
      const writer = yield* processAt(url, name)
      const reader = yield* processAt(proxy.url, name)
      assert.deepStrictEqual(yield* reader.stand, { build: undefined, position: 0 })
      yield* writer.apply(put("a"), upTo(5))
      assert.deepStrictEqual(yield* reader.stand, upTo(5))
      proxy.answer((answer) => {
        proxy.heal()
        const headers = { "content-type": "application/json", "x-elastic-product": "Elasticsearch" }
        answer
          .writeHead(404, headers)
          .end(JSON.stringify({ error: { type: "index_not_found_exception" }, status: 404 }))
      })
      assert.include((yield* Effect.flip(reader.found)).fault, "no index")
      assert.isTrue(proxy.seen.at(-1)!.path.endsWith("/_refresh"))
      assert.deepStrictEqual(yield* reader.found, ["home-a"])
    })
  )

  it.live("is missed when it goes, by one that has only looked, too", () =>
    Effect.gen(function* () {
      const name = newName()
      const writer = yield* processAt(url, name)
      const reader = yield* processAt(url, name)
      assert.deepStrictEqual(yield* reader.found, [])
      yield* writer.apply(put("a"), upTo(5))
      assert.deepStrictEqual(yield* reader.stand, upTo(5))
      yield* ask("DELETE", `/${name}-v${mappingVersion}-b1`)
      assert.include((yield* Effect.flip(reader.found)).fault, "no index")
    })
  )

  it.live("is not gone on from when it went before the first change was taken in", () =>
    Effect.gen(function* () {
      const name = newName()
      const writer = yield* processAt(url, name)
      const other = yield* processAt(url, name)
      yield* writer.apply(put("a"), upTo(5))
      assert.deepStrictEqual(yield* other.stand, upTo(5))
      yield* ask("DELETE", `/${name}-v${mappingVersion}-b1`)
      assert.include((yield* Effect.flip(other.apply(put("b"), upTo(6)))).fault, "has lost what it held")
      assert.deepStrictEqual(yield* other.stand, { build: undefined, position: 0 })
      yield* other.apply(put("a", "b"), upTo(6))
      assert.sameMembers([...(yield* other.found)], ["home-a", "home-b"])
    })
  )

  it.live("is not what Elasticsearch refused to write", () =>
    Effect.gen(function* () {
      const name = newName()
      const writer = yield* processAt(url, name)
      yield* writer.apply(put("a"), upTo(5))
      yield* ask("PUT", `/${name}/_settings`, { "index.blocks.write": true })
      assert.include((yield* Effect.flip(writer.apply(put("b"), upTo(6)))).fault, "did not write: 403")
      assert.deepStrictEqual(yield* writer.stand, upTo(5))
      yield* ask("PUT", `/${name}/_settings`, { "index.blocks.write": null })
      yield* writer.apply(put("b"), upTo(6))
      assert.sameMembers([...(yield* writer.found)], ["home-a", "home-b"])
    })
  )

  it.live("is searched, also when its maker ended before it was", () =>
    Effect.gen(function* () {
      const name = newName()
      const writer = yield* processAt(url, name)
      yield* writer.apply(put("a"), upTo(5))
      yield* ask("POST", "/_aliases", { actions: [{ remove: { index: `${name}-v*`, alias: name } }] })
      const other = yield* processAt(url, name)
      assert.deepStrictEqual(yield* other.stand, upTo(5))
      yield* other.apply(put(), upTo(5))
      assert.deepStrictEqual(yield* other.found, ["home-a"])
    })
  )
})
