import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { positionOf } from "#engine/Position.ts"
import { type IndexQuery, SnippetIndex } from "#ports/SnippetIndex.ts"
import { ByModel } from "#src/snippets/embedding/ByModel.ts"
import { Indexing } from "#src/snippets/indexing.ts"
import { Learning } from "#src/snippets/learning.ts"
import { Search } from "#src/snippets/search.ts"
import { embeddings } from "#test/embeddings.ts"
import { freshStore } from "#test/infra/stores.ts"

/** An index that has caught up or not, what it was asked, and what happens before it answers. */
const state = {
  revision: 0,
  caughtUp: false,
  asked: [] as Array<IndexQuery>,
  before: Effect.void as Effect.Effect<void>
}

const stubs = Layer.mergeAll(
  embeddings,
  Layer.succeed(
    Learning,
    Learning.of({ reach: () => Effect.void, votesFor: () => [], revision: () => state.revision })
  ),
  Layer.succeed(
    Indexing,
    Indexing.of({
      reach: () => Effect.sync(() => state.caughtUp),
      position: Effect.succeed(0),
      furthest: Effect.succeed(0),
      fault: Effect.succeed(undefined),
      away: Effect.succeed(false),
      leftOut: Effect.succeed(new Map()),
      size: Effect.succeed(undefined)
    })
  ),
  ByModel.none,
  Layer.succeed(
    SnippetIndex,
    SnippetIndex.of({
      apply: () => Effect.succeed({ refused: [] }),
      stand: Effect.succeed({ build: undefined, position: 0 }),
      candidates: (query) =>
        Effect.as(
          Effect.andThen(
            Effect.sync(() => void state.asked.push(query)),
            Effect.suspend(() => state.before)
          ),
          { documents: 0, frequencies: [], pieceFrequencies: [], tokens: [], candidates: [], sharing: 0, near: 0 }
        ),
      frequencies: () => Effect.die("not asked for")
    })
  )
)

layer(Search.layer.pipe(Layer.provide(stubs), Layer.provideMerge(freshStore)), { excludeTestServices: true })(
  "a search whose index is behind the catalogue",
  (it) => {
    it.effect("says so, and its answer is not kept for those who ask when it has caught up", () =>
      Effect.gen(function* () {
        const { search } = yield* Search
        const scope = { homes: ["tenant"], includePublic: false, agent: null }
        const standing = { position: positionOf(7), changed: positionOf(7), due: positionOf(7) }
        const ask = search({ task: "t", limit: 5, minVerdict: 0.3, preferComplete: false }, scope, standing)
        const seen = Effect.map(ask, ({ stale, cacheHit }) => ({ stale, cacheHit }))
        assert.deepStrictEqual(yield* seen, { stale: true, cacheHit: false })
        state.caughtUp = true
        assert.deepStrictEqual(yield* seen, { stale: false, cacheHit: false })
        assert.deepStrictEqual(yield* seen, { stale: false, cacheHit: true })
        assert.lengthOf(state.asked, 2)
        // what was learned since is no part of what is kept
        state.revision++
        assert.deepStrictEqual(yield* seen, { stale: false, cacheHit: false })
        assert.deepStrictEqual(yield* seen, { stale: false, cacheHit: true })
      })
    )

    it.effect(
      "keeps no answer that it began before the catalogue changed: of those who ask now it would be a wrong one",
      () =>
        Effect.gen(function* () {
          const { search } = yield* Search
          state.caughtUp = true
          const scope = { homes: ["tenant"], includePublic: false, agent: null }
          const hit = (task: string, changed: number) =>
            Effect.map(
              search({ task, limit: 5, minVerdict: 0.3, preferComplete: false }, scope, {
                position: positionOf(changed),
                changed: positionOf(changed),
                due: positionOf(changed)
              }),
              ({ cacheHit }) => cacheHit
            )
          const answered = yield* Deferred.make<void>()
          state.before = Deferred.await(answered)
          const first = yield* Effect.forkChild(hit("changing", 8), { startImmediately: true })
          state.before = Effect.void
          yield* hit("another", 9)
          yield* Deferred.succeed(answered, undefined)
          assert.isFalse(yield* Fiber.join(first))
          assert.deepStrictEqual([yield* hit("changing", 9), yield* hit("changing", 9)], [false, true])
        })
    )

    it.effect("keeps an answer for those alone who see the same, and those that were asked for last", () =>
      Effect.gen(function* () {
        const { search } = yield* Search
        state.caughtUp = true
        const at = positionOf(20)
        const hit = (task: string, scope: object = {}) =>
          Effect.map(
            search(
              { task, limit: 5, minVerdict: 0.3, preferComplete: false },
              { homes: ["tenant"], includePublic: false, agent: null, ...scope },
              { position: at, changed: at, due: at }
            ),
            ({ cacheHit }) => cacheHit
          )
        assert.deepStrictEqual([yield* hit("mine"), yield* hit("mine")], [false, true])
        for (const other of [{ homes: ["another"] }, { homes: [] }, { includePublic: true }, { agent: "a" }])
          assert.isFalse(yield* hit("mine", other), JSON.stringify(other))
        for (let n = 0; n < 1_000; n++) {
          assert.isFalse(yield* hit(`task ${n}`))
          assert.isTrue(yield* hit("mine"))
        }
        assert.deepStrictEqual([yield* hit("task 999"), yield* hit("task 0")], [true, false])
      })
    )
  }
)
