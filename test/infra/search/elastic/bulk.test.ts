import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { write } from "#infra/search/elastic/bulk.ts"
import type { Engine } from "#infra/search/elastic/Engine.ts"

it.effect("many documents go to Elasticsearch in two requests at once, each in one of them", () =>
  Effect.gen(function* () {
    const letGo = yield* Deferred.make<void>()
    const asked: Array<ReadonlyArray<string>> = []
    const engine = {
      ask: ({ lines }) => {
        const ids = [...(lines ?? "").matchAll(/"_id":"(\d+)"/g)].map(([, id]) => id!)
        asked.push(ids)
        const items = ids.map((id) => ({ index: { status: id.endsWith("7") ? 400 : 201, error: refusalOf(id) } }))
        return Effect.as(Deferred.await(letGo), { status: 200, body: { items } } as never)
      }
    } as Engine
    const all = Array.from({ length: 1_000 }, (_, n) => `${n}`)
    const changes = all.map((id) => ({ id, document: () => ({}) }))
    const writing = yield* Effect.forkChild(write(engine, "snippets", changes, 7))
    for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
    assert.lengthOf(asked, 2)
    yield* Deferred.succeed(letGo, undefined)
    const refused = yield* Fiber.join(writing)
    assert.deepStrictEqual(asked.flat().sort(), all.toSorted())
    assert.deepStrictEqual(refused.toSorted(), all.filter((id) => id.endsWith("7")).toSorted())
  })
)

it.effect("only what Elasticsearch says of a document is about that document", () =>
  Effect.gen(function* () {
    const written = (...items: ReadonlyArray<object>) => {
      const engine = { ask: () => Effect.succeed({ status: 200, body: { items } } as never) } as Engine
      return write(engine, "snippets", [{ id: "a", document: () => ({}) }], 7)
    }
    const of = (status: number, type: string) => ({ index: { status, error: { type } } })
    assert.deepStrictEqual(yield* written(of(400, "document_parsing_exception")), ["a"])
    assert.deepStrictEqual(yield* written(of(409, "version_conflict_engine_exception")), [])
    const others = [
      of(429, "es_rejected_execution_exception"),
      of(400, "index_closed_exception"),
      of(404, "index_not_found_exception"),
      of(403, "cluster_block_exception"),
      of(503, "unavailable_shards_exception")
    ]
    for (const other of others) {
      const { _tag, fault } = yield* Effect.flip(written(other))
      assert.strictEqual(_tag, "IndexUnavailable")
      assert.strictEqual(fault, `Elasticsearch did not write: ${other.index.status} ${other.index.error.type}`)
    }
    assert.include((yield* Effect.flip(written())).fault, "did not say of every document")
  })
)

const refusalOf = (id: string) => (id.endsWith("7") ? { type: "document_parsing_exception" } : undefined)
