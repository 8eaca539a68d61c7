import { existsSync, readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type IndexChanges, type IndexStand, IndexUnavailable, SnippetIndex } from "#ports/SnippetIndex.ts"
import { find } from "#src/snippets/find.ts"
import { csv, median, query, snippet } from "../../indexed.ts"
import { fileIn, folder, keptIn, keptInThread, opened, saying } from "./kept.ts"

const mortal = new URL("../threads/mortal.ts", import.meta.url)
const changes = (some: Partial<IndexChanges>): IndexChanges => ({ put: [], voted: [], removed: [], ...some })
const two = changes({ put: [snippet("home", "a", median), snippet("home", "b", csv)] })
const frequencies = ({ frequencies }: SnippetIndex["Service"], term: string) =>
  frequencies({ homes: ["home"], includePublic: false }, [term])
const standing = ({ stand, size }: SnippetIndex["Service"]) => Effect.all([stand, size!])

describe("an index in a thread that is kept on the disk", () => {
  it.live("goes on from what it kept when it ended, in a thread and without one", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const before = yield* opened(keptInThread(directory), (index) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* standing(index), [{ build: undefined, position: 0 }, 0])
          yield* index.apply(two, { build: 1, position: 5 })
          assert.isFalse(existsSync(fileIn(directory)))
          return yield* frequencies(index, "median")
        })
      )
      assert.deepStrictEqual(before, [1])
      assert.deepStrictEqual(readdirSync(directory), ["snippets.index"])
      const said = yield* saying(
        Effect.all([opened(keptInThread(directory), standing), opened(keptIn(directory), standing)])
      )
      const stand: [IndexStand, number] = [{ build: 1, position: 5 }, 2]
      assert.deepStrictEqual(said, { value: [stand, stand], lines: [] })
      const after = opened(keptInThread(directory), (index) =>
        Effect.andThen(index.stand, frequencies(index, "median"))
      )
      assert.deepStrictEqual(yield* after, before)
    }).pipe(Effect.scoped)
  )

  it.live("has nothing on the disk of what is removed, once that is said to be taken in", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const path = fileIn(directory)
      yield* opened(keptInThread(directory), ({ apply }) => apply(two, { build: 1, position: 5 }))
      assert.isTrue(readFileSync(path).includes("home-a"))
      yield* opened(keptInThread(directory), (index) =>
        Effect.gen(function* () {
          yield* index.apply(changes({ removed: ["home-a"] }), { build: 1, position: 6 })
          assert.isFalse(existsSync(path))
        })
      )
      assert.isFalse(readFileSync(path).includes("home-a"))
      assert.isTrue(readFileSync(path).includes("home-b"))
    }).pipe(Effect.scoped)
  )

  it.live("refuses a snapshot of another log, and says so in the service's log", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* opened(keptInThread(directory), ({ apply }) => apply(two, { build: 1, position: 5 }))
      const eventAt = () => "another event"
      const { value, lines } = yield* saying(opened(keptInThread(directory, { eventAt }), standing))
      assert.deepStrictEqual(value, [{ build: undefined, position: 0 }, 0])
      assert.match(lines.join("\n"), /^the snapshot of the snippet index is not used: it has come to place 5 of a log/)
    }).pipe(Effect.scoped)
  )

  it.live("writes none where the disk has no room, and ends in time where the log says nothing", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const filling = ({ apply }: SnippetIndex["Service"]) => apply(two, { build: 1, position: 5 })
      yield* opened(keptInThread(directory, { isFull: () => true }), filling)
      assert.isFalse(existsSync(fileIn(directory)))
      yield* opened(keptInThread(directory, { takes: Number.POSITIVE_INFINITY, ending: 20 }), filling)
      assert.isFalse(existsSync(fileIn(directory)))
    }).pipe(Effect.scoped)
  )

  it.live("that is at work for ever keeps a service that ends no longer than a snapshot may", () =>
    Effect.gen(function* () {
      const stuck = keptInThread(yield* folder, { ending: 20 }, mortal)
      yield* opened(stuck, (index) =>
        Effect.andThen(index.stand, Effect.forkChild(frequencies(index, "hang"), { startImmediately: true }))
      )
    }).pipe(Effect.scoped)
  )

  it.live("that reads what it kept for longer than a silent one is waited for is not given up", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* opened(keptInThread(directory), ({ apply }) => apply(two, { build: 1, position: 5 }))
      const slow = keptInThread(directory, { takes: 5_000 }, undefined, { patience: 3_000, pause: 0 })
      // on a machine that has no turn for it in three seconds it is, and reads once more
      const stand = yield* opened(slow, ({ stand }) => Effect.retry(stand, { times: 3 }))
      assert.deepStrictEqual(stand, { build: 1, position: 5 })
    }).pipe(Effect.scoped)
  )

  it.live("that has gone has all again from the disk, before anything is sent to it", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* opened(keptInThread(directory), ({ apply }) => apply(two, { build: 1, position: 5 }))
      const built = yield* Layer.build(Layer.fresh(keptInThread(directory, {}, mortal, { pause: 0 })))
      const index = Context.get(built, SnippetIndex)
      const found = Effect.provideContext(find(query("median", ["home"])), built)
      assert.deepStrictEqual(yield* index.stand, { build: 1, position: 5 })
      yield* index.apply(changes({}), { build: 1, position: 5 })
      assert.instanceOf(yield* Effect.flip(frequencies(index, "die")), IndexUnavailable)
      // whoever feeds it has not heard yet where it stands
      assert.instanceOf(yield* Effect.flip(found), IndexUnavailable)
      assert.deepStrictEqual(yield* index.stand, { build: 1, position: 5 })
      assert.deepStrictEqual(
        (yield* found).matches.map(({ id }) => id),
        ["home-a"]
      )
    }).pipe(Effect.scoped)
  )
})
