import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { z } from "zod"
import type { ToolDefinition } from "#ports/LanguageModel.ts"
import { calls, messagesApi, says } from "#test/MessagesApi.ts"
import { conversation, converseWith, recorder } from "./conversation.ts"

/** A tool that answers with 256 KiB. */
const loud: ToolDefinition = {
  name: "Loud",
  description: "Says much",
  schema: z.object({}),
  run: () => Effect.succeed({ content: "a".repeat(262_144), isError: false })
}
const use = { name: "Loud", input: {} }

describe("a conversation is bounded", () => {
  it.effect("by what the tools of one turn answer", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([calls(...Array.from({ length: 20 }, () => use)), says("Done.")])
      const kept = recorder()
      const { ended } = yield* converseWith(api, conversation(kept, { tools: [loud] }))
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
      assert.isBelow(JSON.stringify(api.requests[1]!.body).length, 1_300_000)
    })
  )

  it.effect("as a whole: it ends before more is sent than any model reads", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi(() => calls(use, use, use))
      const { ended, error, turns } = yield* converseWith(
        api,
        conversation(recorder(), { tools: [loud], maxTurns: 1_000 })
      )
      assert.deepStrictEqual([ended, error], ["failed", "The conversation grew past what the model can read."])
      assert.isBelow(turns, 10)
      assert.strictEqual(api.requests.length, turns)
    })
  )
})
