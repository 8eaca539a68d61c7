import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { mappingVersion } from "#infra/search/elastic/mapping.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { indexAt, newName } from "#test/elasticsearch/index.ts"
import { startProxy } from "#test/elasticsearch/proxy.ts"
import { isHere, shared } from "#test/elasticsearch/shared.ts"
import { searching } from "#test/searching.ts"
import { median, query, snippet } from "../../indexed.ts"

const [url] = (isHere ? await shared() : ["http://127.0.0.1:9"]) as [string]

const post = (path: string) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}${path}`, { method: "POST" })
    assert.isTrue(answer.ok, `${path}: ${answer.status}`)
  })

describe.skipIf(!isHere)("an index in Elasticsearch that is away for a moment", () => {
  it.live("has lost no vote when it is back", () =>
    Effect.gen(function* () {
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => startProxy(url)),
        ({ stop }) => Effect.sync(stop)
      )
      const name = newName()
      const held = `${name}-v${mappingVersion}-b1`
      const services = yield* Layer.build(indexAt(proxy.url, name))
      const { apply } = Context.get(services, SnippetIndex)
      const { search } = yield* Effect.provideContext(searching, services)
      yield* apply({ put: [snippet("home", "a", median)], voted: [], removed: [] }, { build: 1, position: 5 })

      const letGo = proxy.hold(/_mget/)
      const voted = [{ id: "home-a", up: 2, down: 0, humanUp: 2 }]
      const voting = apply({ put: [], voted, removed: [] }, { build: 1, position: 6 })
      const first = yield* Effect.forkChild(Effect.flip(voting))
      while (!proxy.seen.some(({ path }) => path.includes("_mget"))) yield* Effect.sleep("2 millis")
      yield* post(`/${held}/_close`)
      letGo()
      assert.include((yield* Fiber.join(first)).fault, "did not read every document")
      yield* post(`/${held}/_open?wait_for_active_shards=1`)

      yield* Effect.retry(voting, { while: ({ _tag }) => _tag === "IndexUnavailable" })
      const { matches } = yield* search(query("median", ["home"], { minHumanUp: 2 }))
      assert.deepStrictEqual(
        matches.map(({ id }) => id),
        ["home-a"]
      )
    }).pipe(Effect.scoped)
  )
})
