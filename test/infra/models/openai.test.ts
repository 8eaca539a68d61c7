import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { z } from "zod"
import { make } from "#infra/models/openai/adapter.ts"
import type { OpenAiSettings } from "#infra/models/openai/settings.ts"
import type { ModelFailed, ModelTurn, Question, ToolResult, TurnEnd } from "#ports/LanguageModel.ts"
import { type ChatCompletionsApi, chatCompletionsApi, type Reply } from "#test/ChatCompletionsApi.ts"
import { call, text, usage } from "#test/languageModel.ts"
import { talk } from "./asking.ts"
import { pauses } from "./pauses.contract.ts"

const adapterOf = (api: ChatCompletionsApi, settings: Partial<OpenAiSettings> = {}) =>
  make({ apiKey: Redacted.make(api.key), variable: "OPENAI_API_KEY", baseURL: api.url, ...settings })

const nextOf = (api: ChatCompletionsApi, asked = talk(), settings: Partial<OpenAiSettings> = {}) =>
  adapterOf(api, settings).next(asked)

describe("OpenAI-compatible: a turn", () => {
  it.effect("is put together from its pieces, and sent back with its results", () =>
    Effect.gen(function* () {
      const calls = [
        { name: "Echo", arguments: '{"text":"a, and much more than one piece"}' },
        { name: "Echo", arguments: "" },
        { name: "Echo", arguments: '{"text":' }
      ]
      const api = yield* chatCompletionsApi([{ content: "First I look.", calls }, { content: "Done." }])
      const turn = yield* nextOf(api)
      assert.deepStrictEqual(turn, {
        model: "claude-sonnet-5-5",
        says: [
          text("First I look."),
          call("call_2_0", "Echo", { text: "a, and much more than one piece" }),
          call("call_2_1", "Echo", {}),
          // the tool refuses it
          call("call_2_2", "Echo", '{"text":')
        ],
        end: "calls",
        usage: usage(10, 5, 4)
      })
      const results: ReadonlyArray<ToolResult> = ["call_2_0", "call_2_1", "call_2_2"].map((toolUseId) => ({
        toolUseId,
        content: "echo",
        isError: false
      }))
      assert.deepStrictEqual((yield* nextOf(api, talk({ history: [{ turn, results }] }))).says, [text("Done.")])
      const [first, second] = api.requests.map(({ body }) => body)
      assert.deepStrictEqual(first.messages, [
        { role: "system", content: "You are an agent." },
        { role: "user", content: "Do it." }
      ])
      assert.deepStrictEqual(second.messages[2].tool_calls[2].function, { name: "Echo", arguments: '{"text":' })
      assert.deepStrictEqual(second.messages.at(-1), { role: "tool", tool_call_id: "call_2_2", content: "echo" })
    })
  )

  const ends: ReadonlyArray<readonly [reply: Reply, end: TurnEnd]> = [
    [{ content: "Done." }, "done"],
    [{ calls: [{ name: "Echo", arguments: "{}" }] }, "calls"],
    // some servers say that they stop where they call
    [{ calls: [{ name: "Echo", arguments: "{}" }], reason: "stop" }, "calls"],
    [{ refusal: "I won't." }, "declined"],
    [{ content: "No", reason: "content_filter" }, "declined"],
    [{ content: "And th", reason: "length" }, "cut"],
    [{ status: 400, code: "context_length_exceeded", message: "too long" }, "full"],
    // as other servers say it
    [{ status: 400, code: "400", message: "This model's maximum context length is 8192 tokens." }, "full"],
    [{ status: 400, code: "400", message: "the request exceeds the available context size" }, "full"]
  ]
  it.effect("ends as the API says", () =>
    Effect.gen(function* () {
      const api = yield* chatCompletionsApi(ends.map(([reply]) => reply))
      const found: Array<ModelTurn["end"]> = []
      for (const _ of ends) found.push((yield* nextOf(api)).end)
      assert.deepStrictEqual(
        found,
        ends.map(([, end]) => end)
      )
    })
  )

  it.effect("takes what it can of a server that numbers no calls and counts no tokens", () =>
    Effect.gen(function* () {
      const event = (choice: object) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`
      const one = (id: string) => ({ tool_calls: [{ id, function: { name: "Echo", arguments: '{"text":"x"}' } }] })
      const api = yield* chatCompletionsApi([
        { events: [event({ delta: one("a") }), event({ delta: one("b"), finish_reason: "tool_calls" })] }
      ])
      const turn = yield* nextOf(api)
      assert.deepStrictEqual(turn.says, [call("a", "Echo", { text: "x" }), call("b", "Echo", { text: "x" })])
      assert.deepStrictEqual([turn.model, turn.usage], ["claude-sonnet-5-5", usage(0, 0)])
    })
  )
})

describe("OpenAI-compatible, when something goes wrong", () => {
  const failures: ReadonlyArray<readonly [name: string, reply: Reply, says: string, requests: number]> = [
    ["a wrong key", { status: 401, message: "wrong" }, "refused the key (OPENAI_API_KEY)", 1],
    ["an unknown model", { status: 404, message: "no" }, 'no model "claude-sonnet-5-5"', 1],
    ["a request it refuses", { status: 400, message: "bad temperature" }, "400: bad temperature", 1],
    ["a rate limit", { status: 429 }, "limits the rate", 3],
    ["overload", { status: 503 }, "overloaded", 3],
    ["its own failure", { status: 500, message: "key sk-stand-in broke" }, "answered 500: key … broke", 3],
    ["an answer of any size", { content: "a".repeat(3_000_000) }, "too large to be one of a model", 1],
    ["an answer that breaks off", { cut: "middle" }, "", 1],
    ["an answer without an end", { events: [] }, "not of the Chat Completions API", 1],
    ["no events", { events: ["hello\n\n"] }, "not of the Chat Completions API", 1],
    [
      "a call that can't be answered",
      { events: ['data: {"choices":[{"delta":{"tool_calls":[{"index":0}]},"finish_reason":"stop"}]}\n\n'] },
      "not of the Chat Completions API",
      1
    ]
  ]
  for (const [name, reply, message, requests] of failures) {
    it.live(`says what is wrong: ${name}`, () =>
      Effect.gen(function* () {
        const api = yield* chatCompletionsApi(() => reply)
        const error = yield* Effect.flip(nextOf(api))
        assert.strictEqual(error._tag, "ModelFailed")
        assert.include(error.message, message)
        assert.notInclude(JSON.stringify(error), api.key)
        assert.include(error.fault, new URL(api.url).host)
        if ("status" in reply && reply.message !== undefined) assert.notInclude(error.fault, reply.message)
        assert.strictEqual(api.requests.length, requests)
      })
    )
  }

  it.live("gives up one that has begun and falls silent, and one that never begins", () =>
    Effect.gen(function* () {
      const api = yield* chatCompletionsApi((_, n) =>
        n === 0 ? { stalls: true } : { content: "late", after: new Promise(() => {}) }
      )
      for (const _ of [1, 2]) {
        const error = yield* Effect.flip(nextOf(api, talk(), { silence: 50 }))
        assert.include(error.message, "fell silent")
        assert.include(error.fault, "fell silent")
      }
    })
  )

  type Ask = (api: ChatCompletionsApi) => Effect.Effect<unknown, ModelFailed>
  const asks: ReadonlyArray<readonly [what: string, ask: Ask]> = [
    ["a turn", (api) => nextOf(api, talk(), { timeout: 300 })],
    ["a question", (api) => adapterOf(api, { timeout: 300 }).ask(question)]
  ]
  for (const [what, ask] of asks)
    it.live(`gives up one that sends signs of life and never ends: ${what}`, () =>
      Effect.gen(function* () {
        const api = yield* chatCompletionsApi(() => ({ drips: true }))
        const error = yield* Effect.flip(ask(api))
        assert.include(error.message, "did not answer in time")
        assert.include(error.fault, "did not answer in time")
        yield* Effect.promise(() => api.requests.at(-1)!.ended)
      })
    )

  it.live("ends the request when it is interrupted", () =>
    Effect.gen(function* () {
      const api = yield* chatCompletionsApi(() => ({ stalls: true }))
      const fiber = yield* Effect.forkChild(nextOf(api))
      yield* Effect.promise(api.arrived)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => api.requests[0]!.ended)
    })
  )
})

const question: Question = {
  model: "judge-1",
  system: "Judge the weather.",
  prompt: "It rains.",
  form: { name: "weather", description: "How it is.", schema: z.object({ weather: z.enum(["good", "bad"]) }) }
}

describe("OpenAI-compatible: a question", () => {
  const filled = (written: string, name = "weather"): Reply => ({ calls: [{ name, arguments: written }] })

  it.effect("is answered in its form alone", () =>
    Effect.gen(function* () {
      const api = yield* chatCompletionsApi([filled('{"weather":"bad"}')])
      assert.deepStrictEqual(yield* adapterOf(api).ask(question), { weather: "bad" })
      const [{ body }] = api.requests as [ChatCompletionsApi["requests"][number]]
      assert.deepStrictEqual(body.tool_choice, { type: "function", function: { name: "weather" } })
    })
  )

  const said = "text that may be the prompt's"
  const useless: ReadonlyArray<readonly [name: string, reply: Reply]> = [
    ["talk instead of the form", { content: said }],
    ["a value outside the enum", filled(`{"weather":"${said}"}`)],
    ["what is no JSON", filled(said)],
    ["another function", filled('{"weather":"bad"}', "climate")],
    [
      "a refusal, though the form is filled in",
      { calls: [{ name: "weather", arguments: '{"weather":"bad"}' }], refusal: said }
    ],
    ["an answer that was cut off", { calls: [{ name: "weather", arguments: '{"weather":"bad"}' }], reason: "length" }]
  ]
  for (const [name, reply] of useless) {
    it.effect(`fails on ${name}, and quotes nothing of it`, () =>
      Effect.gen(function* () {
        const api = yield* chatCompletionsApi([reply])
        const failure = yield* Effect.flip(adapterOf(api).ask(question))
        assert.strictEqual(failure._tag, "ModelFailed")
        assert.notInclude(JSON.stringify(failure), said)
      })
    )
  }
})

pauses("OpenAI-compatible", (refusal) =>
  Effect.map(
    chatCompletionsApi((_, n) => refusal(n) ?? { content: "At last." }),
    (api) => ({ requests: api.requests, next: nextOf(api) })
  )
)
