import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as MemorySnippetIndex from "#infra/search/memory/layer.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { find } from "#src/snippets/find.ts"
import { embeddings } from "#test/embeddings.ts"
import { csv, query, snippet, voteFor } from "#test/infra/indexed.ts"
import { searching } from "#test/searching.ts"

describe("a search", () => {
  it.effect("goes through the snippets once, also for a word that none has; twice for one that only others have", () =>
    Effect.gen(function* () {
      const index = yield* SnippetIndex
      const { put } = yield* searching
      yield* put([
        snippet("home", "a", csv),
        snippet("home", "b", { name: "receive_wombat" }),
        snippet("other", "a", { name: "recieve_mail" })
      ])
      let through = 0
      const counted = SnippetIndex.of({
        ...index,
        candidates: (asked, most) => {
          through++
          return index.candidates(asked, most)
        }
      })
      const times = (task: string, homes: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const before = through
          const { mended } = yield* Effect.provideService(find(query(task, homes)), SnippetIndex, counted)
          return [through - before, ...mended.keys()]
        })
      assert.deepStrictEqual(yield* times("read a csv", ["home"]), [1])
      assert.deepStrictEqual(yield* times("feed a womabt", ["home"]), [1, "womabt"])
      assert.deepStrictEqual(yield* times("recieve", ["home"]), [2, "recieve"])
      assert.deepStrictEqual(yield* times("recieve a womabt", ["home"]), [2, "recieve", "womabt"])
      assert.deepStrictEqual(yield* times("recieve", ["home", "other"]), [1])
      // no word of any language, and none that is within a letter of one
      assert.deepStrictEqual(yield* times("qzxvkjwq", ["home"]), [1])
    }).pipe(Effect.provide(Layer.provideMerge(MemorySnippetIndex.layer, embeddings)))
  )

  it.effect("for a misspelt task goes by what was said of it, spelt as it was or as it was meant", () =>
    Effect.gen(function* () {
      const { put, search } = yield* searching
      yield* put([snippet("home", "a", { name: "receive_mail" })])
      const said = (task: string) =>
        Effect.map(
          search(query("recieve the mail of a box", ["home"], { votes: [voteFor("home-a", task)], explain: true })),
          ({ matches }) => matches[0]!.explanation!.learned
        )
      for (const task of ["recieve the mail of a box", "receive the mail of a box"]) {
        const { tasks, effect } = yield* said(task)
        assert.strictEqual(tasks.length, 1, task)
        assert.isAbove(effect, 0, task)
      }
      assert.isEmpty((yield* said("sort numbers")).tasks)
    }).pipe(Effect.provide(Layer.provideMerge(MemorySnippetIndex.layer, embeddings)))
  )
})
