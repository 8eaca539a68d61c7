import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { text, usage as tokens } from "#test/languageModel.ts"
import { messagesApi, type Reply, says } from "#test/MessagesApi.ts"
import { nextOf, talk } from "./asking.ts"
import { pauses } from "./pauses.contract.ts"

describe("Anthropic, when something goes wrong", () => {
  const failures: ReadonlyArray<readonly [name: string, reply: Reply, says: string, requests: number]> = [
    ["a wrong key", { status: 401, message: "invalid x-api-key" }, "refused the key", 1],
    ["an unknown model", { status: 404, message: "model: nope" }, 'no model "claude-sonnet-5-5"', 1],
    [
      "a request it refuses",
      { status: 400, message: "messages: roles must alternate" },
      "400: messages: roles must alternate",
      1
    ],
    ["a rate limit", { status: 429 }, "limits the rate", 3],
    ["overload", { status: 529 }, "overloaded", 3],
    ["its own failure", { status: 500, message: "key sk-ant-stand-in broke" }, "answered 500: key … broke", 3],
    ["an answer of any size", says("a".repeat(5_000_000)), "too large to be one of a model", 1],
    ["a cut connection", { cut: "before" }, "can't be reached", 3]
  ]
  for (const [name, reply, message, requests] of failures) {
    it.live(`says what is wrong: ${name}`, () =>
      Effect.gen(function* () {
        const api = yield* messagesApi(() => reply)
        const error = yield* Effect.flip(nextOf(api))
        assert.strictEqual(error._tag, "ModelFailed")
        assert.include(error.message, message)
        assert.notInclude(JSON.stringify(error), api.key)
        // for the log: the host and the status, and nothing that the API said in words
        const { fault } = error
        assert.include(fault, new URL(api.url).host)
        if ("status" in reply) {
          assert.include(fault, `answered ${reply.status}`)
          if (reply.message !== undefined) assert.notInclude(fault, reply.message.slice(0, 10))
        }
        // Deno's fetch itself asks again where a connection ends without an answer.
        if ("cut" in reply) assert.isAtLeast(api.requests.length, requests)
        else assert.strictEqual(api.requests.length, requests)
      })
    )
  }

  it.live("says what is wrong: an answer that breaks off, nobody there, no answer in time", () =>
    Effect.gen(function* () {
      const after = new Promise(() => {})
      const api = yield* messagesApi((_, n) => (n === 0 ? { cut: "middle" } : { ...says("late"), after }))
      const broken = yield* Effect.flip(nextOf(api))
      assert.strictEqual(broken._tag, "ModelFailed")
      const late = yield* Effect.flip(nextOf(api, talk(), { timeout: 50 }))
      assert.include(late.toString(), "did not answer in time")
      yield* Effect.promise(() => api.close())
      const gone = yield* Effect.flip(nextOf(api))
      assert.include(gone.toString(), `The model's API at ${new URL(api.url).host} can't be reached.`)
    })
  )

  it.live("gives up one that has begun and falls silent, and one that never begins", () =>
    Effect.gen(function* () {
      const after = new Promise(() => {})
      const api = yield* messagesApi((_, n) => (n === 0 ? { cut: "never" } : { ...says("late"), after }))
      for (const _ of [1, 2]) {
        const error = yield* Effect.flip(nextOf(api, talk(), { silence: 50 }))
        assert.include(error.message, "fell silent, and was given up")
        assert.include(error.fault, "fell silent")
      }
    })
  )

  it.live("gives up one that sends signs of life and never ends", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi(() => ({ drips: true }))
      const error = yield* Effect.flip(nextOf(api, talk(), { timeout: 300 }))
      assert.include(error.message, "did not answer in time")
      assert.include(error.fault, "did not answer in time")
      yield* Effect.promise(() => api.requests.at(-1)!.ended)
    })
  )

  it.live("says what is wrong, and quotes nothing, also not to the console: events that are no JSON", () =>
    Effect.gen(function* () {
      const written = vi.spyOn(console, "error").mockImplementation(() => {})
      const api = yield* messagesApi([{ events: ['event: message_start\ndata: {"a secret of the prompt\n\n'] }])
      const error = yield* Effect.flip(nextOf(api))
      assert.include(error.message, "an answer that is not of the Messages API")
      assert.notInclude(JSON.stringify(error), "secret")
      assert.deepStrictEqual(written.mock.calls, [])
    })
  )

  const nonsense: ReadonlyArray<readonly [name: string, answer: unknown]> = [
    ["no object", "hello"],
    ["no content", { usage: {} }],
    ["content that is no list", { content: "hello", usage: {} }],
    ["a block that is nothing", { content: [null], usage: {} }],
    ["a block that is a number", { content: [3], usage: {} }],
    ["no usage", { content: [] }]
  ]
  for (const [name, whole] of nonsense) {
    it.live(`says what is wrong: an answer of no model: ${name}`, () =>
      Effect.gen(function* () {
        const api = yield* messagesApi([{ whole }])
        const error = yield* Effect.flip(nextOf(api))
        assert.include(error.message, "an answer that is not of the Messages API")
        assert.notInclude(error.fault, "hello")
      })
    )
  }

  it.effect("takes what it can of an odd answer", () =>
    Effect.gen(function* () {
      const content = [{ type: "text", text: 3 }, { type: "tool_use", name: "Echo" }, {}]
      const usage = { input_tokens: 1.5, output_tokens: -3, cache_read_input_tokens: "9" }
      const api = yield* messagesApi([{ whole: { model: 3, content, stop_reason: "new_reason", usage } }])
      assert.deepStrictEqual(yield* nextOf(api), {
        model: "claude-sonnet-5-5",
        says: content.map((own) => ({ _tag: "Own" as const, own })),
        end: "done",
        usage: tokens(0, 0)
      })
    })
  )

  it.effect("retries what is passing", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([{ status: 529 }, { status: 429 }, says("At last.")])
      assert.deepStrictEqual((yield* nextOf(api)).says, [text("At last.")])
    })
  )

  it.live("ends the request when it is interrupted", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([{ ...says("Never."), after: new Promise(() => {}) }])
      const fiber = yield* Effect.forkChild(nextOf(api))
      yield* Effect.promise(() => api.arrived(1))
      yield* Fiber.interrupt(fiber)
      const [request] = api.requests
      yield* Effect.promise(() => request!.ended)
      assert.strictEqual(request!.status, 0)
    })
  )
})

pauses("Anthropic", (refusal) =>
  Effect.map(
    messagesApi((_, n) => refusal(n) ?? says("At last.")),
    (api) => ({ requests: api.requests, next: nextOf(api) })
  )
)
