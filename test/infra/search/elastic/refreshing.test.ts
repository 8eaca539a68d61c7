import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { indexAt } from "#test/elasticsearch/index.ts"
import { median, snippet } from "../../indexed.ts"

/**
 * What takes all that it is sent, keeps of it how far it has come, and says what it was asked. What is `held` waits for
 * its answer; `refuses` is what goes wrong.
 */
const elasticsearch = Effect.acquireRelease(
  Effect.promise(async () => {
    const asked: Array<string> = []
    const at: { held: { readonly name: string; readonly free: Promise<void> } | undefined; refuses: string } = {
      held: undefined,
      refuses: ""
    }
    let checkpoint: string | undefined
    const server = createServer(async (request, response) => {
      const { url = "" } = request
      let text = ""
      for await (const piece of request.setEncoding("utf8")) text += piece
      const name = /_(?:refresh|bulk|doc|count|search)/.exec(url)?.[0] ?? ""
      const what = name === "_bulk" && text.includes("checkpoint") ? "checkpoint" : name
      if (what !== "") asked.push(what)
      const answer = (status: number, body: object) => {
        response.writeHead(status, { "content-type": "application/json", "x-elastic-product": "Elasticsearch" })
        response.end(JSON.stringify(body))
      }
      if (at.held?.name === what) await at.held.free
      if (at.refuses === what && what !== "") return answer(503, {})
      if (url.startsWith("/_nodes")) return answer(200, { nodes: { one: { version: "9.5.0" } } })
      if (what === "_doc")
        return checkpoint === undefined
          ? answer(404, { found: false })
          : answer(200, { _source: JSON.parse(checkpoint) })
      if (what === "checkpoint") checkpoint = text.split("\n")[1]
      if (what === "_refresh") return answer(200, { _shards: { successful: 1, failed: 0 } })
      if (what === "_search") return answer(200, { aggregations: { own: { buckets: [{ doc_count: 1 }] } } })
      if (name === "_bulk") {
        const operations = text.match(/^\{"(?:index|delete)":\{"_id"/gm) ?? []
        return answer(200, { items: operations.map(() => ({ index: { status: 201 } })) })
      }
      return answer(200, {})
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const hold = (name: string) => {
      const { promise: free, resolve } = Promise.withResolvers<void>()
      at.held = { name, free }
      return () => {
        at.held = undefined
        resolve()
      }
    }
    return { url: `http://127.0.0.1:${port}`, asked, at, hold, server }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const scene = Effect.gen(function* () {
  const server = yield* elasticsearch
  const { apply, frequencies } = Context.get(yield* Layer.build(indexAt(server.url, "fresh")), SnippetIndex)
  let position = 0
  return {
    ...server,
    put: Effect.suspend(() => {
      position += 1
      const put = [snippet("home", `${position}`, median)]
      return apply({ put, voted: [], removed: [] }, { build: 1, position })
    }),
    look: frequencies({ homes: ["home"], includePublic: false }, ["median"]),
    count: (what: string) => server.asked.filter((one) => one === what).length
  }
})

const until = (holds: () => boolean) =>
  Effect.gen(function* () {
    while (!holds()) yield* Effect.sleep("2 millis")
  })

describe("what was written to Elasticsearch", () => {
  it.live("is made visible by the next search, also what was written while another one made the rest so", () =>
    Effect.gen(function* () {
      const { put, look, count, hold } = yield* scene
      yield* put
      const letGo = hold("_refresh")
      const looking = yield* Effect.forkChild(look)
      yield* until(() => count("_refresh") === 1)
      yield* put
      letGo()
      yield* Fiber.join(looking)
      yield* look
      assert.strictEqual(count("_refresh"), 2)
      yield* look
      assert.strictEqual(count("_refresh"), 2)
    }).pipe(Effect.scoped)
  )

  it.live("is made visible also where the writing was broken off behind it", () =>
    Effect.gen(function* () {
      const { put, look, count, at } = yield* scene
      yield* put
      yield* look
      at.refuses = "checkpoint"
      assert.strictEqual((yield* Effect.flip(put))._tag, "IndexUnavailable")
      yield* look
      assert.strictEqual(count("_refresh"), 2)
    }).pipe(Effect.scoped)
  )

  it.live("was written one call after the other", () =>
    Effect.gen(function* () {
      const { put, asked, hold, count } = yield* scene
      const letGo = hold("_bulk")
      const first = yield* Effect.forkChild(put)
      yield* until(() => count("_bulk") === 1)
      const second = yield* Effect.forkChild(put)
      for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
      letGo()
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual(
        asked.filter((one) => one !== "_refresh"),
        ["_doc", "_bulk", "checkpoint", "_doc", "_bulk", "checkpoint"]
      )
    }).pipe(Effect.scoped)
  )
})
