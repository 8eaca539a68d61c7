import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mappingVersion } from "#infra/search/elastic/mapping.ts"
import { type IndexChanges, SnippetIndex } from "#ports/SnippetIndex.ts"
import { indexAt, newName } from "#test/elasticsearch/index.ts"
import { isHere, shared } from "#test/elasticsearch/shared.ts"
import { searching } from "#test/searching.ts"
import { median, query, snippet } from "../../indexed.ts"

const [url] = (isHere ? await shared() : ["http://127.0.0.1:9"]) as [string]

const none: IndexChanges = { put: [], voted: [], removed: [] }
const all = { ...none, put: ["a", "b", "c"].map((id) => snippet("home", id, median)) }

const found = Effect.flatMap(searching, (index) =>
  Effect.map(index.search(query("median", ["home"], { limit: 100 })), ({ matches }) => matches.map(({ id }) => id))
)

describe.skipIf(!isHere)("what was deleted from an index in Elasticsearch", () => {
  it.live(
    "is not brought back by who comes late with what was before, also when Elasticsearch has forgotten it",
    () => {
      const name = newName()
      const ask = (method: string, path: string, body?: object) =>
        Effect.promise(async () => {
          const given = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
          const answer = await fetch(`${url}/${name}-v${mappingVersion}-b1${path}`, { method, ...given })
          return { status: answer.status, json: await answer.json() }
        })
      /** As a request that was on its way for long: without a look at how far the index is. */
      const older = (id: string) => ask("PUT", `/_doc/home-${id}?version=5&version_type=external`, {})
      return Effect.gen(function* () {
        const { apply } = yield* SnippetIndex
        yield* apply(all, { build: 1, position: 5 })
        yield* apply({ ...none, removed: ["home-a", "home-b"] }, { build: 1, position: 6 })
        const [settings] = Object.values((yield* ask("GET", "/_settings")).json) as [{ settings: { index: object } }]
        assert.deepInclude(settings.settings.index, { gc_deletes: "24h" })
        assert.strictEqual((yield* older("a")).status, 409)
        yield* ask("PUT", "/_settings", { index: { gc_deletes: "0ms" } })
        while ((yield* older("b")).status !== 201) yield* ask("POST", "/_refresh")
        const late = Effect.flatMap(SnippetIndex, (other) => other.apply(all, { build: 1, position: 5 }))
        yield* Effect.provide(late, indexAt(url, name))
        assert.deepStrictEqual(yield* found, ["home-c"])
      }).pipe(Effect.provide(indexAt(url, name)))
    }
  )
})
