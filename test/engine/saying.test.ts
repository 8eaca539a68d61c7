import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Effect } from "effect"
import { saying } from "#engine/saying.ts"

class Behind extends Data.TaggedError("Behind")<{ readonly at: number }> {}
class Broken extends Data.TaggedError("Broken")<{ readonly reason: { readonly _tag: string } }> {}

describe("what goes wrong again and again", () => {
  it.effect("is said once, another kind of it once, that it is over once, and again when it begins again", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const { say, over } = saying()
      const tells = (what: string) => Effect.sync(() => void said.push(what))
      const faults = [
        new Behind({ at: 1 }),
        new Behind({ at: 2 }),
        new TypeError("x is no function"),
        new TypeError("y is no function"),
        new Broken({ reason: { _tag: "ConnectionError" } }),
        new Broken({ reason: { _tag: "UniqueViolation" } }),
        new Behind({ at: 3 })
      ]
      yield* over(tells("over"))
      for (const fault of faults) yield* say(Cause.fail(fault), tells(fault.name))
      assert.deepStrictEqual(said, ["Behind", "TypeError", "Broken", "Broken"])
      yield* over(tells("over"))
      yield* over(tells("over"))
      yield* say(Cause.fail(new Behind({ at: 4 })), tells("again"))
      assert.deepStrictEqual(said.slice(4), ["over", "again"])
    })
  )
})
