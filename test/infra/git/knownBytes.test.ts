import fs from "node:fs"
import { afterAll, assert, describe, it } from "vitest"
import { knownBytes, noteBytes } from "#infra/git/knownBytes.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))
const file = `${directory}/cairn-bytes`
const [tree, next] = ["a".repeat(40), "b".repeat(40)]

describe("the noted bytes of a tree", () => {
  it("are never those of a torn line, wherever it was torn, also when a later note has closed it", () => {
    noteBytes(directory, tree, 123_456)
    const whole = fs.readFileSync(file, "utf8")
    assert.strictEqual(knownBytes(directory, tree), 123_456)
    for (let kept = 0; kept < whole.trimEnd().length; kept++) {
      fs.writeFileSync(file, whole.slice(0, kept))
      noteBytes(directory, next, 1)
      assert.isUndefined(knownBytes(directory, tree), `of ${kept} characters`)
      assert.strictEqual(knownBytes(directory, next), 1)
    }
    // an earlier whole one still counts
    fs.writeFileSync(file, whole + whole.slice(0, -10))
    noteBytes(directory, next, 1)
    assert.strictEqual(knownBytes(directory, tree), 123_456)
  })

  it("are not known of what an earlier version has noted, until they are noted anew", () => {
    fs.writeFileSync(file, `\n${tree} 123456\n\n${next} 12\n`)
    assert.deepStrictEqual([knownBytes(directory, tree), knownBytes(directory, next)], [undefined, undefined])
    noteBytes(directory, tree, 123_456)
    assert.deepStrictEqual([knownBytes(directory, tree), knownBytes(directory, next)], [123_456, undefined])
  })
})
