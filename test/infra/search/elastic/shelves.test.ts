import { assert, describe, it } from "@effect/vitest"
import { onShelf, shelvesOf, shelvesSeen } from "#infra/search/elastic/shelves.ts"

const homes = ["t", "t/w", "u", "*", "-t", ""]

describe("shelves", () => {
  it("that a search sees have each snippet that it may see once, and no other", () => {
    for (const home of homes) {
      for (const isPublic of [true, false]) {
        for (const seen of [[], ["t"], ["t", "t/w", "t"], ["u", "*"], ["-t", ""]]) {
          for (const includePublic of [true, false]) {
            const own = shelvesOf({ home, isPublic })
            const found = shelvesSeen(seen, includePublic).filter((shelf) => own.includes(shelf))
            const may = seen.includes(home) || (includePublic && isPublic)
            assert.lengthOf(found, may ? 1 : 0, JSON.stringify({ home, isPublic, seen, includePublic }))
          }
        }
      }
    }
  })

  it("never share what stands for a term", () => {
    const all = new Set(["-t", "-t w", "*", "+t"].flatMap((shelf) => ["w", "x", 1].map((what) => onShelf(shelf, what))))
    assert.strictEqual(all.size, 12)
  })
})
