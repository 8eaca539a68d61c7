import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { z } from "zod"
import { define } from "#src/workspaces/tools/tool.ts"
import { call, inOrder, text, turn } from "#test/languageModel.ts"
import { given } from "./conversation.ts"

/** A tool that answers with 256 KiB. */
const loud = define({
  name: "Loud",
  description: "Says much",
  schema: z.object({}),
  run: () => Effect.succeed("a".repeat(262_144))
})
const uses = (count: number) => turn(Array.from({ length: count }, (_, index) => call(`${index}`, "Loud", {})))

describe("a conversation is bounded", () => {
  it.effect("by what the tools of one turn answer", () =>
    Effect.gen(function* () {
      const { when, kept, told } = given(inOrder(uses(20), turn([text("Done.")])))
      const { ended } = yield* when({ tools: [loud] })
      assert.strictEqual(ended, "done")
      const { results = [] } = kept.exchanges[0]!
      const lengths = results.map(({ content }) => content.length)
      assert.strictEqual(lengths[0], 262_144)
      assert.isBelow(lengths.at(-1)!, 100)
      assert.isBelow(
        lengths.reduce((sum, one) => sum + one, 0),
        1_100_000
      )
      // what is recorded is what the model gets
      assert.deepStrictEqual(told[1]!.history[0]!.results, results)
    })
  )

  it.effect("as a whole: no request has more than a model reads, however long the run is", () =>
    Effect.gen(function* () {
      const { when, told } = given((talk) => (talk.tools.length === 0 ? turn([text("Much was said.")]) : uses(3)))
      const { ended, turns } = yield* when({ tools: [loud], maxTurns: 40 })
      assert.deepStrictEqual([ended, turns], ["max_turns", 40])
      for (const talk of told) assert.isBelow(JSON.stringify(talk).length, 6_000_000)
      assert.isNotEmpty(told.filter(({ tools }) => tools.length === 0))
    })
  )
})
