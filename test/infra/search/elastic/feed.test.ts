import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { sourceOf } from "#infra/search/elastic/document.ts"
import type { Engine } from "#infra/search/elastic/Engine.ts"
import type { Editions } from "#infra/search/elastic/editions.ts"
import { makeFeed } from "#infra/search/elastic/feed.ts"
import { checkpointId } from "#infra/search/elastic/mapping.ts"
import { csv, median, snippet } from "#test/infra/indexed.ts"

/** An index that has one snippet at position 5, and what it was sent; `docs` is what it says of what is read. */
const holding = (docs: ReadonlyArray<object>) => {
  const sent: Array<string> = []
  const engine = {
    ask: ({ path, lines }) => {
      if (path.endsWith("/_mget")) return Effect.succeed({ status: 200, body: { docs } } as never)
      sent.push(...(lines ?? "").split("\n").filter((line) => /^\{"(index|delete)":/.test(line)))
      return Effect.succeed({ status: 200, body: { items: [{ index: { status: 200 } }] } } as never)
    }
  } as Engine
  const editions = {
    nameOf: (build) => `snippets-b${build}`,
    writeAlias: (name) => `${name}-write`,
    checkpoint: () => Effect.succeed({ position: 5, refused: [] }),
    promoteWhenDue: () => Effect.void
  } as Partial<Editions> as Editions
  const feed = makeFeed({
    engine,
    editions,
    dimensions: 4,
    erased: () => {},
    wrote: () => {},
    eventAt: () => Effect.succeed(undefined)
  })
  const voted = [{ id: "t-a", up: 1, down: 0, humanUp: 1 }]
  return { sent, vote: feed.apply({ put: [], voted, removed: [] }, { build: 1, position: 6 }) }
}

it.effect("takes in no vote for a snippet that is not there", () =>
  Effect.gen(function* () {
    const { sent, vote } = holding([{ _id: "t-a", found: false }])
    yield* vote
    assert.lengthOf(sent, 1)
    assert.include(sent[0], checkpointId)
  })
)

it.effect("comes to no place where a document could not be read: its vote would be lost for good", () =>
  Effect.gen(function* () {
    const { kept, ...rest } = sourceOf(snippet("t", "a", median))
    const unread = [
      [{ _id: "t-a", error: { type: "no_shard_available_action_exception" } }],
      [{ _id: "t-a", found: true }],
      [{ _id: "t-b", found: true, _source: { ...rest, kept } }],
      []
    ]
    for (const docs of unread) {
      const { sent, vote } = holding(docs)
      const { _tag, fault } = yield* Effect.flip(vote)
      assert.strictEqual(_tag, "IndexUnavailable")
      assert.match(fault, /^Elasticsearch did not read every document/)
      assert.deepStrictEqual(sent, [])
    }
    const [away] = unread
    assert.include((yield* Effect.flip(holding(away!).vote)).fault, "no_shard_available_action_exception")
  })
)

it.effect(
  "says how many snippets it wrote, once each, and nothing of those that go: what fills an index is merged",
  () =>
    Effect.gen(function* () {
      const wrote: Array<number> = []
      const at = { position: 0 }
      const engine = {
        ask: ({ lines }) => {
          const operations = (lines ?? "").split("\n").filter((line) => /^\{"(index|delete)":/.test(line))
          return Effect.succeed({
            status: 200,
            body: { items: operations.map(() => ({ index: { status: 200 } })) }
          } as never)
        }
      } as Engine
      const editions = {
        nameOf: (build) => `snippets-b${build}`,
        writeAlias: (name) => `${name}-write`,
        checkpoint: () => Effect.sync(() => ({ position: at.position, refused: [] })),
        promoteWhenDue: () => Effect.void
      } as Partial<Editions> as Editions
      const two = [snippet("t", "a", median), snippet("t", "b", csv)]
      const feed = makeFeed({
        engine,
        editions,
        dimensions: two[0]!.vector!.length,
        erased: () => {},
        wrote: (documents) => wrote.push(documents),
        eventAt: () => Effect.succeed(undefined)
      })
      yield* feed.apply({ put: two, voted: [], removed: [] }, { build: 1, position: 2 })
      at.position = 2
      yield* feed.apply({ put: two, voted: [], removed: [] }, { build: 1, position: 2 })
      yield* feed.apply({ put: [], voted: [], removed: ["t-a"] }, { build: 1, position: 3 })
      assert.deepStrictEqual(wrote, [2])
    })
)
