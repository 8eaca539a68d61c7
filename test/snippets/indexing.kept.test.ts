import { existsSync, readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { Telling } from "#ports/Telling.ts"
import { indexChanges } from "#projections/Snippets/changes.ts"
import { Indexing } from "#src/snippets/indexing.ts"
import { fileIn, folder, keptIn, keptInThread } from "#test/infra/search/snapshot/kept.ts"
import { catalogue, projector, taken, uploaded } from "./catalogue.ts"

const { SnippetDeleted } = SnippetEvent.cases

const deleted = (snippet: string) =>
  SnippetDeleted.make({ snippet, subject: `snippet/${snippet}`, comments: [], executions: [], logs: [] })

it.live.each([
  ["in memory", keptIn],
  ["in a thread", keptInThread]
] as const)(
  "a start reads the catalogue from where the snapshot stands, and what was deleted meanwhile is in it no more: %s",
  ([, keeps]) =>
    Effect.gen(function* () {
      const directory = yield* folder
      const path = fileIn(directory)
      const kept = keeps(directory)
      /** From where on the catalogue was read until it had come to a place, and how many snippets there were then. */
      const started = Effect.fnUntraced(function* (to: number) {
        const from: Array<number> = []
        const indexing = Indexing.make({
          tells: true,
          read: (after, page) => {
            from.push(after)
            return indexChanges(after, page)
          }
        })
        const size = yield* Effect.gen(function* () {
          const { reach } = yield* Indexing
          // a thread takes longer to begin than a read waits
          yield* Effect.repeat(reach(to), { until: (isThere) => isThere })
          return yield* (yield* SnippetIndex).size!
        }).pipe(
          Effect.provide(
            Layer.effect(Indexing, indexing).pipe(
              Layer.provide([projector, Layer.mock(Telling, {})]),
              Layer.provideMerge(kept)
            )
          )
        )
        return { first: from[0], size }
      })
      yield* taken(["zyxwvuta", "zyxwvutb", "c"].map((id) => uploaded(id, `def ${id}(): pass`)))
      assert.deepStrictEqual(yield* started(3), { first: 0, size: 3 })
      assert.isTrue(readFileSync(path).includes("zyxwvutb"))
      yield* taken([uploaded("d", "def d(): pass"), deleted("zyxwvutb")], 3)
      assert.deepStrictEqual(yield* started(5), { first: 3, size: 3 })
      const now = readFileSync(path)
      assert.deepStrictEqual([now.includes("zyxwvuta"), now.includes("zyxwvutb")], [true, false])
      const again = yield* started(5)
      assert.strictEqual(again.size, 3)
      // there may be nothing to be read by then
      assert.notStrictEqual(again.first, 0)
      assert.isTrue(existsSync(path))
    }).pipe(Effect.scoped, Effect.provide(catalogue))
)
