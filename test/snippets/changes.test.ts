import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { indexChanges } from "#projections/Snippets/changes.ts"
import { catalogue, taken, uploaded } from "./catalogue.ts"

it.live("pages of the catalogue's changes say whether there are more, and behind the last there are no rows", () =>
  Effect.gen(function* () {
    yield* taken(["a", "b", "c"].map((id) => uploaded(id, `def ${id}(): pass`)))
    const read = Effect.fnUntraced(function* (after: number, rows: number, upTo?: number) {
      const page = { rows, bytes: 1_000_000, ...(upTo !== undefined && { upTo }) }
      const { position, more, put } = yield* indexChanges(after, page)
      return [position, more, put.map(({ id }) => id)] as const
    })
    assert.deepStrictEqual(yield* read(0, 1), [1, true, ["a"]])
    assert.deepStrictEqual(yield* read(1, 1), [2, true, ["b"]])
    assert.deepStrictEqual(yield* read(2, 1), [3, false, ["c"]])
    assert.deepStrictEqual(yield* read(3, 1), [3, false, []])
    assert.deepStrictEqual(yield* read(0, 10), [3, false, ["a", "b", "c"]])
    // held back where something is not embedded yet
    assert.deepStrictEqual(yield* read(0, 10, 2), [2, true, ["a", "b"]])
    assert.deepStrictEqual(yield* read(2, 10, 2), [2, true, []])
  }).pipe(Effect.scoped, Effect.provide(catalogue))
)
