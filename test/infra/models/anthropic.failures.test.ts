import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { ConversationStopped, type ModelFailed } from "#ports/LanguageModel.ts"
import { calls, messagesApi, type Reply, says } from "#test/MessagesApi.ts"
import { conversation, converseWith, echo, recorder } from "./conversation.ts"

const use = (text: string) => ({ name: "Echo", input: { text } })

describe("Anthropic, when something goes wrong", () => {
  const failures: ReadonlyArray<readonly [name: string, reply: Reply, says: string, requests: number]> = [
    ["a wrong key", { status: 401, message: "invalid x-api-key" }, "refused the key", 1],
    ["an unknown model", { status: 404, message: "model: nope" }, 'no model "claude-sonnet-5-5"', 1],
    ["a request it refuses", { status: 400, message: "prompt is too long" }, "400: prompt is too long", 1],
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
        const error = yield* Effect.flip(converseWith(api, conversation(recorder())))
        assert.strictEqual(error._tag, "ModelFailed")
        assert.include((error as { readonly message: string }).message, message)
        assert.notInclude(JSON.stringify(error), api.key)
        // for the log: the host and the status, and nothing that the API said in words
        const { fault } = error as ModelFailed
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
      const broken = yield* Effect.flip(converseWith(api, conversation(recorder())))
      assert.strictEqual(broken._tag, "ModelFailed")
      const late = yield* Effect.flip(converseWith(api, conversation(recorder()), { timeout: 50 }))
      assert.include(late.toString(), "did not answer in time")
      yield* Effect.promise(() => api.close())
      const gone = yield* Effect.flip(converseWith(api, conversation(recorder())))
      assert.include(gone.toString(), `The model's API at ${new URL(api.url).host} can't be reached.`)
    })
  )

  it.effect("retries what is passing", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([{ status: 529 }, { status: 429 }, says("At last.")])
      assert.strictEqual((yield* converseWith(api, conversation(recorder()))).output, "At last.")
    })
  )

  it.effect("stops before a turn when the run is stopped", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([says("Never.")])
      const stopBefore = Effect.fail(new ConversationStopped({ reason: "revoked" }))
      const error = yield* Effect.flip(converseWith(api, conversation(recorder(), { stopBefore })))
      assert.strictEqual(error._tag, "ConversationStopped")
      assert.strictEqual(api.requests.length, 0)
    })
  )

  it.live("ends the request when it is interrupted", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([{ ...says("Never."), after: new Promise(() => {}) }])
      const fiber = yield* Effect.forkChild(converseWith(api, conversation(recorder())))
      yield* Effect.promise(() => api.arrived(1))
      yield* Fiber.interrupt(fiber)
      const [request] = api.requests
      yield* Effect.promise(() => request!.ended)
      assert.strictEqual(request!.status, 0)
    })
  )

  it.live("ends the tool at work when it is interrupted, and starts no other", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const api = yield* messagesApi([calls(use("a"), use("b"))])
      const kept = recorder()
      let ended = false
      const work = Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Effect.sync(() => void (ended = true)))
      )
      const asked = conversation(kept, { tools: [echo("Echo", kept.steps, work)] })
      const fiber = yield* Effect.forkChild(converseWith(api, asked))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isTrue(ended)
      assert.deepStrictEqual(kept.steps, ["before 1", "turn 1", "Echo a starts"])
    })
  )
})
