import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { z } from "zod"
import { layer } from "#infra/models/layer.ts"
import { layer as justBash } from "#infra/sandbox/justBash/layer.ts"
import { converse } from "#src/workspaces/loop.ts"
import { define } from "#src/workspaces/tools/tool.ts"
import { call, text, usage } from "#test/languageModel.ts"
import { type Block, calls, type MessagesApi, messagesApi, says } from "#test/MessagesApi.ts"
import { modelsAt } from "#test/models.ts"
import { conversation, keepingSteps } from "#test/workspaces/conversation.ts"
import { nextOf, talk } from "./asking.ts"

const echo = define({
  name: "Echo",
  description: "Echoes",
  schema: z.object({ text: z.string() }),
  run: ({ text }) => Effect.succeed(text)
})

/** A run that asks the stand-in, with a tool that takes a text. */
const run = (api: MessagesApi) => {
  const kept = keepingSteps()
  const models = Layer.provide(layer(modelsAt(api)), justBash)
  return Effect.map(Effect.provide(converse(conversation(kept, { tools: [echo] })), models), (result) => ({
    kept,
    result
  }))
}

const statuses = (api: MessagesApi) => api.requests.map(({ status }) => status)

describe("Anthropic: an input that is no JSON", () => {
  it.effect("ends a run as cut where the limit of tokens cut it off, and what it took is counted", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([
        {
          content: [
            { type: "text", text: "I write it." },
            { type: "tool_use", name: "Echo", input: '{"text":"the first ha' }
          ],
          stopReason: "max_tokens",
          usage: { input_tokens: 1_200, output_tokens: 16_000 }
        }
      ])
      const { kept, result } = yield* run(api)
      const error = "The model's answer was cut off at its limit of tokens."
      assert.deepStrictEqual(result, { output: "I write it.", turns: 1, ended: "failed", error })
      // recorded, and no tool of it ran
      assert.deepStrictEqual(kept.steps, ["before 1", "turn 1"])
      assert.deepStrictEqual(kept.exchanges[0]!.turn, {
        model: "claude-sonnet-5-5",
        says: [text("I write it."), call("toolu_1_1", "Echo", '{"text":"the first ha')],
        end: "cut",
        usage: usage(1_200, 16_000)
      })
    })
  )

  const odd: ReadonlyArray<readonly [written: string, sent: unknown]> = [
    ...['{"text":', "hello", '{"text":"a"} and more'].map((text) => [text, text] as const),
    ["[1]", [1]],
    ["3", 3],
    ["null", null],
    ['"a text"', "a text"]
  ]
  for (const [input, sent] of odd) {
    it.effect(`is refused by its tool, and told to the API in an object: ${input}`, () =>
      Effect.gen(function* () {
        const api = yield* messagesApi([calls({ name: "Echo", input }), says("Done.")])
        const { kept, result } = yield* run(api)
        assert.deepStrictEqual([result.ended, result.output, result.turns], ["done", "Done.", 2])
        assert.deepStrictEqual(statuses(api), [200, 200])
        const [{ isError, content } = { isError: false, content: "" }] = kept.exchanges[0]!.results!
        assert.isTrue(isError)
        const [, said, answered] = api.requests[1]!.body.messages
        const [used, refused] = [said, answered].map((message) => (message!.content as ReadonlyArray<Block>)[0]!)
        assert.deepStrictEqual(used!["input"], { INVALID_JSON: sent })
        assert.deepInclude(refused!, { is_error: true, content })
      })
    )
  }

  it.effect("is an empty object where a server gives none", () =>
    Effect.gen(function* () {
      const content = [{ type: "tool_use", id: "toolu_a", name: "Echo" }]
      const api = yield* messagesApi((_, n) =>
        n === 0 ? { whole: { content, stop_reason: "tool_use", usage: {} } } : says("Done.")
      )
      const { kept } = yield* run(api)
      assert.deepStrictEqual(kept.exchanges[0]!.turn.says, [call("toolu_a", "Echo", {})])
      assert.deepStrictEqual(statuses(api), [200, 200])
    })
  )
})

describe("Anthropic: a text that is empty or blank", () => {
  const blank = ["", " \n\t"].map((text) => ({ type: "text", text }))
  const use = { type: "tool_use", id: "toolu_a", name: "Echo", input: { text: "a" } }

  it.effect("is kept in the turn, and not sent back, as the API would refuse it", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([
        { content: [...blank, use] },
        { content: [...blank, { type: "text", text: "Wait." }], stopReason: "pause_turn" },
        { content: blank, stopReason: "pause_turn" },
        says("Done.")
      ])
      const { kept, result } = yield* run(api)
      assert.deepStrictEqual([result.ended, result.output], ["done", "Done."])
      assert.deepStrictEqual(statuses(api), [200, 200, 200, 200])
      const texts = [text(""), text(" \n\t")]
      assert.deepStrictEqual(
        kept.exchanges.map(({ turn }) => turn.says),
        [[...texts, call("toolu_a", "Echo", { text: "a" })], [...texts, text("Wait.")], texts, [text("Done.")]]
      )
      const sent = api.requests[3]!.body.messages.filter(({ role }) => role === "assistant")
      assert.deepStrictEqual(
        sent.map(({ content }) => content),
        [[use], [{ type: "text", text: "Wait." }]]
      )
    })
  )

  it.effect("that is all a turn said is not sent, and what was said before it ends the request", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([{ content: blank, stopReason: "pause_turn" }, says("Done.")])
      const turn = yield* nextOf(api)
      yield* nextOf(api, talk({ history: [{ turn, results: undefined }] }))
      assert.deepStrictEqual(api.requests[1]!.body.messages, [{ role: "user", content: "Do it." }])
    })
  )
})
