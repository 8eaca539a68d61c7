import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Ids, Key } from "#infra/search/memory/Ids.ts"
import { Places } from "#infra/search/memory/Places.ts"
import { random } from "#test/random.ts"

/** Ids of any kind: what is nearly a UUID, too. */
const kinds: ReadonlyArray<() => string> = [
  ...Array.from({ length: 6 }, () => () => randomUUID()),
  () => randomUUID().toUpperCase(),
  () => `${randomUUID().slice(0, -1)}g`,
  () => randomUUID().replaceAll("-", "_"),
  () => `${randomUUID()}0`,
  () => `ü${randomUUID().slice(1)}`,
  () => `id-${Math.floor(Math.random() * 1e9)}`
]
const zeros = "00000000-0000-0000-0000-000000000000"

describe("a column of ids", () => {
  it("gives back what it was given, slot by slot, and knows those that are free", () => {
    const next = random(3)
    const ids = new Ids()
    ids.grow(200)
    const model: Array<string> = []
    for (let step = 0; step < 5_000; step++) {
      const slot = Math.min(model.length, Math.floor(next() * 200))
      if (slot === 200) continue
      const id = next() < 0.3 ? "" : next() < 0.01 ? zeros : kinds[Math.floor(next() * kinds.length)]!()
      ids.set(slot, id)
      model[slot] = id
      assert.strictEqual(ids.length, model.length)
      assert.strictEqual(ids.at(slot), id)
      assert.strictEqual(ids.isFree(slot), id === "")
      if (id === "") continue
      const key = new Key().read(id)
      assert.isTrue(ids.has(slot, key))
      assert.strictEqual(ids.hash(slot), key.hash)
      assert.isFalse(ids.has(slot, new Key().read(randomUUID())))
    }
    ids.grow(1_000)
    assert.deepStrictEqual(ids.slice(0, model.length), model)
    assert.deepStrictEqual(ids.slice(17, 20), model.slice(17, 20))
  })

  it("puts them in the order of their texts", () => {
    const some = Array.from({ length: 60 }, (_, at) => (at % 5 === 0 ? kinds.at(-1 - (at % 3))!() : randomUUID()))
    some.push(`${some[1]!.slice(0, -1)}0`, `${some[1]!.slice(0, -1)}f`, "ffffffff-ffff-4fff-bfff-ffffffffffff")
    const ids = new Ids()
    ids.grow(some.length)
    for (const [slot, id] of some.entries()) ids.set(slot, id)
    const others = new Ids()
    others.grow(some.length)
    for (const [slot, id] of some.toReversed().entries()) others.set(slot, id)
    for (const [slot, id] of some.entries()) {
      for (const [at, other] of some.entries()) {
        assert.strictEqual(ids.isBefore(slot, ids, at), id < other)
        assert.strictEqual(ids.isBefore(slot, others, some.length - 1 - at), id < other)
      }
    }
  })

  it("tells apart ids that differ in any digit", () => {
    const id = "0123abcd-4567-4def-89ab-0123456789ab"
    const ids = new Ids()
    ids.grow(1)
    ids.set(0, id)
    for (const [at, digit] of Array.from(id).entries()) {
      if (digit === "-") continue
      const other = `${id.slice(0, at)}${digit === "f" ? "e" : "f"}${id.slice(at + 1)}`
      assert.isFalse(ids.has(0, new Key().read(other)), other)
      assert.notStrictEqual(ids.hash(0), new Key().read(other).hash, other)
    }
  })
})

describe("where ids are", () => {
  it("is known of each, whatever comes, goes and comes again", () => {
    const next = random(5)
    const places = new Places<{ readonly ids: Ids }>()
    const holders = [0, 1, 2].map(() => {
      const ids = new Ids()
      ids.grow(20_000)
      return { ids, freed: [] as Array<number> }
    })
    const model = new Map<string, { readonly holder: (typeof holders)[number]; readonly slot: number }>()
    const known: Array<string> = []
    const check = (id: string) => {
      const [found, place] = [places.get(id), model.get(id)]
      assert.strictEqual(found?.segment, place?.holder)
      assert.strictEqual(found?.slot, place?.slot)
    }
    for (let step = 0; step < 40_000; step++) {
      // more comes than goes, then more goes
      const comes = next() < (step < 20_000 ? 0.8 : 0.25)
      if (comes) {
        const holder = holders[Math.floor(next() * holders.length)]!
        const id = kinds[Math.floor(next() * kinds.length)]!()
        const slot = holder.freed.pop() ?? holder.ids.length
        holder.ids.set(slot, id)
        places.add(holder, slot)
        model.set(id, { holder, slot })
        known.push(id)
      } else if (known.length > 0) {
        const at = Math.floor(next() * known.length)
        const id = known[at]!
        known[at] = known.at(-1)!
        known.pop()
        places.delete(id)
        const { holder, slot } = model.get(id)!
        holder.ids.set(slot, "")
        holder.freed.push(slot)
        model.delete(id)
        check(id)
        places.delete(id)
      }
      if (known.length > 0) check(known[Math.floor(next() * known.length)]!)
      assert.strictEqual(places.size, model.size)
    }
    assert.isAbove(known.length, 1_000)
    for (const id of known) check(id)
    assert.isUndefined(places.get("nobody"))
    assert.isUndefined(places.get(zeros))
  })

  it("is one place", () => {
    const places = new Places<{ readonly ids: Ids }>()
    const [one, other] = [new Ids(), new Ids()]
    for (const id of [randomUUID(), "no uuid"]) {
      for (const ids of [one, other]) {
        ids.grow(1)
        ids.set(0, id)
      }
      places.add({ ids: one }, 0)
      assert.throws(() => places.add({ ids: other }, 0), /twice/)
      assert.strictEqual(places.get(id)?.segment.ids, one)
      places.delete(id)
      assert.strictEqual(places.size, 0)
    }
  })

  it("gives the number of a holder that is forgotten to the next", () => {
    const places = new Places<{ readonly ids: Ids }>()
    for (let round = 0; round < 100; round++) {
      const ids = new Ids()
      ids.grow(1)
      const [id, holder] = [randomUUID(), { ids }]
      ids.set(0, id)
      places.add(holder, 0)
      assert.strictEqual(places.get(id)?.segment, holder)
      places.delete(id)
      ids.set(0, "")
      places.forget(holder)
      assert.deepStrictEqual([places.size, places.numbers], [0, 1])
    }
  })
})
