import { assert, describe, it } from "@effect/vitest"
import { doubting, isSame, mend } from "#domain/search/mending.ts"
import { asked, type Mended, nothingMended, plan } from "#domain/search/query.ts"
import { spellings } from "#domain/search/spellings.ts"
import { tokenize } from "#domain/search/tokenize.ts"
import { atOnce } from "#engine/steps.ts"
import { encoder } from "#test/embeddings.ts"

const termOf = (word: string): string => tokenize(word)[0]!

/** The doubtful words of a task, among snippets that have some words. */
const doubtful = (task: string, ...words: ReadonlyArray<string>) => {
  const has = new Set(words.flatMap(tokenize))
  const terms = asked(task, encoder)
  const frequencies = terms.terms.map((term) => (has.has(term) ? 1 : 0))
  return atOnce(doubting(task, terms, frequencies, encoder))
}

/** What they are taken for, among snippets of which so many have each word. */
const mended = (task: string, counts: { readonly [word: string]: number }): Mended =>
  mend(
    doubtful(task, ...Object.keys(counts)),
    new Map(Object.entries(counts).map(([word, count]) => [termOf(word), count])),
    encoder
  )

describe("a word that no snippet has", () => {
  it("is taken for one within a letter that some have, whatever its ending", () => {
    const has = { receive: 2, dictionary: 1, sorting: 1, zebra: 5 }
    assert.deepStrictEqual(
      mended("Recieve dictonaries, and sortign them", has),
      new Map([
        ["recieve", ["receive"]],
        ["dictonaries", ["dictionaries"]],
        ["sortign", ["sorting"]]
      ])
    )
  })

  it("is taken for nothing where some have it, where it is a word, short, or data, or where none is near", () => {
    assert.deepStrictEqual(mended("recieve", { receive: 1, recieve: 1 }), nothingMended)
    // the table knows it: a right word that no snippet has
    assert.deepStrictEqual(mended("price", { prime: 1 }), nothingMended)
    assert.deepStrictEqual(mended("csvv", { csv: 1 }), nothingMended)
    assert.deepStrictEqual(mended("sha257", { sha256: 1 }), nothingMended)
    assert.deepStrictEqual(mended("readCsvFlie", { file: 1 }), nothingMended)
    assert.deepStrictEqual(mended("recieve", { median: 1 }), nothingMended)
    assert.deepStrictEqual(mended("the fro of", { for: 1 }), nothingMended)
  })

  it("is taken for at most three: those that are words, then those that begin alike, then those that most have", () => {
    const has = { conzerts: 9, converts: 1, concerts: 2, bonterts: 30 }
    assert.deepStrictEqual(mended("conterts", has).get("conterts"), ["concerts", "converts", "conzerts"])
    assert.deepStrictEqual(mended("vowles", { vowels: 1, vowes: 7 }).get("vowles"), ["vowels", "vow"])
    const many = { abcdex: 1, abcdew: 4, abcdez: 3, abcdev: 2 }
    assert.deepStrictEqual(mended("abcdeq", many).get("abcdeq"), ["abcdew", "abcdez", "abcdev"])
  })

  it("is found with its accents folded, in any script, and as a word of another ending", () => {
    assert.deepStrictEqual([...mended("Grösze", { Größe: 1 }).keys()], ["grosze"])
    assert.deepStrictEqual(mended("сортровка", { сортировка: 1 }).get("сортровка"), ["сортировка"])
    assert.deepStrictEqual(mended("Primzahlen", { Primzahl: 1 }).get("primzahlen"), ["primzahl"])
  })
})

describe("what mending costs is bounded", () => {
  const words = Array.from(
    { length: 3_000 },
    (_, n) => `${"abcdefghij"[n % 10]}qxz${"klmnopqrst"[Math.floor(n / 10) % 10]}zzvq`
  )

  it("to eight words, and four thousand spellings of all of them", () => {
    const some = doubtful(words.join(" "))
    assert.isAtMost(some.length, 8)
    const tried = (all: typeof some) =>
      all.flatMap(({ spellings }) => [...spellings.values()]).reduce((sum, { length }) => sum + length, 0)
    assert.isAtMost(tried(some), 4_000)
    const long = Array.from({ length: 20 }, (_, n) => `${"qxzv".repeat(7)}${"abcdefghijklmnopqrst"[n]}`)
    assert.isBelow(doubtful(long.join(" ")).length, 8)
    assert.isAtMost(tried(doubtful(long.join(" "))), 4_000)
  })

  it("and to the part of a task that is searched, with a step for each word", () => {
    assert.deepStrictEqual(doubtful(`${"median ".repeat(10_000)} recieve ${"median ".repeat(10_000)}`, "median"), [])
    const task = words.slice(0, 8).join(" ")
    const steps = doubting(
      task,
      asked(task, encoder),
      asked(task, encoder).terms.map(() => 0),
      encoder
    )
    let count = 0
    while (!steps.next().done) count++
    assert.strictEqual(count, doubtful(task).length)
  })
})

