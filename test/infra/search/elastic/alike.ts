import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer as memory } from "#infra/search/memory/layer.ts"
import type { Embeddings } from "#ports/Embeddings.ts"
import type { IndexedSnippet, SnippetIndex } from "#ports/SnippetIndex.ts"
import { embeddings } from "#test/embeddings.ts"
import { searching } from "#test/searching.ts"
import { query, snippet, voteFor } from "../../indexed.ts"

const words =
  "median csv rows image photo email parse delete remove sort list date convert file graph merge polygon queue zebra yomikomi".split(
    " "
  )
const homes = ["t", "t/w", "u"]

/** Numbers in 0…1 that are the same in every run. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

const inventing = (next: () => number) => {
  const one = <A>(some: ReadonlyArray<A>): A => some[Math.floor(next() * some.length)]!
  const some = (most: number) => Array.from({ length: Math.floor(next() * (most + 1)) }, () => one(words))
  const snippetOf = (): IndexedSnippet => {
    const text = {
      name: some(3).join("_"),
      description: some(8).join(" "),
      exampleQueries: [some(5).join(" ")],
      source: some(30).join(" ")
    }
    const up = Math.floor(next() * 4)
    return snippet("s", `${Math.floor(next() * 60)}`, text, {
      home: one(homes),
      isPublic: next() < 0.3,
      agent: next() < 0.3 ? one(["one", "two"]) : null,
      kind: one(["file", "repo"]),
      language: one(["python", "go"]),
      completeness: next(),
      up,
      down: Math.floor(next() * 5),
      humanUp: Math.floor(next() * (up + 1))
    })
  }
  const queryOf = () => {
    const long = next() < 0.2 ? `${some(12).join(" ")}. `.repeat(6) : ""
    const misspelt = next() < 0.3 ? ` ${one(["recieve", "medain", "pasre", "polygn", "zebar", "qeueue"])}` : ""
    return query(`${long}${some(5).join(" ")}${misspelt}`, next() < 0.5 ? ["t"] : ["t", "t/w"], {
      includePublic: next() < 0.5,
      agent: next() < 0.3 ? "one" : null,
      preferComplete: next() < 0.5,
      minVerdict: next() < 0.5 ? 0.3 : 0,
      limit: 1 + Math.floor(next() * 20),
      votes: Array.from({ length: Math.floor(next() * 8) }, () =>
        voteFor(`s-${Math.floor(next() * 60)}`, some(5).join(" "), { value: next() < 0.7 ? 1 : -1, bloc: one(homes) })
      ),
      ...(next() < 0.2 ? { language: "go" } : {}),
      ...(next() < 0.2 ? { kinds: ["repo" as const] } : {}),
      ...(next() < 0.2 ? { minHumanUp: 1 } : {})
    })
  }
  return { one, snippetOf, queryOf }
}

/** Another index finds what the one in memory finds, scores it the same, and counts as much, after any changes. */
export const alikeContract = (layer: Layer.Layer<SnippetIndex | Embeddings, unknown>) =>
  it.effect("finds what the index in memory finds, in its order and with its scores, after any changes", () =>
    Effect.gen(function* () {
      const ours = yield* Effect.provide(searching, Layer.provideMerge(memory, embeddings))
      const theirs = yield* searching
      const next = random(11)
      const { snippetOf, queryOf } = inventing(next)
      const ids = Array.from({ length: 60 }, (_, n) => `s-${n}`)
      let found = 0
      for (let round = 0; round < 6; round++) {
        const put = Array.from({ length: 25 }, snippetOf)
        const voted = ids
          .filter(() => next() < 0.1)
          .map((id) => ({ id, up: 3, down: Math.floor(next() * 6), humanUp: 2 }))
        const gone = ids.filter(() => next() < 0.1)
        for (const { put: take, votes, remove } of [ours, theirs]) {
          yield* take(put)
          yield* votes(voted)
          yield* remove(gone)
        }
        for (let asked = 0; asked < 12; asked++) {
          const question = queryOf()
          const [mine, other] = [yield* ours.search(question), yield* theirs.search(question)]
          const what = JSON.stringify(question)
          assert.strictEqual(other.total, mine.total, what)
          assert.deepStrictEqual(
            other.matches.map(({ id }) => id),
            mine.matches.map(({ id }) => id),
            what
          )
          for (const [at, { score, vector, verdict }] of mine.matches.entries()) {
            // the one in memory has vectors in 16 bits
            assert.closeTo(other.matches[at]!.score, score, 1e-4, what)
            assert.closeTo(other.matches[at]!.vector, vector, 3e-5, what)
            assert.strictEqual(other.matches[at]!.verdict, verdict)
          }
          found += mine.matches.length
        }
      }
      assert.isAbove(found, 200)
    }).pipe(Effect.provide(layer))
  )
