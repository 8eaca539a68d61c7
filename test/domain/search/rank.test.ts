import { assert, describe, it } from "@effect/vitest"
import { idf, occurrence, saturated } from "#domain/search/bm25f.ts"
import type { Candidate, Candidates } from "#domain/search/Candidate.ts"
import { noProfile } from "#domain/search/embeddings/Profile.ts"
import { asked } from "#domain/search/query.ts"
import { likeliest, rank } from "#domain/search/rank.ts"
import { unread } from "#test/embeddings.ts"

/** Tasks that mean nothing, unless told: only words count. */
const words = (task: string, read = 0) =>
  asked(task, { query: () => ({ vector: new Float32Array(0), read }), reading: () => unread })

const candidate = (id: string, counts: ReadonlyArray<number>, rest: Partial<Candidate> = {}): Candidate => ({
  id,
  counts,
  lengths: [2, 8, 0, 40],
  cosine: 0,
  completeness: 0.5,
  verdict: 0.5,
  profile: noProfile,
  ...rest
})
const among = (candidates: ReadonlyArray<Candidate>, frequencies: ReadonlyArray<number>): Candidates => ({
  documents: 10,
  frequencies,
  tokens: [20, 80, 0, 400],
  pieceFrequencies: [],
  candidates,
  sharing: candidates.length,
  near: 0
})

describe("the first stage", () => {
  it("weighs words by where they stand, how rare they are in the scope, and what the document could reach", () => {
    // neither has a synonym: four numbers each
    const asking = words("zebra polygon")
    const rare = candidate("rare", [1, 0, 0, 0, 0, 0, 0, 0])
    const common = candidate("common", [0, 0, 0, 0, 1, 0, 0, 0])
    const inSource = candidate("source", [0, 0, 0, 1, 0, 0, 0, 0])
    const ranked = likeliest(asking, among([inSource, common, rare], [1, 9]), false)
    assert.deepStrictEqual(
      ranked.map(({ candidate }) => candidate.id),
      ["rare", "common", "source"].sort((one, other) => share(other) - share(one))
    )
    function share(id: string): number {
      const weights = [idf(1, 10), idf(9, 10)] as const
      const worth = occurrence(id === "source" ? "source" : "name", id === "source" ? 40 : 2, id === "source" ? 40 : 2)
      return saturated(id === "common" ? weights[1] : weights[0], worth) / (weights[0] + weights[1])
    }
    for (const { candidate, relevance } of ranked) assert.closeTo(relevance, share(candidate.id), 1e-6)
  })

  it("does not depend on the order in which candidates come", () => {
    const asking = words("zebra")
    const some = ["c", "a", "b"].map((id) => candidate(id, [1, 0, 0, 0]))
    const best = candidate("z", [1, 3, 0, 0])
    const orders = [
      [...some, best],
      [best, ...some.toReversed()]
    ]
    for (const order of orders) {
      const ids = likeliest(asking, among(order, [4]), false).map(({ candidate }) => candidate.id)
      assert.deepStrictEqual(ids, ["z", "a", "b", "c"])
    }
  })

  it("leaves out what neither shares a word nor has a score of 0.2, and counts votes and completeness", () => {
    const asking = words("zebra", 1)
    const near = candidate("near", [0, 0, 0, 0], { cosine: 0.3 })
    const ids = (of: ReadonlyArray<Candidate>, preferComplete = false) =>
      likeliest(asking, among(of, [1]), preferComplete).map(({ candidate }) => candidate.id)
    assert.deepStrictEqual(ids([near, candidate("far", [0, 0, 0, 0], { cosine: 0.2 })]), ["near"])
    assert.deepStrictEqual(ids([candidate("down", [0, 0, 0, 0], { cosine: 0.3, verdict: 0.1 })]), [])
    assert.deepStrictEqual(ids([candidate("word", [0, 0, 0, 1])]), ["word"])
    const whole = { ...near, id: "whole", completeness: 1 }
    assert.deepStrictEqual(
      [ids([near, whole]), ids([near, whole], true)],
      [
        ["near", "whole"],
        ["whole", "near"]
      ]
    )
  })

  it("says nothing of an empty scope", () => {
    const none = { ...among([], [0]), documents: 0 }
    assert.deepStrictEqual(rank(words("zebra"), none, { preferComplete: false, limit: 10 }), { matches: [], total: 0 })
  })
})
