import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { asked } from "#domain/search/query.ts"
import type { Embeddings } from "#ports/Embeddings.ts"
import { type IndexChanges, SnippetIndex } from "#ports/SnippetIndex.ts"
import { encoder } from "#test/embeddings.ts"
import { leftAfter, mostSteps } from "#test/engine/leaving.ts"
import { searching } from "#test/searching.ts"
import { csv, median, query, snippet } from "../indexed.ts"

const changes = (some: Partial<IndexChanges>): IndexChanges => ({ put: [], voted: [], removed: [], ...some })
const vote = (id: string, up: number) => ({ id, up, down: 0, humanUp: 0 })

/** A new index, and what it finds. */
const fresh = Effect.gen(function* () {
  const index = yield* SnippetIndex
  const { search } = yield* searching
  const found = (task: string) =>
    Effect.map(search(query(task, ["home"])), ({ matches }) => matches.map(({ id, verdict }) => [id, verdict]))
  return { ...index, found }
})

/** A query as the port takes it. */
const asking = (...of: Parameters<typeof query>) => {
  const { task, limit: _, ...rest } = query(...of)
  return { ...rest, asked: asked(task, encoder) }
}

/** Breaks an effect off at its n-th step, and tells whether it had come to its end before. */
type BreakOff = <A, E, R>(step: number, effect: Effect.Effect<A, E, R>) => Effect.Effect<boolean, never, R>

/**
 * How every snippet index takes changes in; each test has an index of its own. What a step is depends on what the index
 * stands on.
 */
