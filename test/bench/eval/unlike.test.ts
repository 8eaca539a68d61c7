import { assert, it } from "vitest"
import { unlike } from "#bench/eval/unlike.ts"
import type { Judge } from "#domain/search/Judge.ts"
import { byMeaning, byWords } from "#domain/search/ranker.ts"

const { features, backdrop, signs } = byMeaning
const [feature] = Object.keys(features) as [keyof Judge["features"]]
const [sign] = Object.keys(signs) as [keyof Judge["signs"]]

it("a judge that was fitted anew to the same is like the committed one", () => {
  for (const judge of [byMeaning, byWords]) assert.deepStrictEqual(unlike("it", judge, judge), [])
  const near = { ...byMeaning, backdrop: backdrop + 0.009, signs: { ...signs, [sign]: signs[sign]! - 0.009 } }
  assert.deepStrictEqual(unlike("it", byMeaning, near), [])
})

it("each weight that is another one is told: of a feature, of the backdrop, of a sign", () => {
  for (const [name, other] of [
    [feature, { ...byMeaning, features: { ...features, [feature]: features[feature]! + 0.011 } }],
    ["backdrop", { ...byMeaning, backdrop: backdrop - 0.011 }],
    [`sign ${sign}`, { ...byMeaning, signs: { ...signs, [sign]: signs[sign]! + 0.011 } }],
    ["backdrop", { ...byMeaning, backdrop: Number.NaN }]
  ] as const) {
    const told = unlike("byMeaning", byMeaning, other)
    assert.lengthOf(told, 1)
    assert.match(told[0]!, new RegExp(`^ranker.ts: byMeaning's weight of ${name} is -?\\d`))
    assert.lengthOf(unlike("byMeaning", other, byMeaning), 1)
  }
})

it("so is a weight that only one of them has", () => {
  const { [feature]: its, ...rest } = features
  const without = { ...byMeaning, features: rest }
  assert.deepStrictEqual(unlike("byMeaning", byMeaning, without), [
    `ranker.ts: byMeaning's weight of ${feature} is ${its}, and --fit gives none`
  ])
  assert.deepStrictEqual(unlike("byMeaning", without, byMeaning), [
    `ranker.ts: byMeaning's weight of ${feature} is none, and --fit gives ${its}`
  ])
})
