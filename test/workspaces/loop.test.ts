import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { ModelFailed } from "#ports/LanguageModel.ts"
import { ConversationStopped, usageOf } from "#src/workspaces/loop.ts"
import { call, inOrder, text, turn, usage } from "#test/languageModel.ts"
import { echo, given, keepingSteps, resumePoints } from "./conversation.ts"

const use = (id: string, said: string) => call(id, "Echo", { text: said })
const gone = new ModelFailed({ message: "The model did not answer in time.", fault: "late" })

/** Thinks, calls two tools at once, one of them wrongly, then pauses, calls again, amiss, and is done. */
const script = inOrder(
  turn([{ _tag: "Own", own: { type: "thinking" } }, text("First."), use("1", "a"), use("2", "wrong")]),
  turn([text("Wait.")], { end: "paused" }),
  turn([use("3", "b"), call("4", "Echo", { text: 3 }), call("5", "Unknown", {})]),
  turn([text("All"), text("done.")])
)

describe("the agent's loop", () => {
  it.effect("asks, records, and runs tools one after another, until the model is done", () =>
    Effect.gen(function* () {
      const { when, kept, told } = given(script)
      const result = yield* when()
      assert.deepStrictEqual(result, { output: "All\n\ndone.", turns: 4, ended: "done", error: "" })
      assert.deepStrictEqual(kept.steps, [
        ...["before 1", "turn 1", "Echo a starts", "Echo a ends", "Echo wrong starts", "Echo wrong ends", "tools 1"],
        ...["before 2", "turn 2", "before 3", "turn 3", "Echo b starts", "Echo b ends", "tools 3", "before 4", "turn 4"]
      ])
      // each turn is told all that was said and done before, and nothing else
      for (const [index, { history, prompt }] of told.entries()) {
        assert.strictEqual(prompt, "Do it.")
        assert.deepStrictEqual(history, kept.exchanges.slice(0, index))
      }
    })
  )

  it.effect("gives a tool's error, a call that does not fit and an unknown tool to the model to read", () =>
    Effect.gen(function* () {
      const { when, kept } = given(script)
      yield* when()
      assert.deepStrictEqual(kept.exchanges[0]!.results, [
        { toolUseId: "1", content: "echo a", isError: false },
        { toolUseId: "2", content: "echo wrong", isError: true }
      ])
      const [good, misfit, unknown] = kept.exchanges[2]!.results!
      assert.deepStrictEqual([good!.isError, misfit!.isError, unknown!.isError], [false, true, true])
      assert.include(misfit!.content, "expected string")
      assert.deepStrictEqual(unknown, {
        toolUseId: "5",
        content: "Error: Tool 'Unknown' not found",
        isError: true
      })
    })
  )

  it.effect("resumes from every point to the same end, and asks for nothing again", () =>
    Effect.gen(function* () {
      const whole = given(script)
      const expected = yield* whole.when()
      for (const history of resumePoints(whole.kept.exchanges)) {
        const { when, kept, told } = given(script)
        assert.deepStrictEqual(yield* when({ history: structuredClone(history) }), expected)
        assert.deepStrictEqual(kept.exchanges, whole.kept.exchanges)
        assert.strictEqual(told.length, 4 - history.length)
      }
    })
  )

  it.effect("goes on from what the hooks answer, as another process may have recorded its own", () =>
    Effect.gen(function* () {
      const { when, kept, told } = given(inOrder(turn([use("mine", "mine")]), turn([text("Done.")])))
      const theirs = turn([use("theirs", "theirs")])
      const results = [{ toolUseId: "theirs", content: "recorded", isError: false }]
      yield* when({
        onTurn: (at, said) => Effect.succeed(at === 1 ? theirs : said),
        onTools: () => Effect.succeed(results)
      })
      assert.deepStrictEqual(kept.steps, ["before 1", "Echo theirs starts", "Echo theirs ends", "before 2"])
      assert.deepStrictEqual(told[1]!.history, [{ turn: theirs, results }])
    })
  )

  it.effect("runs the last turn's tools when no turn is left, and asks no more", () =>
    Effect.gen(function* () {
      const busy = inOrder(turn([use("1", "a")]), turn([text("So far."), use("2", "b")]))
      const whole = given(busy)
      const result = yield* whole.when({ maxTurns: 2 })
      const error = "The task was not finished within 2 turns (max_turns)."
      assert.deepStrictEqual(result, { output: "So far.", turns: 2, ended: "max_turns", error })
      assert.deepStrictEqual(whole.kept.steps.slice(-3), ["Echo b starts", "Echo b ends", "tools 2"])
      for (const history of resumePoints(whole.kept.exchanges).slice(-2)) {
        const again = given(busy)
        assert.deepStrictEqual(yield* again.when({ maxTurns: 2, history }), result)
        assert.strictEqual(again.told.length, 0)
      }
      // a pause is a turn, too
      const pausing = given(() => turn([], { end: "paused" }))
      assert.strictEqual((yield* pausing.when({ maxTurns: 1 })).ended, "max_turns")
      assert.strictEqual(pausing.told.length, 1)
    })
  )

  it.effect("tells a refusal and a cut answer from a success", () =>
    Effect.gen(function* () {
      const no = "I can't do that."
      const failed = (output: string, error: string) => ({ output, turns: 1, ended: "failed" as const, error })
      const end = (says: Parameters<typeof turn>[0], end: "declined" | "cut" | "full") =>
        given(() => turn(says, { end })).when()
      assert.deepStrictEqual(yield* end([text(no)], "declined"), failed(no, no))
      assert.deepStrictEqual(yield* end([], "declined"), failed("", "The model declined the task."))
      const cut = yield* end([text(no)], "cut")
      assert.deepStrictEqual(cut, failed(no, "The model's answer was cut off at its limit of tokens."))
      const full = yield* end([], "full")
      assert.deepStrictEqual(full, failed("", "The conversation grew past what the model can read."))
      // the call that was cut off is not run
      const { when, kept } = given(() => turn([use("1", "a")], { end: "cut" }))
      yield* when()
      assert.deepStrictEqual(kept.steps, ["before 1", "turn 1"])
    })
  )

  it.effect("makes the best of a model that answers nonsense", () =>
    Effect.gen(function* () {
      const silent = yield* given(() => turn([])).when()
      assert.deepStrictEqual(silent, { output: "", turns: 1, ended: "done", error: "" })
      // waits for tools and calls none
      const idle = yield* given(() => turn([text("Hm.")], { end: "calls" })).when()
      assert.deepStrictEqual(idle, { output: "Hm.", turns: 1, ended: "done", error: "" })
      // the same call twice under one id, and inputs that are nothing
      const twice = given(inOrder(turn([use("1", "a"), use("1", "a"), call("", "", null)]), turn([text("Done.")])))
      assert.strictEqual((yield* twice.when()).ended, "done")
      assert.deepStrictEqual(
        twice.kept.exchanges[0]!.results!.map(({ toolUseId, isError }) => [toolUseId, isError]),
        [
          ["1", false],
          ["1", false],
          ["", true]
        ]
      )
    })
  )

  it.effect("ends with a model that can't be had, and has recorded no turn of it", () =>
    Effect.gen(function* () {
      const { when, kept } = given(inOrder(turn([use("1", "a")]), Effect.fail(gone)))
      assert.strictEqual(yield* Effect.flip(when()), gone)
      assert.deepStrictEqual(kept.steps.slice(-2), ["tools 1", "before 2"])
      assert.strictEqual(kept.exchanges.length, 1)
    })
  )

  it.effect("stops where a hook says so: before a turn, after it, and after its tools", () =>
    Effect.gen(function* () {
      const stopped = new ConversationStopped({ reason: "revoked" })
      const once = () => given(inOrder(turn([use("1", "a")]), turn([text("Never.")])))
      const before = once()
      assert.strictEqual(yield* Effect.flip(before.when({ stopBefore: Effect.fail(stopped) })), stopped)
      assert.deepStrictEqual([before.kept.steps, before.told.length], [[], 0])
      const after = once()
      assert.strictEqual(yield* Effect.flip(after.when({ onTurn: () => Effect.fail(stopped) })), stopped)
      assert.deepStrictEqual(after.kept.steps, ["before 1"])
      const tools = once()
      assert.strictEqual(yield* Effect.flip(tools.when({ onTools: () => Effect.fail(stopped) })), stopped)
      assert.deepStrictEqual([tools.kept.steps.at(-1), tools.told.length], ["Echo a ends", 1])
    })
  )

  it.effect("ends what is at work when it is interrupted, a request or a tool, and starts nothing else", () =>
    Effect.gen(function* () {
      const interrupted = Effect.fnUntraced(function* (work: (busy: Effect.Effect<never>) => ReturnType<typeof given>) {
        const started = yield* Deferred.make<void>()
        let ended = false
        const busy = Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Effect.sync(() => void (ended = true)))
        )
        const { when, kept } = work(busy)
        const fiber = yield* Effect.forkChild(when({ tools: [echo("Echo", kept.steps, busy)] }))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        const exit = yield* Fiber.await(fiber)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        assert.isTrue(ended)
        return kept.steps
      })
      assert.deepStrictEqual(yield* interrupted((busy) => given(() => busy)), ["before 1"])
      const calling = () => given(inOrder(turn([use("1", "a"), use("2", "b")])), keepingSteps())
      assert.deepStrictEqual(yield* interrupted(calling), ["before 1", "turn 1", "Echo a starts"])
    })
  )

  it.effect("adds up what its turns took", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(usageOf([]), usage(0, 0))
      const { when, kept } = given(
        inOrder(
          turn([use("1", "a")], { usage: usage(100, 7, 60, 3) }),
          turn([text("Done.")], { usage: usage(23, 1_000, 20) })
        )
      )
      yield* when()
      assert.deepStrictEqual(usageOf(kept.exchanges.map(({ turn }) => turn.usage)), usage(123, 1_007, 80, 3))
    })
  )
})