describe("spellings that no snippet may have", () => {
  const ofTask = (task: string, has: ReadonlySet<string>, mayHave?: (term: string) => boolean) => {
    const terms = asked(task, encoder)
    const doubts = atOnce(
      doubting(
        task,
        terms,
        terms.terms.map(() => 0),
        encoder,
        mayHave
      )
    )
    const known = new Map(Array.from(has, (term, at) => [term, at + 1]))
    return { doubts, mended: mend(doubts, known, encoder) }
  }

  it("are left out, and a task is mended as it is without", () => {
    const has = new Set(["receive", "dictionary", "sorting", "zebra", "concerts", "converts", "conzerts"].map(termOf))
    const nobodys = Array.from({ length: 8 }, (_, n) => `qzv${"abcdefgh"[n]}xq`).join(" ")
    for (const task of ["Recieve dictonaries, and sortign them", "conterts", `${nobodys} recieve`, "zerba"]) {
      const all = ofTask(task, has)
      // others than these may be let through
      const some = ofTask(task, has, (term) => has.has(term) || term.startsWith("s"))
      assert.deepStrictEqual(some.mended, all.mended, task)
      for (const { spellings } of some.doubts)
        for (const term of spellings.keys()) assert.isTrue(has.has(term) || term.startsWith("s"), term)
    }
    // the ninth doubtful word is none that is looked at, whatever became of the eight
    for (const mayHave of [undefined, (term: string) => has.has(term)])
      assert.strictEqual(ofTask(`${nobodys} recieve`, has, mayHave).mended.size, 0)
    assert.strictEqual(ofTask("recieve", has).mended.size, 1)
  })
})

describe("a mended task", () => {
  const taken: Mended = new Map([["recieve", ["receive", "relieve"]]])
  const words = asked("recieve Recieve's mail", encoder, taken)
  const at = (term: string) => words.terms.indexOf(term)

  it("is searched by what was asked and, as by synonyms, by what that was taken for", () => {
    assert.deepStrictEqual(words.texts[0]![0], [at("reciev"), at("receiv"), at("reliev")])
    assert.include(words.texts[0]![1]!, at("email"))
    // a word itself weighs more than what it was taken for
    const frequencies = words.terms.map(() => 1)
    const [first] = plan(words, 10, frequencies).texts[0]!
    assert.isAbove(first![0]!.weight, first![1]!.weight)
    assert.strictEqual(words.mended, taken)
  })

  it("means what it would if it were spelt right", () => {
    const right = asked("receive receive's mail", encoder)
    assert.deepStrictEqual(words.meanings, right.meanings)
    assert.deepStrictEqual(words.reading.pieces, right.reading.pieces)
    assert.notDeepEqual(asked("recieve Recieve's mail", encoder).meanings, right.meanings)
  })

  it("keeps the words of others: those that hold it, and those in other scripts", () => {
    const map: Mended = new Map([["grosze", ["grosse"]]])
    assert.deepStrictEqual(
      asked("Grösze groszen 大", encoder, map).meanings,
      asked("grosse groszen 大", encoder).meanings
    )
  })
})

it("a word is found by its spellings that are none themselves", () => {
  for (const [at, spelling] of [...spellings("tetrahedron")].entries()) {
    if (at % 20 > 0 || encoder.isWord(spelling) || termOf(spelling) === "tetrahedron") continue
    assert.include(mended(spelling, { tetrahedron: 1 }).get(spelling) ?? [], "tetrahedron", spelling)
  }
})

it("what is mended is the same where the same words are taken for the same", () => {
  const one: Mended = new Map([["recieve", ["receive", "relieve"]]])
  assert.isTrue(isSame(one, new Map(one)))
  assert.isTrue(isSame(nothingMended, new Map()))
  for (const other of [
    nothingMended,
    new Map([...one, ["womabt", ["wombat"]]]),
    new Map([["womabt", ["receive", "relieve"]]]),
    new Map([["recieve", ["receive"]]]),
    new Map([["recieve", ["relieve", "receive"]]])
  ])
    assert.isFalse(isSame(one, other))
})
