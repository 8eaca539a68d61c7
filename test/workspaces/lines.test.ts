import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { positionOf } from "#engine/Position.ts"
import { waitingFor } from "#src/workspaces/carry.ts"
import { Lines } from "#src/workspaces/lines.ts"

const one = (position: number, workspace = "w") =>
  Effect.runSync(waitingFor({ run: `${workspace} ${position}`, workspace, position: positionOf(position) }))
const places = (line: ReadonlyArray<{ readonly position: unknown }>) => line.map(({ position }) => Number(position))

describe("a workspace's line", () => {
  it.prop(
    "has its runs in the order in which they were asked for, whoever is heard of first",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 99 })))],
    ([given]) => {
      const asked = [5, ...new Set(given.filter((position) => position !== 5))]
      const lines = new Lines()
      const [first, ...others] = asked.map((position) => lines.join(one(position)))
      assert.isTrue(first!.isNew && others.every(({ isNew }) => !isNew))
      assert.deepStrictEqual(
        places(first!.line),
        asked.toSorted((a, b) => a - b)
      )
    }
  )

  it("has nothing before the one at work, which may be a later one", () => {
    const lines = new Lines()
    const [five, three, four] = [one(5), one(3), one(4)]
    const { line } = lines.join(five)
    lines.begin(five)
    lines.join(four)
    lines.join(three)
    assert.deepStrictEqual(places(line), [5, 3, 4])
    assert.deepStrictEqual(lines.counts, { running: 1, waiting: 2 })
    assert.isTrue(lines.isAtWork(five) && lines.works("w") && !lines.works("v"))
    lines.end(five)
    lines.leave(five)
    assert.deepStrictEqual(places(line), [3, 4])
  })

  it("ends with the last one in it, and begins anew", () => {
    const lines = new Lines()
    const first = one(1)
    const { line } = lines.join(first)
    lines.leave(first)
    assert.isUndefined(lines.find(first.run))
    const again = lines.join(one(2))
    assert.isTrue(again.isNew)
    assert.notStrictEqual(again.line, line)
    assert.isFalse(lines.join(one(3)).isNew)
    assert.isTrue(lines.join(one(4, "v")).isNew)
  })

  it("drops those from before a position, and leaves the one at work to whoever carries it", () => {
    const lines = new Lines()
    const [two, three, nine] = [one(2), one(3), one(9)]
    const { line } = lines.join(two)
    lines.begin(two)
    lines.join(three)
    lines.join(nine)
    const { all, waiting } = lines.drop("w", positionOf(9))
    assert.deepStrictEqual([places(all), places(waiting), places(line)], [[2, 3], [3], [2, 9]])
    assert.isUndefined(lines.find(three.run))
    assert.strictEqual(lines.find(two.run), two)
    assert.deepStrictEqual(lines.drop("v", positionOf(9)), { all: [], waiting: [] })
  })
})
