import { assert, describe, it } from "@effect/vitest"
import { atOnce } from "#engine/steps.ts"
import { packedIds, unpackedIds } from "#infra/search/thread/packed.ts"

describe("ids as they are sent to the thread of the snippet index", () => {
  for (const count of [0, 1, 499, 500, 501, 2_345]) {
    it(`are the same ${count} in their order when they are unpacked`, () => {
      const ids = new Set(Array.from({ length: count }, (_, at) => `${at}-"\\,\n\0 ü😀`))
      const sent = atOnce(packedIds(ids))
      assert.deepStrictEqual([...atOnce(unpackedIds(sent))], [...ids])
    })
  }

  it("are packed and unpacked some at a time, in memory that is not copied when it is sent", () => {
    const ids = new Set(Array.from({ length: 100_000 }, (_, at) => `id-${at}`))
    assert.isAtLeast([...packedIds(ids)].length, 200)
    const sent = atOnce(packedIds(ids))
    assert.isAtLeast([...unpackedIds(sent)].length, 200)
    const other = structuredClone(sent)
    assert.strictEqual(other.memory.byteLength, sent.memory.byteLength)
    new Uint8Array(other.memory)[0] = 0
    assert.strictEqual(new Uint8Array(sent.memory)[0], 0)
  })
})
