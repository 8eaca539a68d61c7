import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { calls, type MessagesApi, messagesApi, type Reply, says } from "#test/MessagesApi.ts"
import { conversation, converseWith, recorder, resumePoints } from "./conversation.ts"

const thinking = { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" }
const use = (text: string) => ({ name: "Echo", input: { text } })

/** Thinks, calls two tools at once, one of them wrongly, then pauses, calls again and is done. */
const script: ReadonlyArray<Reply> = [
  { content: [thinking, { type: "text", text: "First." }, ...calls(use("a"), use("wrong")).content] },
  { content: [{ type: "text", text: "Wait." }], stopReason: "pause_turn" },
  calls(use("b"), { name: "Echo", input: { text: 3 } }, { name: "Unknown", input: {} }),
  says("All done.")
]

/** Replies by the number of turns so far, so that a run that resumes meets the same model. */
const model = (replies: ReadonlyArray<Reply>) => (request: { readonly body: MessagesBody }) =>
  replies[request.body.messages.filter(({ role }) => role === "assistant").length]!
type MessagesBody = MessagesApi["requests"][number]["body"]

describe("Anthropic", () => {
  it.effect("runs the loop: hooks around every turn, tools one after another, blocks unchanged", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi(script)
      const kept = recorder()
      const result = yield* converseWith(api, conversation(kept))
      assert.deepStrictEqual(result, { output: "All done.", turns: 4, ended: "done", error: "" })
      assert.deepStrictEqual(kept.steps, [
        ...["before 1", "turn 1", "Echo a starts", "Echo a ends", "Echo wrong starts", "Echo wrong ends", "tools 1"],
        ...["before 2", "turn 2", "before 3", "turn 3", "Echo b starts", "Echo b ends", "tools 3", "before 4", "turn 4"]
      ])
      const { body } = api.requests[3]!
      assert.strictEqual(body.model, "claude-sonnet-5-5")
      assert.deepStrictEqual(body.messages[1]!.content, kept.exchanges[0]!.turn.content)
      assert.deepStrictEqual((body.messages[1]!.content as ReadonlyArray<unknown>)[0], thinking)
      assert.deepStrictEqual(kept.exchanges[0]!.results, [
        { toolUseId: "toolu_1_2", content: "echo a", isError: false },
        { toolUseId: "toolu_1_3", content: "echo wrong", isError: true }
      ])
      const [good, misfit, unknown] = kept.exchanges[2]!.results!
      assert.deepStrictEqual([good!.isError, misfit!.isError, unknown!.isError], [false, true, true])
      assert.include(unknown!.content, "Unknown")
      assert.deepStrictEqual(kept.exchanges[0]!.turn.usage, { inputTokens: 10, outputTokens: 5 })
    })
  )

  it.effect("resumes from every point to the same messages", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi(model(script))
      const whole = recorder()
      const expected = yield* converseWith(api, conversation(whole))
      const last = api.requests.at(-1)!.body
      for (const history of resumePoints(whole.exchanges)) {
        const before = api.requests.length
        const kept = recorder()
        const result = yield* converseWith(api, conversation(kept, { history: structuredClone(history) }))
        assert.deepStrictEqual(result, expected)
        assert.deepStrictEqual(kept.exchanges, whole.exchanges)
        const asked = api.requests.slice(before)
        assert.strictEqual(asked.length, 4 - history.length)
        if (asked.length > 0) assert.deepStrictEqual(asked.at(-1)!.body, last)
      }
    })
  )

  it.effect("goes on from what the hooks answer", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([calls(use("mine")), says("Done.")])
      const kept = recorder()
      const recorded = {
        model: "m",
        content: [{ type: "tool_use", id: "toolu_x", ...use("theirs") }],
        stopReason: "tool_use"
      }
      const usage = { inputTokens: 1, outputTokens: 1 }
      const asked = conversation(kept)
      const result = yield* converseWith(api, {
        ...asked,
        onTurn: (turn, said) => asked.onTurn(turn, turn === 1 ? { ...recorded, usage } : said),
        onTools: (turn, results) =>
          asked.onTools(
            turn,
            results.map((result) => ({ ...result, content: "recorded" }))
          )
      })
      assert.strictEqual(result.output, "Done.")
      assert.include(kept.steps, "Echo theirs starts")
      assert.notInclude(kept.steps, "Echo mine starts")
      assert.deepStrictEqual(api.requests[1]!.body.messages.slice(1), [
        { role: "assistant", content: recorded.content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_x", content: "recorded" }] }
      ])
    })
  )

  it.effect("ends with the last turn's tools run when no turn is left", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi(model([calls(use("a")), calls(use("b")), says("Never.")]))
      const kept = recorder()
      const result = yield* converseWith(api, conversation(kept, { maxTurns: 2 }))
      assert.strictEqual(result.ended, "max_turns")
      assert.strictEqual(result.turns, 2)
      assert.deepStrictEqual(kept.steps.slice(-3), ["Echo b starts", "Echo b ends", "tools 2"])
      assert.strictEqual(api.requests.length, 2)
      for (const history of resumePoints(kept.exchanges).slice(-2)) {
        const again = recorder()
        assert.deepStrictEqual(yield* converseWith(api, conversation(again, { maxTurns: 2, history })), result)
      }
      assert.strictEqual(api.requests.length, 2)
    })
  )

  it.effect("tells a refusal and a cut answer from a success", () =>
    Effect.gen(function* () {
      const text = [{ type: "text", text: "I can't do that." }]
      const api = yield* messagesApi([
        { content: text, stopReason: "refusal" },
        { content: [], stopReason: "refusal" },
        { content: [...text, ...calls(use("a")).content], stopReason: "max_tokens" }
      ])
      const refused = yield* converseWith(api, conversation(recorder()))
      assert.deepStrictEqual(refused, {
        output: "I can't do that.",
        turns: 1,
        ended: "failed",
        error: "I can't do that."
      })
      assert.strictEqual((yield* converseWith(api, conversation(recorder()))).error, "The model declined the task.")
      const kept = recorder()
      const cut = yield* converseWith(api, conversation(kept))
      assert.strictEqual(cut.ended, "failed")
      assert.include(cut.error, "cut off")
      assert.deepStrictEqual(kept.steps, ["before 1", "turn 1"])
    })
  )

  it.effect("maps aliases, which are configurable, and passes other names through", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi(() => says("Hi."))
      const aliases = { opus: "my-opus" }
      for (const name of ["sonnet", "opus", "haiku", "claude-x-1"]) {
        yield* converseWith(api, conversation(recorder(), { model: name }), { aliases })
      }
      const models = api.requests.map(({ body }) => body.model)
      assert.deepStrictEqual(models, ["claude-sonnet-5-5", "my-opus", "claude-haiku-5-5", "claude-x-1"])
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
      yield* converseWith(api, conversation(recorder())).pipe(
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
