import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Dispatcher } from "#engine/dispatch.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { untilEnded } from "#src/workspaces/faults.ts"
import { followHead } from "#src/workspaces/restore.ts"

/** Runs attempts that end so, one after another, at these steps; answers what each was told. */
const attempts = (ends: ReadonlyArray<Effect.Effect<boolean>>, steps: ReadonlyArray<number> = []) =>
  Effect.gen(function* () {
    const told: Array<string | undefined> = []
    const attempt = (fault: string | undefined) => {
      told.push(fault)
      return ends[told.length - 1]!
    }
    const exit = yield* Effect.exit(
      untilEnded(
        attempt,
        Effect.sync(() => steps[told.length - 1] ?? 0)
      )
    )
    return { told, ended: Exit.isSuccess(exit) }
  })

const range = Effect.die(new RangeError("of what someone wrote"))
const type = Effect.die(new TypeError("x"))
const done = Effect.succeed(true)
const again = Effect.succeed(false)

describe("a run whose step fails", () => {
  it.live("is tried again, and told what it failed with when that comes twice", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* attempts([again, range, done]), {
        told: [undefined, undefined, undefined],
        ended: true
      })
      assert.deepStrictEqual(yield* attempts([range, range, done]), {
        told: [undefined, undefined, "RangeError"],
        ended: true
      })
    })
  )

  it.live("goes on when it failed otherwise, or at another step", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* attempts([range, type, range, done])).told, Array(4).fill(undefined))
      assert.deepStrictEqual((yield* attempts([range, range, done], [1, 2])).told, Array(3).fill(undefined))
    })
  )

  it.live("is left to its queue when not even its end can be written", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* attempts([range, range, range]), {
        told: [undefined, undefined, "RangeError"],
        ended: false
      })
    })
  )
})

describe("a workspace's ref", () => {
  it.effect("is set to the newest commit when the head moves while it is set", () =>
    Effect.gen(function* () {
      let head = "first"
      const set: Array<string> = []
      const moveRef = (_: string, commit: string) =>
        Effect.sync(() => {
          set.push(commit)
          // another one dispatches a commit before the ref is set to this one
          if (commit === "first") head = "second"
        })
      const state = () => Effect.sync(() => ({ generation: 0, head: { commit: head, tree: "t" } }))
      yield* followHead("w").pipe(
        Effect.provideService(WorkspaceStore, { moveRef } as never),
        Effect.provideService(Dispatcher, { state } as never)
      )
      assert.deepStrictEqual(set, ["first", "second"])
    })
  )
})
