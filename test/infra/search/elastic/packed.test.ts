import { assert, describe, it } from "@effect/vitest"
import { profileToText } from "#domain/search/embeddings/Profile.ts"
import { candidateIn, hashOf, pack } from "#infra/search/elastic/packed.ts"
import { packCount } from "#infra/search/packedCount.ts"

const profile = {
  pieces: Uint16Array.from([7, 9, 500, 30_000]),
  named: 1,
  told: 2,
  own: 3,
  hub: 0.25,
  characters: 70_000
}
const counted = (...counts: ReadonlyArray<number>) =>
  counts.reduce((packed, count, field) => packCount(packed, field, count), 0)
const words = Array.from({ length: 300 }, (_, n) => `word${n}`)
const given = {
  id: "home/ü-17",
  lengths: [3, 0, 70_000, 12],
  completeness: 0.3,
  verdict: 5 / 7,
  profile: profileToText(profile),
  vector: Float32Array.from([0.5, -0.25, 0.125]),
  counts: new Map(words.map((word, n) => [word, counted(n % 5, n % 7, 0, n)]))
}
const read = (text: string, ...terms: ReadonlyArray<string>) =>
  candidateIn(text, terms.map(hashOf), (vector) => vector[0]! + vector[2]!)

describe("what Elasticsearch hands over of a snippet", () => {
  it("is all that ranking asks of it, and of its terms those that are asked for, in their places", () => {
    const found = read(pack(given), "word299", "nowhere", "word0", "word13")
    assert.deepStrictEqual(found, {
      id: given.id,
      lengths: given.lengths,
      completeness: 0.3,
      verdict: 5 / 7,
      cosine: 0.625,
      profile,
      counts: Uint32Array.from([4, 5, 0, 299, 0, 0, 0, 0, 0, 0, 0, 0, 3, 6, 0, 13])
    })
    for (const [n, word] of words.entries())
      assert.deepStrictEqual(Array.from(read(pack(given), word).counts), [n % 5, n % 7, 0, n])
  })

  it("has no meaning and no terms where nothing could be read", () => {
    const nothing = { ...given, profile: "", vector: undefined, counts: new Map<string, number>() }
    const { cosine, counts, profile: own } = read(pack(nothing), "word1")
    assert.deepStrictEqual([cosine, Array.from(counts), own.pieces.length], [0, [0, 0, 0, 0], 0])
  })
})
