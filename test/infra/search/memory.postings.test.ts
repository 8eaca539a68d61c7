import { assert, it } from "@effect/vitest"
import { Lists } from "#infra/search/memory/Lists.ts"
import { Postings } from "#infra/search/memory/Postings.ts"
import { Sieve } from "#infra/search/memory/Sieve.ts"

it("a document that a term's list does not have is looked for no further than its beginning", () => {
  const postings = new Postings(new Lists(), new Sieve())
  const number = postings.add("sort", 3, 7)
  assert.strictEqual(postings.packedOf(number, 2), 0)
  postings.remove(number, 2)
  assert.deepStrictEqual([postings.df("sort"), postings.packedOf(number, 3)], [1, 7])
  postings.remove(number, 3)
  postings.remove(number, 3)
  assert.strictEqual(postings.df("sort"), 0)
})
