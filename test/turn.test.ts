import { assert, describe, it } from "vitest"
import { turn } from "#ports/turn.ts"

describe("a turn", () => {
  it("is one caller's in each round of the event loop, in the order they came", async () => {
    const log: Array<string> = []
    let rounds = 0
    const round = () => {
      rounds += 1
      if (rounds < 20) setImmediate(round)
    }
    setImmediate(round)
    await Promise.all(
      ["a", "b", "c", "d"].map(async (name) => {
        await turn()
        log.push(`${name} ${rounds}`)
      })
    )
    assert.deepStrictEqual(
      log.map((line) => line[0]),
      ["a", "b", "c", "d"]
    )
    assert.strictEqual(new Set(log.map((line) => line.slice(2))).size, 4, log.join())
  })
})
