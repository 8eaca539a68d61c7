import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ModelTurn, ToolResult, TurnEnd } from "#ports/LanguageModel.ts"
import { text, usage as tokens } from "#test/languageModel.ts"
import { calls, type MessagesApi, messagesApi, type Reply, says } from "#test/MessagesApi.ts"
import { nextOf, talk } from "./asking.ts"

const blocks = [
  { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" },
  { type: "text", text: "First.", citations: null },
  { type: "tool_use", id: "toolu_a", name: "Echo", input: { text: "a" }, caller: { type: "direct" } },
  { type: "tool_use", id: "toolu_b", name: "Unknown", input: {} }
]
const results: ReadonlyArray<ToolResult> = [
  { toolUseId: "toolu_a", content: "echo a", isError: false },
  { toolUseId: "toolu_b", content: "there is none", isError: true }
]

type MessagesBody = MessagesApi["requests"][number]["body"]

describe("Anthropic", () => {
  it.effect("reads blocks as what they say, and sends them back unchanged, with their results", () =>
    Effect.gen(function* () {
      const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 100, cache_read_input_tokens: 7 }
      const api = yield* messagesApi([{ content: blocks, usage }, says("Done.")])
      const turn = yield* nextOf(api)
      const [thinking] = blocks
      assert.deepStrictEqual(turn, {
        model: "claude-sonnet-5-5",
        says: [
          { _tag: "Own", own: thinking! },
          { _tag: "Text", text: "First.", own: { citations: null } },
          { _tag: "ToolCall", id: "toolu_a", name: "Echo", input: { text: "a" }, own: { caller: { type: "direct" } } },
          { _tag: "ToolCall", id: "toolu_b", name: "Unknown", input: {}, own: {} }
        ],
        end: "calls",
        usage: tokens(117, 5, 7, 100)
      })
      yield* nextOf(api, talk({ history: [{ turn, results }] }))
      assert.deepStrictEqual(api.requests[1]!.body.messages, [
        { role: "user", content: "Do it." },
        { role: "assistant", content: blocks },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_a", content: "echo a" },
            {
              type: "tool_result",
              tool_use_id: "toolu_b",
              content: "there is none",
              is_error: true,
              // the next turn says the same up to here
              cache_control: { type: "ephemeral" }
            }
          ]
        }
      ])
    })
  )

  it.effect("asks in one request, with the tools' schemas and a prompt that may be cached", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([says("Hi.")])
      assert.deepStrictEqual((yield* nextOf(api, talk(), { maxTokens: 300 })).says, [text("Hi.")])
      const { model, messages, max_tokens, system, tools, stream, ...rest } = api.requests[0]!.body
      assert.deepStrictEqual([stream, rest], [true, {}])
      assert.deepStrictEqual([model, max_tokens], ["claude-sonnet-5-5", 300])
      assert.deepStrictEqual(system, [
        { type: "text", text: "You are an agent.", cache_control: { type: "ephemeral" } }
      ])
      assert.deepStrictEqual(messages, [{ role: "user", content: "Do it." }])
      const [{ input_schema: schema, ...tool }] = tools as [NonNullable<MessagesBody["tools"]>[number]]
      assert.deepStrictEqual(tool as object, { type: "custom", name: "Echo", description: "Echoes" })
      assert.deepInclude(schema, {
        type: "object",
        properties: { text: { type: "string" } },
        required: ["text"]
      })
    })
  )

  it.effect("goes on after a pause from the API's own last message", () =>
    Effect.gen(function* () {
      const content = [{ type: "text", text: "Wait." }]
      const api = yield* messagesApi([{ content, stopReason: "pause_turn" }, says("Done.")])
      const turn = yield* nextOf(api)
      yield* nextOf(api, talk({ history: [{ turn, results: undefined }] }))
      assert.deepStrictEqual(api.requests[1]!.body.messages.at(-1), { role: "assistant", content })
    })
  )

  const ends: ReadonlyArray<readonly [reply: Reply, end: TurnEnd]> = [
    [says("Done."), "done"],
    [calls({ name: "Echo", input: { text: "a" } }), "calls"],
    [{ ...says("Wait."), stopReason: "pause_turn" }, "paused"],
    [{ ...says("No."), stopReason: "refusal" }, "declined"],
    [{ ...says("And th"), stopReason: "max_tokens" }, "cut"],
    [{ ...says(""), stopReason: "model_context_window_exceeded" }, "full"],
    [{ status: 400, message: "prompt is too long: 208310 tokens > 200000 maximum" }, "full"],
    [{ status: 413, message: "Request exceeds the maximum size" }, "full"],
    [{ ...says("Done."), stopReason: "stop_sequence" }, "done"]
  ]
  it.effect("tells how a turn ends by the API's reasons to stop", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi(ends.map(([reply]) => reply))
      const found: Array<ModelTurn["end"]> = []
      for (const _ of ends) found.push((yield* nextOf(api)).end)
      assert.deepStrictEqual(
        found,
        ends.map(([, end]) => end)
      )
    })
  )

  it.effect("takes nothing from the environment and writes nothing to the console", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([says("Hi.")])
      const set = {
        ANTHROPIC_LOG: "debug",
        ANTHROPIC_AUTH_TOKEN: "other-token",
        ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
        ANTHROPIC_CUSTOM_HEADERS: "X-Stray: yes\nX-Api-Key: stray"
      }
      const before = { ...process.env }
      const written: Array<unknown> = []
      const { debug, info, warn, error, log } = console
      const keep = (...args: ReadonlyArray<unknown>) => void written.push(args)
      Object.assign(console, { debug: keep, info: keep, warn: keep, error: keep, log: keep })
      Object.assign(process.env, set)
      yield* nextOf(api).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            Object.assign(console, { debug, info, warn, error, log })
            for (const name of Object.keys(set)) {
              if (before[name] === undefined) delete process.env[name]
              else process.env[name] = before[name]
            }
          })
        )
      )
      assert.strictEqual(api.requests[0]!.headers["x-stray"], undefined)
      assert.deepStrictEqual(written, [])
    })
  )
})
