import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { z } from "zod"
import type { ModelChoice, ModelTurn, Talk } from "#ports/LanguageModel.ts"
import { canBeShorter, isTooLong } from "#src/workspaces/compact.ts"
import { define } from "#src/workspaces/tools/tool.ts"
import { call, text, turn, usage } from "#test/languageModel.ts"
import { given, keepingSteps } from "./conversation.ts"

/** Answers with as many characters as it is asked for. */
const letters = define({
  name: "Letters",
  description: "Says letters",
  schema: z.object({ letter: z.string(), count: z.number() }),
  run: ({ letter, count }) => Effect.succeed(letter.repeat(count))
})
const asks = (letter: string, count: number) => turn([call(letter, "Letters", { letter, count })])
const full = turn([], { end: "full" })
const sums = ({ tools }: Talk) => tools.length === 0
const lettersIn = ({ history }: Talk) => history.map(({ results }) => results?.[0]?.content[0]).join("")

/** Reads `abcd`, a letter a turn, and can't read more than `most` of them. */
const reader =
  (most: number, account: (talk: Talk) => ModelTurn = () => turn([text("Letters were read.")])) =>
  (talk: Talk): ModelTurn => {
    if (sums(talk)) return account(talk)
    if (talk.history.length > most) return full
    const next = "abcd"[talk.history.length + (talk.prompt.includes("were read") ? 2 : 0)]
    return next === undefined ? turn([text("Done.")]) : asks(next, 100)
  }
const all = { tools: [letters], maxTurns: 20 }

