import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Engine } from "#infra/search/elastic/Engine.ts"
import { makeUnite } from "#infra/search/elastic/unite.ts"
import { IndexUnavailable, SnippetIndex } from "#ports/SnippetIndex.ts"
import { indexAt } from "#test/elasticsearch/index.ts"
import { median, snippet } from "../../indexed.ts"

/** An Elasticsearch with so many documents, and what it was asked to merge. */
const having = (count: number) => {
  const merges: Array<string> = []
  const at = { isAway: false, failed: 0, merging: Effect.void }
  const engine = {
    ask: ({ path, query }) =>
      Effect.suspend((): Effect.Effect<never, IndexUnavailable> => {
        if (at.isAway) return Effect.fail(new IndexUnavailable({ fault: "away" }))
        const _shards = { successful: 1, failed: at.failed }
        const answer = { status: 200, body: { _shards, _all: { primaries: { docs: { count } } } } } as never
        if (!path.endsWith("/_forcemerge")) return Effect.succeed(answer)
        merges.push(`${path} ${query!["max_num_segments"]}`)
        return Effect.as(at.merging, answer)
      })
  } as Engine
  return { engine, merges, at }
}

/** What takes all that it is sent, and has nothing; `merged` is when it is asked to merge. */
const elasticsearch = Effect.acquireRelease(
  Effect.promise(async () => {
    const merges: Array<string> = []
    const merging = Promise.withResolvers<void>()
    const server = createServer(async (request, response) => {
      const { url = "" } = request
      let text = ""
      for await (const piece of request.setEncoding("utf8")) text += piece
      const answer = (status: number, body: object) => {
        response.writeHead(status, { "content-type": "application/json", "x-elastic-product": "Elasticsearch" })
        response.end(JSON.stringify(body))
      }
      if (url.startsWith("/_nodes")) return answer(200, { nodes: { one: { version: "9.5.0" } } })
      if (url.includes("/_doc/")) return answer(404, {})
      if (url.includes("/_stats")) return answer(200, { _all: { primaries: { docs: { count: 2_001 } } } })
      if (url.includes("/_bulk")) {
        const operations = text.match(/^\{"index":\{"_id"/gm) ?? []
        return answer(200, { items: operations.map(() => ({ index: { status: 201 } })) })
      }
      if (url.includes("/_forcemerge?max_num_segments")) {
        merges.push(url)
        merging.resolve()
        return answer(200, { _shards: { successful: 1, failed: 0 } })
      }
      return answer(200, {})
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}`, merges, merged: merging.promise, server }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const merged = "/snippets-v*/_forcemerge 1"

describe("an index that has been filled", () => {
  it.effect("becomes one segment when nothing more is written for a while, once", () =>
    Effect.gen(function* () {
      const { engine, merges } = having(20_000)
      const wrote = yield* makeUnite(engine, "snippets")
      for (let page = 0; page < 4; page++) {
        wrote(500)
        yield* TestClock.adjust("4 seconds")
      }
      assert.deepStrictEqual(merges, [])
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual(merges, [merged])
      wrote(500)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(merges, [merged])
    })
  )

  it.effect("does not for few documents, nor for a small share of all", () =>
    Effect.gen(function* () {
      for (const [count, before, last] of [
        [100, 1_999, 1],
        [100_000, 9_999, 1]
      ] as const) {
        const { engine, merges } = having(count)
        const wrote = yield* makeUnite(engine, "snippets")
        wrote(before)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(merges, [])
        wrote(last)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(merges, [merged])
      }
    })
  )

  it.effect("is tried again with the next write where Elasticsearch was away", () =>
    Effect.gen(function* () {
      const { engine, merges, at } = having(100)
      const wrote = yield* makeUnite(engine, "snippets")
      at.isAway = true
      wrote(5_000)
      yield* TestClock.adjust("1 minute")
      at.isAway = false
      wrote(1)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(merges, [merged])
    })
  )

  it.effect("is merged again with the next write where a copy was away", () =>
    Effect.gen(function* () {
      const { engine, merges, at } = having(20_000)
      const wrote = yield* makeUnite(engine, "snippets")
      at.failed = 1
      wrote(5_000)
      yield* TestClock.adjust("1 minute")
      at.failed = 0
      wrote(1)
      yield* TestClock.adjust("1 minute")
      wrote(1)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(merges, [merged, merged])
    })
  )

  it.effect("counts what is written while it is merged as new", () =>
    Effect.gen(function* () {
      const { engine, merges, at } = having(20_000)
      const done = yield* Deferred.make<void>()
      at.merging = Deferred.await(done)
      const wrote = yield* makeUnite(engine, "snippets")
      wrote(2_000)
      yield* TestClock.adjust("1 minute")
      wrote(1_999)
      yield* Deferred.succeed(done, undefined)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(merges, [merged])
      wrote(1)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(merges, [merged, merged])
    })
  )

  it.effect("hears of what the adapter writes", () =>
    Effect.gen(function* () {
      const server = yield* elasticsearch
      const { apply } = Context.get(yield* Layer.build(indexAt(server.url, "filled")), SnippetIndex)
      const put = Array.from({ length: 2_000 }, (_, n) => snippet("home", `${n}`, median))
      yield* apply({ put, voted: [], removed: [] }, { build: 1, position: 2_000 })
      assert.isEmpty(server.merges)
      yield* TestClock.adjust("5 seconds")
      yield* Effect.promise(() => server.merged)
      assert.deepStrictEqual(server.merges, ["/filled-v*/_forcemerge?max_num_segments=1"])
    }).pipe(Effect.scoped)
  )
})
