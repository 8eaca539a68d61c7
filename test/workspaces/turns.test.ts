import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ChatEvent } from "#domain/Chat.ts"
import type { ModelTurn, TurnEnd } from "#ports/LanguageModel.ts"
import { recordedTurn, turnOf } from "#src/workspaces/turns.ts"
import { call, text, turn } from "#test/languageModel.ts"

const { ModelTurned } = ChatEvent.cases

/** A turn, recorded and read back as the log would. */
const again = (said: ModelTurn) => {
  const { content, ...facts } = recordedTurn(said)
  const event = ModelTurned.make({ run: "r", turn: 1, ...facts, subject: "s", text: { content } })
  return turnOf(Schema.decodeUnknownSync(ModelTurned)(JSON.parse(JSON.stringify(event))))
}

const said = turn([
  { _tag: "Own", own: { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" } },
  { _tag: "Text", text: "First.", own: { citations: null } },
  { ...call("1", "Echo", { text: "a", of: [1, null] }), own: { caller: { type: "direct" } } },
  text("")
])

describe("a turn in the log", () => {
  it("comes back as the model said it", () => {
    assert.deepStrictEqual(again(said), said)
    assert.deepStrictEqual(again(turn([])), turn([]))
    const ends: ReadonlyArray<TurnEnd> = ["done", "calls", "paused", "declined", "cut", "full"]
    for (const end of ends) assert.strictEqual(again(turn([], { end })).end, end)
  })

  it("has the form that it always had", () => {
    assert.deepStrictEqual(recordedTurn(said), {
      model: "scripted-1",
      stopReason: "tool_use",
      inputTokens: 10,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 5,
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" },
        { type: "text", text: "First.", citations: null },
        { type: "tool_use", id: "1", name: "Echo", input: { text: "a", of: [1, null] }, caller: { type: "direct" } },
        { type: "text", text: "" }
      ]
    })
  })

  it("is read whatever an earlier version has recorded: another reason to stop, blocks amiss, words that were erased", () => {
    const recorded = {
      run: "r",
      turn: 1,
      model: null,
      inputTokens: 1,
      outputTokens: 2,
      cacheReadTokens: 1,
      cacheWriteTokens: 0,
      subject: "s"
    }
    const read = (stopReason: string, content: ReadonlyArray<{ readonly [key: string]: unknown }> | null) =>
      turnOf(ModelTurned.make({ ...recorded, stopReason, text: content === null ? null : { content } }))
    const amiss = [{ type: "text", text: 3 }, { type: "tool_use", id: 1 }, {}]
    assert.deepStrictEqual(read("stop_sequence", amiss), {
      model: null,
      says: amiss.map((own) => ({ _tag: "Own" as const, own })),
      end: "done",
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 1, cacheWriteTokens: 0 }
    })
    assert.deepStrictEqual(read("tool_use", null), {
      model: null,
      says: [],
      end: "calls",
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 1, cacheWriteTokens: 0 }
    })
  })
})
