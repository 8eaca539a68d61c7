import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isMendable, longest, spellings } from "#domain/search/spellings.ts"

/** Whether two words differ in one letter: too much, missing, another one, or two neighbours changed places. */
const differInOne = (one: string, other: string): boolean => {
  if (one.length > other.length) return differInOne(other, one)
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  if (other.length === one.length + 1) return one.slice(at) === other.slice(at + 1)
  if (other.length !== one.length || at === one.length) return false
  if (one.slice(at + 1) === other.slice(at + 1)) return true
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2)
}

const letters = Array.from("abcdefghijklmnopqrstuvwxyz")
const word = Schema.Array(Schema.Literals(["a", "b", "e", "z"])).check(Schema.isMinLength(5), Schema.isMaxLength(9))

describe("spellings of a word", () => {
  it.prop("are all words that differ from it in one letter, each once, and no others", [word], ([some]) => {
    const text = some.join("")
    const found = [...spellings(text)]
    assert.strictEqual(new Set(found).size, found.length)
    for (const spelling of found) assert.isTrue(differInOne(text, spelling), `${text} ${spelling}`)
    const all = new Set(found)
    for (let at = 0; at <= text.length; at++) {
      const [before, behind] = [text.slice(0, at), text.slice(at)]
      const others = letters.flatMap((letter) => [before + letter + behind, before + letter + behind.slice(1)])
      const swapped = before + behind.slice(1, 2) + behind.slice(0, 1) + behind.slice(2)
      for (const other of [...others, before + behind.slice(1), swapped])
        if (other !== text && at < text.length) assert.isTrue(all.has(other), `${text} ${other}`)
    }
  })

  it("are those of its own script", () => {
    assert.include([...spellings("сортровка")], "сортировка")
    assert.include([...spellings("ταξινμηση")], "ταξινομηση")
    for (const spelling of spellings("сортровка")) assert.notMatch(spelling, /[a-z]/)
  })

  it("of four letters are those with two neighbours changed; of fewer, of data and of mixed words there are none", () => {
    assert.deepStrictEqual([...spellings("lsit")], ["slit", "list", "lsti"])
    for (const none of [
      "",
      "a",
      "abc",
      "sha256",
      "日本語日本語",
      "read_csv",
      "aбвгде",
      "a".repeat(longest + 1),
      "naïve"
    ]) {
      assert.deepStrictEqual([...spellings(none)], [], none)
      assert.isFalse(isMendable(none), none)
    }
  })

  it("of the longest word are some thousands", () => {
    assert.isBelow([...spellings("ab".repeat(longest / 2))].length, 2_000)
  })
})