describe("a talk that is longer than its model reads", () => {
  it.effect("goes on from a summary of its first turns, and from the last ones as they were", () =>
    Effect.gen(function* () {
      const { when, kept, told } = given((talk) => {
        if (sums(talk)) return turn([text("Letters were read.")], { usage: usage(7, 3) })
        if (talk.prompt.includes("were read")) return turn([text("Done.")])
        return talk.history.length === 4
          ? full
          : asks("abcd"[talk.history.length]!, talk.history.length < 3 ? 1_000 : 10)
      })
      const result = yield* when(all)
      assert.deepStrictEqual(result, { output: "Done.", turns: 6, ended: "done", error: "" })
      assert.deepStrictEqual(kept.compactions, [
        { turn: 5, upTo: 3, summary: "Letters were read.", model: "scripted-1", usage: usage(7, 3) }
      ])
      // it is recorded after the bounds of the turn were looked at, and before the model is asked again
      assert.deepStrictEqual(kept.steps.slice(-4), ["turn 5", "before 6", "compaction 5", "turn 6"])
      const last = told.at(-1)!
      assert.strictEqual(lettersIn(last), "d")
      assert.match(last.prompt, /^Do it\.\n\n\[Your earlier work .*\]\nLetters were read\.$/)
      const [asked] = told.filter(sums)
      assert.match(asked!.prompt, /^The task:\nDo it\.\n\nThe record:\n\[turn 1\] called Letters/)
      assert.include(asked!.prompt, "[turn 3] answered: ccc")
      assert.notInclude(asked!.prompt, "turn 4")
    })
  )

  it.effect("goes on the same from wherever it was recorded", () =>
    Effect.gen(function* () {
      const whole = given(reader(2))
      const result = yield* whole.when(all)
      const [made] = whole.kept.compactions
      assert.strictEqual(result.ended, "done")
      const again = given(reader(2))
      const history = whole.kept.exchanges.slice(0, made!.turn)
      assert.deepStrictEqual(yield* again.when({ ...all, history, compaction: made }), result)
      assert.isEmpty(again.told.filter(sums).slice(whole.kept.compactions.length - 1))
      assert.deepStrictEqual(again.told[0], whole.told[whole.told.findIndex(sums) + 1])
    })
  )

  it.effect("is compacted anew when it has grown again, with what was told in short before", () =>
    Effect.gen(function* () {
      let accounts = 0
      const { when, kept, told } = given((talk) => {
        if (sums(talk)) return turn([text(`Account ${++accounts}.`)])
        if (talk.history.length > 3) return full
        return accounts === 3 ? turn([text("Done.")]) : asks("a", 100)
      })
      const { ended } = yield* when({ ...all, maxTurns: 40 })
      assert.strictEqual(ended, "done")
      assert.lengthOf(kept.compactions, 3)
      const [, second] = told.filter(sums)
      assert.include(second!.prompt, "What was told in short before:\nAccount 1.")
      assert.notInclude(second!.prompt, "[turn 1]")
      const [one, two, three] = kept.compactions.map(({ upTo }) => upTo)
      assert.isTrue(one! < two! && two! < three!)
      assert.include(told.at(-1)!.prompt, "Account 3.")
      assert.notInclude(told.at(-1)!.prompt, "Account 2.")
    })
  )

  it.effect("keeps none of its turns where a few were still too long, and ends where the task alone is", () =>
    Effect.gen(function* () {
      const { when, kept, told } = given((talk) => {
        if (sums(talk)) return turn([text("Short.")])
        if (talk.prompt.includes("Short.")) return talk.history.length === 0 ? turn([text("Done.")]) : full
        return talk.history.length < 4 ? asks("a", talk.history.length < 3 ? 1_000 : 10) : full
      })
      assert.strictEqual((yield* when(all)).ended, "done")
      assert.deepStrictEqual(
        kept.compactions.map(({ turn, upTo }) => [turn, upTo]),
        [
          [5, 3],
          [6, 6]
        ]
      )
      assert.strictEqual(lettersIn(told.at(-1)!), "")

      const never = given((talk) =>
        sums(talk) ? turn([text("Short.")]) : talk.history.length < 1 && talk.prompt === "Do it." ? asks("a", 10) : full
      )
      const { ended, error } = yield* never.when(all)
      assert.deepStrictEqual([ended, error], ["failed", "The conversation grew past what the model can read."])
      assert.isAtMost(never.told.length, 6)
    })
  )

  it.effect("is told as a list of its steps where no model can sum it up", () =>
    Effect.gen(function* () {
      const { when, kept } = given(reader(2, () => turn([text("I won't.")], { end: "declined" })))
      yield* when({ ...all, maxTurns: 5 })
      const [made] = kept.compactions
      assert.isNull(made!.model)
      assert.match(
        made!.summary,
        /^\[turn 1\] called Letters \{"letter":"a","count":100\}\n\[turn 1\] answered: a{100}/
      )
    })
  )

  it.effect("is compacted before its model refuses it, where the operator has said what it reads", () =>
    Effect.gen(function* () {
      const small: ModelChoice = { name: "sonnet", model: "m", api: "openai", prices: undefined, context: 1_000 }
      const script = (talk: Talk) => {
        if (sums(talk)) return turn([text("Letters were read.")])
        if (talk.prompt.includes("were read")) return turn([text("Done.")])
        return turn([call("1", "Letters", { letter: "a", count: 300 })], {
          usage: usage(talk.history.length * 280, 100)
        })
      }
      const { when, kept, told } = given(script, keepingSteps(), [small])
      assert.strictEqual((yield* when(all)).ended, "done")
      // after its third turn 560 and 100 tokens, and a third of 300 letters: 800 are allowed. After the fourth it is
      // more
      assert.deepStrictEqual(
        kept.compactions.map(({ turn }) => turn),
        [4]
      )
      assert.isBelow(told.find(sums)!.prompt.length, 1_500)
      const unknown = given(script)
      assert.strictEqual((yield* unknown.when(all)).ended, "max_turns")
    })
  )

  it("is one that fills four fifths of what its model reads, or all that is ever told", () => {
    const said = (inputTokens: number, words = "") => [
      { turn: turn([text(words)], { usage: usage(inputTokens, 0) }), results: [] }
    ]
    // an empty list of results counts for eight characters
    const tooLong = [797, 798].map((tokens) => isTooLong(said(tokens), undefined, 1_000))
    assert.deepStrictEqual(tooLong, [false, true])
    assert.isFalse(isTooLong(said(1e9), undefined, undefined))
    assert.isTrue(isTooLong(said(1, "x".repeat(4 * 1024 * 1024 + 1)), undefined, undefined))
    const made = { turn: 1, upTo: 1, summary: "s", model: null, usage: usage(0, 0) }
    assert.isFalse(isTooLong(said(1e9), { ...made, upTo: 0 }, 1_000), "it was compacted since its last turn")
    assert.isFalse(isTooLong([], undefined, 1))
    assert.deepStrictEqual([canBeShorter([], undefined), canBeShorter(said(1), made)], [false, true])
  })

  it.effect("is summed up from a record that fits, whose long steps are cut, in so many words and no more", () =>
    Effect.gen(function* () {
      const small: ModelChoice = { name: "sonnet", model: "m", api: "openai", prices: undefined, context: 1_000 }
      const script = (talk: Talk) => {
        if (sums(talk)) return turn([text(`were read${"x".repeat(30_000)}`)])
        return talk.prompt.includes("were read") ? turn([text("Done.")]) : asks("a", 3_000)
      }
      const { when, kept, told } = given(script, keepingSteps(), [small])
      assert.strictEqual((yield* when(all)).ended, "done")
      const { prompt } = told.find(sums)!
      assert.isBelow(prompt.length, 1_500)
      assert.match(prompt, /answered: a{300,600}…/)
      assert.strictEqual(kept.compactions[0]!.summary.length, 20_000)
    })
  )
})
