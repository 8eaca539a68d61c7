import { assert, describe, it } from "@effect/vitest"
import type { Candidate, Candidates } from "#domain/search/Candidate.ts"
import { type Features, features } from "#domain/search/Features.ts"
import { logitOf, logitsOf, signsOf, strengthOf } from "#domain/search/probability.ts"
import { asked } from "#domain/search/query.ts"
import { judge, likeliest, rank } from "#domain/search/rank.ts"
import { byMeaning, byWords } from "#domain/search/ranker.ts"
import { verdict } from "#domain/search/score.ts"
import { judging, looked, nearness } from "#domain/search/secondStage.ts"
import { encoder, profiled } from "#test/embeddings.ts"
import { random } from "#test/random.ts"

const next = random(79)
const pick = <A>(some: ReadonlyArray<A>): A => some[Math.floor(next() * some.length)]!
const vocabulary =
  "sort list remove duplicates parse csv rows median file matrix rotate email send graph path tree".split(" ")
const some = (count: number) => Array.from({ length: 1 + Math.floor(next() * count) }, () => pick(vocabulary))

/** Some task among some snippets, as an index would give them. */
const scene = (count: number, task = some(6).join(" ")) => {
  const words = asked(task, encoder)
  const candidates = Array.from({ length: count }, (_, at): Candidate => {
    const counts = words.terms.flatMap(() => [0, 0, 0, 0].map(() => (next() < 0.2 ? 1 + Math.floor(next() * 3) : 0)))
    const text = {
      name: some(3).join("_"),
      description: next() < 0.5 ? some(8).join(" ") : "",
      source: some(30).join(" ")
    }
    return {
      id: `id-${String(at).padStart(3, "0")}`,
      counts,
      lengths: [3, 8, 0, 30],
      cosine: next(),
      completeness: next(),
      verdict: 0.5,
      profile: profiled(text)
    }
  })
  const documents = count + 10
  const found: Candidates = {
    documents,
    frequencies: words.terms.map(() => Math.floor(next() * documents)),
    pieceFrequencies: words.reading.pieces.map(() => Math.floor(next() * documents)),
    tokens: [3, 8, 1, 30].map((length) => length * documents),
    candidates,
    sharing: count,
    near: 0
  }
  return { words, found }
}

const all = { preferComplete: false, limit: 100 }
const scenes = [0, 1, 2, 5, 30, 50, 51, 90].flatMap((count) => Array.from({ length: 6 }, () => scene(count)))