export const changesContract = (
  name: string,
  layer: Layer.Layer<SnippetIndex | Embeddings, unknown>,
  breakOff: BreakOff = leftAfter
) =>
  suite(Layer.empty)(`how SnippetIndex (${name}) takes changes in`, (it) => {
    const put = changes({
      put: [snippet("home", "a", median), snippet("home", "b", median), snippet("home", "c", csv)]
    })
    const both = [
      ["home-a", 0.5],
      ["home-b", 0.5]
    ]

    it.effect("says how far it has come, and takes in nothing that it has behind it", () =>
      Effect.gen(function* () {
        const { apply, stand, found } = yield* fresh
        assert.deepStrictEqual(yield* stand, { build: undefined, position: 0 })
        const first = { build: 1, position: 5 }
        assert.deepStrictEqual(yield* apply(put, first), { refused: [] })
        assert.deepStrictEqual(yield* stand, first)
        yield* apply(changes({ voted: [vote("home-b", 2)], removed: ["home-c"] }), { build: 1, position: 7 })
        const now = yield* found("median csv")
        assert.deepStrictEqual(now, [
          ["home-b", 4 / 6],
          ["home-a", 0.5]
        ])
        // an earlier page again, and the latest
        yield* apply(put, first)
        yield* apply(changes({ removed: ["home-a"] }), { build: 1, position: 7 })
        assert.deepStrictEqual(yield* found("median csv"), now)
        assert.deepStrictEqual(yield* stand, { build: 1, position: 7 })
      }).pipe(Effect.provide(Layer.fresh(layer)))
    )

    it.effect("lets go of what is voted for and removed at once", () =>
      Effect.gen(function* () {
        const { apply, found } = yield* fresh
        yield* apply(put, { build: 1, position: 5 })
        yield* apply(changes({ voted: [vote("home-a", 2)], removed: ["home-a"] }), { build: 1, position: 6 })
        assert.deepStrictEqual(yield* found("median"), [["home-b", 0.5]])
      }).pipe(Effect.provide(Layer.fresh(layer)))
    )

    it.effect("begins anew with another build, and finds what was there until that one has come as far", () =>
      Effect.gen(function* () {
        const { apply, stand, found } = yield* fresh
        yield* apply(put, { build: 1, position: 5 })
        yield* apply(changes({}), { build: 2, position: 0 })
        assert.deepStrictEqual(yield* stand, { build: 2, position: 0 })
        assert.deepStrictEqual(yield* found("median"), both)
        yield* apply(changes({ put: [snippet("home", "a", csv)] }), { build: 2, position: 4 })
        assert.deepStrictEqual((yield* found("median")).at(-1), ["home-b", 0.5])
        yield* apply(changes({ put: [snippet("home", "d", median)] }), { build: 2, position: 5 })
        assert.deepStrictEqual(yield* stand, { build: 2, position: 5 })
        assert.deepStrictEqual(yield* found("median"), [["home-d", 0.5]])
        assert.deepStrictEqual(yield* found("csv"), [["home-a", 0.5]])
      }).pipe(Effect.provide(Layer.fresh(layer)))
    )

    it.effect("begins anew once more where a third build comes before the second one is whole", () =>
      Effect.gen(function* () {
        const { apply, found } = yield* fresh
        yield* apply(put, { build: 1, position: 5 })
        yield* apply(changes({}), { build: 2, position: 0 })
        yield* apply(changes({ put: [snippet("home", "d", median)] }), { build: 2, position: 3 })
        yield* apply(changes({}), { build: 3, position: 0 })
        assert.deepInclude(yield* found("median"), ["home-b", 0.5])
        yield* apply(changes({ put: [snippet("home", "e", median)] }), { build: 3, position: 6 })
        assert.deepStrictEqual(yield* found("median csv"), [["home-e", 0.5]])
      }).pipe(Effect.provide(Layer.fresh(layer)))
    )

    it.effect("two who take in the same at once do what one would", () =>
      Effect.gen(function* () {
        const { apply, found } = yield* fresh
        const twice = [1, 2].map(() => apply(put, { build: 1, position: 5 }))
        yield* Effect.all(twice, { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* found("median"), both)
      }).pipe(Effect.provide(Layer.fresh(layer)))
    )

    it.effect("is where it was when it was broken off at any step, and comes to the same end", () =>
      Effect.gen(function* () {
        // more than one request takes
        const many = Array.from({ length: 260 }, (_, n) => snippet("home", `${n}`, n % 2 === 0 ? median : csv))
        const all = changes({ put: many, voted: [vote("home-4", 6)], removed: ["home-2"] })
        const upTo = { build: 1, position: 5 }
        let ended = false
        for (let steps = 0; !ended && steps < mostSteps; steps++) {
          yield* Effect.gen(function* () {
            const { apply, stand, found } = yield* fresh
            ended = yield* breakOff(steps, apply(all, upTo))
            const { position } = yield* stand
            if (position === 0) yield* apply(all, upTo)
            else assert.isTrue(ended || position === 5)
            const now = yield* found("median")
            assert.deepStrictEqual(now[0], ["home-4", 0.8])
            assert.notInclude(
              now.map(([id]) => id),
              "home-2"
            )
          }).pipe(Effect.provide(Layer.fresh(layer)))
        }
        assert.isTrue(ended)
      })
    )

    it.effect("names what it can't take, which is out of it, and takes the rest", () =>
      Effect.gen(function* () {
        const { apply, found } = yield* fresh
        yield* apply(put, { build: 1, position: 5 })
        const odd = snippet("home", "b", median, { vector: new Float32Array(3) })
        const next = changes({ put: [snippet("home", "d", median), odd, snippet("home", "e", median)] })
        assert.deepStrictEqual(yield* apply(next, { build: 1, position: 6 }), { refused: ["home-b"] })
        const ids = (yield* found("median")).map(([id]) => id)
        assert.deepStrictEqual(ids, ["home-a", "home-d", "home-e"])
      }).pipe(Effect.provide(Layer.fresh(layer)))
    )

    it.effect("gives as many candidates as were asked for, with what ranking needs, and counts all that match", () =>
      Effect.gen(function* () {
        const { apply } = yield* fresh
        const index = yield* SnippetIndex
        yield* apply(put, { build: 1, position: 5 })
        const { asked: words, ...rest } = asking("median zebra", ["home"])
        const found = yield* index.candidates({ ...rest, asked: words }, 1)
        assert.deepStrictEqual([found.documents, found.sharing, found.near, found.candidates.length], [3, 2, 0, 1])
        const [name, description, , source] = [0, 1, 2, 3].map((field) => {
          const place = words.terms.indexOf("median") * 4
          return found.candidates[0]!.counts[place + field]!
        })
        assert.deepStrictEqual([name, description, source], [1, 1, 1])
        assert.strictEqual(found.frequencies[words.terms.indexOf("median")], 2)
        assert.strictEqual(found.frequencies[words.terms.indexOf("zebra")], 0)
        assert.strictEqual((yield* index.candidates({ ...rest, asked: words }, 0)).candidates.length, 0)
      }).pipe(Effect.provide(Layer.fresh(layer)))
    )
  })
