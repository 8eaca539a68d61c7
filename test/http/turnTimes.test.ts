import { assert, describe, it } from "vitest"
import { ChatEvent } from "#domain/Chat.ts"
import { turnsShown } from "#src/http/Runs/turns.ts"
import { recorded } from "#test/recorded.ts"

const { ModelTurned, ToolsRan, ChatResumed, ChatCancelled } = ChatEvent.cases
const usage = { model: "m", inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }
const turned = (turn: number) =>
  ModelTurned.make({ run: "r", turn, ...usage, stopReason: "tool_use", subject: "s", text: { content: [] } })

describe("a turn", () => {
  it("has begun when the step before it was recorded, whoever takes the run up or wants its end meanwhile", () => {
    const events = [
      [1_000, turned(1)],
      [2_000, ToolsRan.make({ run: "r", turn: 1, tree: "t", subject: "s", text: { results: [] } })],
      [60_000, ChatResumed.make({ run: "r", step: 2, attempt: 1 })],
      [61_000, ChatCancelled.make({ run: "r" })],
      [62_000, turned(2)]
    ] as const
    const { turns } = turnsShown(
      {
        events: events.map(([recordedAt, event], at) => ({ ...recorded(at + 1, event), event, recordedAt })),
        requestedAt: 0,
        requested: { model: "m" } as never
      },
      { named: [], others: true, locally: [] }
    )
    assert.deepStrictEqual(
      turns.map(({ begun_at, answered_at }) => [begun_at, answered_at].map(Date.parse)),
      [
        [0, 1_000],
        [2_000, 62_000]
      ]
    )
  })
})
