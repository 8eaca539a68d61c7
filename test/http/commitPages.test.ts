import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { type StoredChange, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { commitsPage } from "#src/http/Workspaces/commits.ts"
import { hurried } from "#test/hurried.ts"

const shas = ["c3", "c2", "c1"]
const facts = { revision: 1, parent: null, run: null, recorded_at: new Date(0) }
const records = shas.map((sha) => ({ ...facts, id: `event ${sha}`, sha, tree: sha }))
const change = (path: string): StoredChange => ({ path, status: "created", sha: "b" })

/**
 * The names on a page of those commits, each of which changed so many files, and where the next page begins; by a clock
 * that is so many milliseconds later at each look.
 */
const paged = (changed: ReadonlyArray<number>, path = "a.py", later = 0) =>
  Effect.gen(function* () {
    const response = yield* hurried(commitsPage("w", records, "c0"), later).pipe(
      Effect.provideService(WorkspaceStore, {
        readCommit: () => Effect.undefined,
        eachChange: (_: string, __: unknown, tree: string) =>
          Stream.succeed(Array(changed[shas.indexOf(tree)]!).fill(change(path)))
      } as never)
    )
    const { commits, next_before } = yield* Effect.promise(() => HttpServerResponse.toWeb(response).json())
    return [commits.map(({ sha }: { readonly sha: string }) => sha), next_before]
  }).pipe(Effect.scoped, Effect.orDie)

describe("a page of commits", () => {
  it.effect("goes on behind what was asked for, where it has all of that", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* paged([1, 0, 1]), [shas, "c0"])
    })
  )

  it.effect("goes on behind the commit with which it tells enough", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* paged([20_001, 1, 1]), [["c3"], "c3"])
      assert.deepStrictEqual(yield* paged([20_000, 1, 1]), [["c3", "c2"], "c2"])
      assert.deepStrictEqual(yield* paged([2, 1, 1], "a".repeat(2 ** 21)), [["c3", "c2"], "c2"])
      assert.deepStrictEqual(yield* paged([1, 1, 20_001]), [shas, "c0"])
    })
  )

  it.effect("ends when it was read for ten seconds, and says where to go on", () =>
    Effect.gen(function* () {
      // each commit is read in three steps: what it says, its changes, and that there are no more
      assert.deepStrictEqual(yield* paged([1, 1, 1], "a.py", 1_000), [shas, "c0"])
      assert.deepStrictEqual(yield* paged([1, 1, 1], "a.py", 2_000), [["c3", "c2"], "c2"])
      assert.deepStrictEqual(yield* paged([1, 1, 1], "a.py", 60_000), [["c3"], "c3"])
    })
  )
})
