import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { twice } from "#src/http/twice.ts"

/** Both lists, read one after the other, and how often they were asked for. */
const both = Effect.fnUntraced(function* (batches: ReadonlyArray<ReadonlyArray<string>>) {
  let asked = 0
  const rows = Stream.suspend(() => {
    asked += 1
    return Stream.rechunk(Stream.fromArray(batches), 1)
  })
  const lists = []
  for (const list of twice(rows)) lists.push((yield* Stream.runCollect(list)).flat())
  return { asked, lists }
})

describe("two lists of the same", () => {
  it.effect("are read once where they are slight", () =>
    Effect.gen(function* () {
      const batches = [["a", "b"], ["c"], []]
      assert.deepStrictEqual(yield* both(batches), { asked: 1, lists: [batches.flat(), batches.flat()] })
      assert.deepStrictEqual(yield* both([]), { asked: 1, lists: [[], []] })
    })
  )

  it.effect("are read for each where they are long", () =>
    Effect.gen(function* () {
      const batches = Array.from({ length: 10 }, (_, n) => [`${n}`.repeat(20_000)])
      assert.deepStrictEqual(yield* both(batches), { asked: 2, lists: [batches.flat(), batches.flat()] })
    })
  )
})
