import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { asked } from "#domain/search/query.ts"
import type { Engine, Request } from "#infra/search/elastic/Engine.ts"
import { questionOf } from "#infra/search/elastic/question.ts"
import { askTogether } from "#infra/search/elastic/together.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { indexAt, newName } from "#test/elasticsearch/index.ts"
import { startProxy } from "#test/elasticsearch/proxy.ts"
import { isHere, shared } from "#test/elasticsearch/shared.ts"
import { encoder } from "#test/embeddings.ts"
import { searching } from "#test/searching.ts"
import { median, query, snippet } from "../../indexed.ts"

const [url] = (isHere ? await shared() : ["http://127.0.0.1:9"]) as [string]

const asking = (task: string, most: number) => {
  const { task: _, limit: _limit, ...rest } = query(task, ["home"])
  return questionOf({ ...rest, asked: asked(task, encoder) }, most)
}

/** What becomes of a question that is answered so, and what Elasticsearch was asked. */
const answered = (question: ReturnType<typeof questionOf>, status: number, responses: ReadonlyArray<object>) => {
  const requests: Array<Request> = []
  const engine: Engine = {
    ask: (request) => {
      requests.push(request)
      return Effect.succeed({ status, body: { responses } as never })
    }
  }
  return Effect.map(Effect.exit(askTogether(engine, "snippets", question)), (exit) => ({ exit, requests }))
}

describe("the searches of one question", () => {
  it.effect("are asked in one request, each whole or not at all, and answered in their places", () =>
    Effect.gen(function* () {
      const some = ["a", "b", "c"].map((one) => ({ status: 200, one }))
      const { exit, requests } = yield* answered(asking("median of numbers", 50), 200, some)
      assert.deepStrictEqual(
        exit,
        Exit.succeed({ totals: some[0], frequencies: some[1], candidates: some[2] } as never)
      )
      assert.lengthOf(requests, 1)
      assert.strictEqual(requests[0]!.path, "/snippets/_msearch")
      const lines = requests[0]!.lines!.trimEnd().split("\n")
      assert.lengthOf(lines, 6)
      for (const at of [0, 2, 4]) assert.isFalse(JSON.parse(lines[at]!).allow_partial_search_results)
    })
  )

  it.effect("are only those that say something", () =>
    Effect.sync(() => {
      assert.sameMembers(Object.keys(asking("", 50)), ["totals"])
      assert.sameMembers(Object.keys(asking("median", 0)), ["totals", "frequencies"])
    })
  )

  it.effect("find no index where one of them found none", () =>
    Effect.gen(function* () {
      const missing = { status: 404, error: { type: "index_not_found_exception" } }
      const { exit } = yield* answered(asking("median", 50), 200, [{ status: 200 }, missing, { status: 200 }])
      assert.deepStrictEqual(exit, Exit.succeed(undefined))
      assert.deepStrictEqual((yield* answered(asking("median", 50), 404, [])).exit, Exit.succeed(undefined))
    })
  )

  it.live("are no answer where one of them has none", () =>
    Effect.gen(function* () {
      const failed = { status: 503, error: { type: "search_phase_execution_exception" } }
      const { exit } = yield* answered(asking("median", 50), 200, [{ status: 200 }, { status: 200 }, failed])
      assert.include(JSON.stringify(exit), "answered a search by 503 search_phase_execution_exception")
    })
  )
})

describe.skipIf(!isHere)("a search in Elasticsearch", () => {
  it.live("is one request, and one for a refresh where something was written", () =>
    Effect.gen(function* () {
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => startProxy(url)),
        ({ stop }) => Effect.sync(stop)
      )
      yield* Effect.gen(function* () {
        const { apply } = yield* SnippetIndex
        const { search } = yield* searching
        const requests = Effect.gen(function* () {
          const before = proxy.seen.length
          const { matches } = yield* search(query("median", ["home"]))
          assert.lengthOf(matches, 1)
          return proxy.seen
            .slice(before)
            .filter(({ path }) => /_refresh|_m?search/.test(path))
            .map(({ path }) => path.slice(path.lastIndexOf("_")))
        })
        yield* apply({ put: [snippet("home", "a", median)], voted: [], removed: [] }, { build: 1, position: 5 })
        assert.deepStrictEqual(yield* requests, ["_refresh", "_msearch"])
        assert.deepStrictEqual(yield* requests, ["_msearch"])
      }).pipe(Effect.provide(indexAt(proxy.url, newName())))
    })
  )
})
