import { assert, describe, it } from "vitest"
import { binsOf, gradingsIn, votesIn } from "#src/console/snippet/votes.ts"
import type { RecordedEvent } from "../../clients/typescript/src/index.ts"

let position = 0
const event = (type: string, data: RecordedEvent["data"], recordedAt = "2026-03-01T12:00:00.000Z"): RecordedEvent => ({
  position: String(++position),
  eventId: String(position),
  revision: position,
  stream: "snippet-1",
  type,
  schemaVersion: 1,
  recordedAt,
  actor: { keyId: null, userId: null, organizationId: null },
  commandId: "",
  correlationId: "",
  causationId: null,
  requestId: null,
  traceId: null,
  data: { snippet: "1", ...data }
})

const cast = (value: number, more: RecordedEvent["data"] = {}, at?: string) =>
  event("VoteCast", { value, count: 1, source: "human", voter: null, request: null, text: null, ...more }, at)

describe("a snippet's votes, out of its events", () => {
  it("have their source as its caller called it, and their words as long as they are there", () => {
    const text = { task: "sort", reason: "slow", origin: "cli" }
    const [erased, named, graded] = votesIn([
      cast(1),
      event("TaskAdded", { text }),
      cast(-1, { count: 3, source: "ai", text }),
      cast(1, { source: "ai", request: "r", text: { ...text, origin: null } })
    ])
    assert.deepInclude(erased, { isFor: true, count: 1, source: "human", task: "", reason: "" })
    assert.deepInclude(named, { isFor: false, count: 3, source: "cli", task: "sort", reason: "slow" })
    assert.deepInclude(graded, { source: "grading" })
  })

  it("are told by day, all of them, in thirty bars at most", () => {
    const now = Date.parse("2026-03-03T09:00:00.000Z")
    const votes = votesIn([
      cast(1, { count: 2 }, "2026-03-01T12:00:00.000Z"),
      cast(-1, {}, "2026-03-01T12:30:00.000Z"),
      cast(1, {}, "2026-03-03T08:00:00.000Z")
    ])
    const days = binsOf(votes, now)
    assert.lengthOf(days, 7)
    assert.deepInclude(days.find(({ counts }) => counts.votesAgainst > 0)!.counts, { votesFor: 2, votesAgainst: 1 })
    for (const years of [0.01, 0.3, 1, 7]) {
      const bins = binsOf(votes, now + years * 365 * 86_400_000)
      assert.isAtMost(bins.length, 30)
      assert.strictEqual(
        bins.reduce((sum, { counts }) => sum + counts.votesFor + counts.votesAgainst, 0),
        4,
        `${years}`
      )
    }
  })
})

it("gradings end as their answers say: with a verdict, a fault, too late, or not yet", () => {
  const asked = (request: string) => event("VoteRequested", { request, count: 1 })
  const events = [
    ...["yes", "no", "broken", "late", "open"].map(asked),
    cast(1, { request: "yes", text: { task: null, reason: "tidy", origin: null } }),
    cast(-1, { request: "no" }),
    cast(-1),
    event("GradingFailed", { request: "broken", text: { error: "no model" } }),
    event("GradingCancelled", { request: "late", cause: "expired" })
  ]
  assert.deepStrictEqual(
    gradingsIn(events).map(({ is, reason }) => [is, reason]),
    [
      ["for", "tidy"],
      ["against", ""],
      ["failed", "no model"],
      ["expired", ""],
      ["pending", ""]
    ]
  )
})
