import { assert, describe, it } from "@effect/vitest"
import { atOnce } from "#engine/steps.ts"
import { Index } from "#infra/search/memory/Index.ts"
import { Names } from "#infra/search/memory/Names.ts"
import { comparing } from "#infra/search/memory/Nearness.ts"
import { framesOf, Restoring } from "#infra/search/memory/snapshot/image.ts"
import { encoder } from "#test/embeddings.ts"
import { median, snippet } from "../indexed.ts"

const { dimensions } = encoder
const spoken = (id: string, language: string) => snippet("home", id, median, { language })

/** The same index, as a snapshot keeps it. */
const restored = (index: Index): Index => {
  const head = { of: "", dimensions, build: 1, position: 2, event: "", refused: [], documents: index.size }
  const [, ...frames] = Array.from(framesOf(head, index), ({ kind, parts }) => ({
    kind,
    parts: parts.map((part) => Uint8Array.from(part))
  }))
  const restoring = new Restoring(head, comparing)
  for (const frame of frames) atOnce(restoring.taking(frame))
  return restoring.index
}

describe("names that nobody uses any more", () => {
  it("are forgotten, and their numbers are reused", () => {
    const names = new Names()
    const number = names.put("klingon")
    assert.strictEqual(names.put("klingon"), number)
    names.drop(number)
    assert.deepStrictEqual([names.number("klingon"), names.name(number)], [number, "klingon"])
    names.drop(number)
    assert.deepStrictEqual([names.number("klingon"), names.name(number)], [undefined, ""])
    assert.strictEqual(names.put("vulcan"), number)
  })

  it("leave the empty name, which is never forgotten", () => {
    const names = new Names()
    const number = names.put("")
    names.drop(number)
    names.drop(number)
    assert.strictEqual(names.number(""), number)
    assert.notStrictEqual(names.put("vulcan"), number)
  })

  it.each(["removed", "put again otherwise"])("are of snippets that were %s", (how) => {
    const index = new Index(dimensions, comparing)
    index.put(spoken("kept", "python"))
    const { names } = index.segment("home", false)
    const kept = names.number("python")
    let most = 0
    for (let at = 0; at < 100; at++) {
      index.put(spoken("same", `language ${at}`))
      most = Math.max(most, names.number(`language ${at}`)!)
      if (how === "removed") index.remove("home-same")
    }
    assert.isAtMost(most, 5)
    index.remove("home-same")
    for (let at = 0; at < 100; at++) assert.isUndefined(names.number(`language ${at}`))
    assert.strictEqual(names.number("python"), kept)
  })

  it("are of none that a snapshot brought back, and go when these go", () => {
    const before = new Index(dimensions, comparing)
    for (const [id, language] of Object.entries({ one: "python", two: "klingon", three: "klingon", four: "vulcan" }))
      before.put(spoken(id, language))
    before.remove("home-four")
    const index = restored(before)
    const { names } = index.segment("home", false)
    assert.isUndefined(names.number("vulcan"))
    index.remove("home-two")
    assert.isDefined(names.number("klingon"))
    index.remove("home-three")
    assert.isUndefined(names.number("klingon"))
    index.remove("home-one")
    assert.isUndefined(names.number("python"))
    assert.isUndefined(names.number("file"))
  })
})