describe("ranking, whatever is asked and found", () => {
  it("counts each feature by its weight, in their order", () => {
    const of = Object.fromEntries(features.map((feature, at) => [feature, Math.PI * (at + 1)])) as unknown as Features
    for (const feature of features) {
      const judge = { features: { [feature]: 2 }, backdrop: 0, signs: {} }
      assert.strictEqual(strengthOf(judge, of), 2 * of[feature], feature)
    }
    const sum = features.reduce((sum, feature) => sum + byMeaning.features[feature]! * of[feature], 0)
    assert.strictEqual(strengthOf(byMeaning, of), sum)
  })

  it("reckons what it says of all at once as it would of each by its signs, to the last bit", () => {
    for (const { words, found } of scenes) {
      const features = likeliest(words, found, false).map(judging(words, found))
      for (const judge of [byMeaning, byWords]) {
        const each = signsOf(judge, features, found.documents).map((signs) => logitOf(judge, signs))
        assert.deepStrictEqual(logitsOf(judge, features, found.documents), each)
        assert.lengthOf(each, features.length)
      }
    }
  })

  it("gives scores in 0…1, best first, ties in order of id, the same in any order of candidates", () => {
    for (const { words, found } of scenes) {
      const ranking = rank(words, found, all)
      for (const [at, { score, relevance, id }] of ranking.matches.entries()) {
        assert.isTrue(score >= 0 && score <= 1 && relevance >= 0 && relevance <= 1)
        const before = ranking.matches[at - 1]
        // behind the 50 that are judged together the others stand as the first stage has them
        if (before !== undefined && at < looked)
          assert.isTrue(before.score > score || (before.score === score && before.id < id))
        if (before !== undefined) assert.isAtLeast(before.score, score)
      }
      const turned = { ...found, candidates: found.candidates.toReversed() }
      assert.deepStrictEqual(rank(words, turned, all), ranking)
    }
  })

  it("begins a longer list as a shorter one", () => {
    for (const { words, found } of scenes) {
      const { matches, total } = rank(words, found, all)
      for (const limit of [1, 5, 49, 50, 51]) {
        const shorter = rank(words, found, { ...all, limit })
        assert.deepStrictEqual(shorter.matches, matches.slice(0, limit))
        assert.strictEqual(shorter.total, total)
      }
    }
  })

  it("goes up with a vote for something and down with one against it, and nobody else's order moves", () => {
    for (const { words, found } of scenes.filter(
      ({ found }) => found.candidates.length > 1 && found.candidates.length <= 50
    )) {
      const before = rank(words, found, all).matches
      const one = pick(before)
      const votedFor = (value: number) => {
        const candidates = found.candidates.map((other) => (other.id === one.id ? { ...other, verdict: value } : other))
        return rank(words, { ...found, candidates }, all).matches
      }
      const place = (some: typeof before) => some.findIndex(({ id }) => id === one.id)
      const [up, down] = [votedFor(verdict(6, 0)), votedFor(verdict(0, 6))]
      assert.isAbove(up[place(up)]!.score, one.score)
      assert.isAtMost(place(up), place(before))
      assert.isBelow(down[place(down)]?.score ?? 0, one.score)
      assert.isTrue(place(down) === -1 || place(down) >= place(before))
      assert.strictEqual(up[place(up)]!.relevance, one.relevance)
      const others = (some: typeof before) => some.map(({ id }) => id).filter((id) => id !== one.id)
      assert.deepStrictEqual(others(up), others(before))
    }
  })

  it("orders by the strength of what was found: the probability adds nothing to that", () => {
    for (const { features, signs } of [byMeaning, byWords]) {
      assert.isAtLeast((signs.strength ?? 0) + (signs.lead ?? 0), 0)
      assert.isAtLeast(signs.share ?? 0, 0)
      assert.isAbove(features.words ?? 0, 0)
    }
  })

  it("puts a short function that works above a stub that only passes, where complete ones are preferred", () => {
    for (const { words, found } of scenes.filter(({ found }) => found.candidates.length > 1)) {
      const [first, second, ...others] = found.candidates
      // the stub has the better name, and the better words
      const stub = { ...first!, completeness: 0, cosine: Math.min(1, second!.cosine + 0.05) }
      const works = { ...second!, completeness: 0.1, counts: stub.counts, profile: { ...stub.profile, characters: 90 } }
      const { matches } = rank(
        words,
        { ...found, candidates: [stub, works, ...others] },
        { ...all, preferComplete: true }
      )
      const place = (id: string) => matches.findIndex((match) => match.id === id)
      if (place(works.id) === -1 || place(stub.id) === -1) continue
      assert.isBelow(place(works.id), place(stub.id))
    }
  })

  it("reckons the best cosine of each piece of the task as its definition does", () => {
    const { words, found } = scene(5, "remove duplicates from the rows of a csv file")
    const { reading } = words
    for (const { profile } of found.candidates) {
      const near = nearness(reading, profile)
      for (const [place] of reading.pieces.entries()) {
        const best = (pieces: Uint16Array) =>
          Math.max(0, ...Array.from(pieces, (piece) => reading.cosines[reading.of(piece) + place]!))
        assert.strictEqual(near.any[place], best(profile.pieces))
        assert.strictEqual(near.told[place], best(profile.pieces.subarray(0, profile.told)))
      }
      for (const piece of reading.pieces)
        assert.closeTo(reading.cosines[reading.of(piece) + reading.pieces.indexOf(piece)]!, 1, 1e-12)
    }
  })

  it("judges every candidate by itself but for where it stands among the others", () => {
    const { words, found } = scene(20)
    const likely = likeliest(words, found, false)
    const together = judge(words, found, likely, false)
    const alone = judge(words, found, likely.slice(0, 1), false)
    assert.deepStrictEqual(alone[0]!.features, together[0]!.features)
  })
})
