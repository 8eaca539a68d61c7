import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { Exchange, LanguageModel, ModelTurn, Talk, ToolResult } from "#ports/LanguageModel.ts"
import { textOf } from "#src/workspaces/transcript.ts"

/**
 * A model that a suite can lead: it calls a tool first, and is done once that has answered; another talk it declines.
 */
export interface Led {
  readonly model: LanguageModel["Service"]
  /** Whether it is heard while it speaks: its last turn has several words. */
  readonly streams?: boolean
  /** Its first turn calls tools. */
  readonly calling: Omit<Talk, "history">
  /** What the tools answer to that, in the order of the calls; the turns after it end, done, at last. */
  readonly answers: ReadonlyArray<string>
  /** Its first turn declines, or the first one after such answers. */
  readonly declining: { readonly talk: Omit<Talk, "history">; readonly answers: ReadonlyArray<string> }
}

const resultsOf = ({ says }: ModelTurn, answers: ReadonlyArray<string>): ReadonlyArray<ToolResult> =>
  says.flatMap((one, index) =>
    one._tag === "ToolCall" ? [{ toolUseId: one.id, content: answers[index] ?? answers[0] ?? "", isError: false }] : []
  )

/** What every language model must do; each adapter's test is this and a model that it leads. */
export const contract = (name: string, lead: Effect.Effect<Led, never, Scope.Scope>) =>
  describe(`LanguageModel (${name})`, () => {
    /** Turns until one waits for no tools, and how each was come to. */
    const whole = Effect.fnUntraced(function* ({ model }: Led, talk: Omit<Talk, "history">, answers: Led["answers"]) {
      let history: ReadonlyArray<Exchange> = []
      for (let turns = 0; turns < 10; turns++) {
        const turn = yield* model.next({ ...talk, history })
        if (turn.end !== "calls") return [...history, { turn, results: undefined }]
        history = [...history, { turn, results: resultsOf(turn, answers) }]
      }
      return assert.fail("it never ends")
    })

    it.effect("calls tools that it is offered, each call by an id of its own, and waits for their results", () =>
      Effect.gen(function* () {
        const led = yield* lead
        const exchanges = yield* whole(led, led.calling, led.answers)
        assert.isAbove(exchanges.length, 1)
        const offered = led.calling.tools.map(({ name }) => name)
        for (const { turn } of exchanges.slice(0, -1)) {
          assert.strictEqual(turn.end, "calls")
          const calls = turn.says.filter((one) => one._tag === "ToolCall")
          assert.isNotEmpty(calls)
          for (const { name } of calls) assert.include(offered, name)
          assert.strictEqual(new Set(calls.map(({ id }) => id)).size, calls.length)
        }
      })
    )

    it.effect("is done once its tools have answered, and says something", () =>
      Effect.gen(function* () {
        const led = yield* lead
        const { turn } = (yield* whole(led, led.calling, led.answers)).at(-1)!
        assert.strictEqual(turn.end, "done")
        assert.isTrue(turn.says.some((one) => one._tag === "Text" && one.text !== ""))
      })
    )

    it.effect("says its words as they come, a blank line between two texts", () =>
      Effect.gen(function* () {
        const led = yield* lead
        const exchanges = yield* whole(led, led.calling, led.answers)
        const other = yield* lead
        for (const [index, { turn }] of exchanges.entries()) {
          const heard: Array<string> = []
          const history = exchanges.slice(0, index)
          yield* other.model.next({ ...led.calling, history }, (text) => heard.push(text))
          assert.strictEqual(heard.join(""), led.streams === true ? textOf(turn) : "")
          if (index === exchanges.length - 1 && led.streams === true) assert.isAbove(heard.length, 2)
        }
      })
    )

    it.effect("says what it declines", () =>
      Effect.gen(function* () {
        const led = yield* lead
        const { talk, answers } = led.declining
        assert.strictEqual((yield* whole(led, talk, answers)).at(-1)!.turn.end, "declined")
      })
    )

    it.effect("remembers nothing: from what was recorded it goes on to the same end", () =>
      Effect.gen(function* () {
        const led = yield* lead
        const exchanges = yield* whole(led, led.calling, led.answers)
        for (const [index, { turn }] of exchanges.entries()) {
          const other = yield* lead
          const history: ReadonlyArray<Exchange> = JSON.parse(JSON.stringify(exchanges.slice(0, index)))
          assert.deepStrictEqual(yield* other.model.next({ ...led.calling, history }), turn)
        }
      })
    )

    it.effect("counts what a turn took in whole tokens, and says who answered", () =>
      Effect.gen(function* () {
        const led = yield* lead
        for (const { turn } of yield* whole(led, led.calling, led.answers)) {
          for (const count of Object.values(turn.usage)) assert.isTrue(Number.isSafeInteger(count) && count >= 0)
          assert.isNotEmpty(turn.model)
        }
      })
    )

    it.effect("asks nothing of anybody before it is run, and each run is one turn", () =>
      Effect.gen(function* () {
        const led = yield* lead
        const next = led.model.next({ ...led.calling, history: [] })
        assert.deepStrictEqual(yield* next, yield* next)
      })
    )
  })
