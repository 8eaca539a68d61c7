import { assert, describe, it } from "vitest"
import { nearest } from "#src/api/nearest.ts"

const known = [
  "task",
  "top_k",
  "min_verdict_score",
  "min_human_upvotes",
  "prefer_complete",
  "input_schema",
  "result_type"
]

describe("the name that somebody meant", () => {
  it.each([
    ["topk", "top_k"],
    ["topK", "top_k"],
    ["TOP_K", "top_k"],
    ["tsak", "task"],
    ["tasks", "task"],
    ["min_score", "min_verdict_score"],
    ["minVerdictScore", "min_verdict_score"],
    ["prefer-complete", "prefer_complete"],
    ["inputSchema", "input_schema"]
  ])("%s is %s", (given, meant) => {
    assert.strictEqual(nearest(given, known), meant)
  })

  it.each(["stream", "expires_at", "x", "", "__proto__", "t".repeat(1_000_000)])("%# is none", (given) => {
    assert.strictEqual(nearest(given, known), undefined)
  })
})
