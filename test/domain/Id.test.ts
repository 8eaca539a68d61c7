import { assert, describe, it } from "@effect/vitest"
import { isId, keyedDigest, keyedDigesting, keyedId } from "#domain/Id.ts"
import { derivedId } from "#engine/derivedId.ts"
import { saltedDigest } from "#engine/saltedDigest.ts"

// Changing any of these values would lose what was stored under the old ones.

describe("a derived id", () => {
  it("is the same for good", () => {
    assert.strictEqual(derivedId("a"), "c07bbc5b-a668-5ce8-b4b4-9e34cc546d31")
    assert.strictEqual(derivedId("a", 1, null), "cc78fe94-59c8-54cb-b1ff-74d0c808d122")
    assert.strictEqual(derivedId(), "e51fcf1e-20b6-5a22-bee1-6b005d015bdd")
    assert.strictEqual(derivedId('é\u0000"\ud800'), "42fd6856-00af-5132-b785-6cad867a9ada")
  })

  it("differs wherever its parts do", () => {
    const parts = [
      ["a", "b"],
      ["ab"],
      ["a", "b", ""],
      ["b", "a"],
      ["a", null],
      ["a", "null"],
      ["a", 1],
      ["a", "1"],
      ["a"],
      []
    ]
    assert.strictEqual(new Set(parts.map((parts) => derivedId(...parts))).size, parts.length)
    assert.strictEqual(new Set(parts.map((parts) => keyedId("secret", ...parts))).size, parts.length)
  })

  it("is a version 5 UUID", () => assert.match(derivedId("a"), /^.{8}-.{4}-5.{3}-[89ab].{3}-.{12}$/))
})

describe("a keyed id", () => {
  it("is the same for good", () => {
    assert.strictEqual(keyedId("secret", "a"), "a33efa95-3d16-8946-aa74-3e153f3fb1aa")
    assert.strictEqual(keyedId("secret", "home", "digest", 0), "fc34df99-adeb-8515-ac9b-c845079a03be")
  })

  it("is another under another secret", () => assert.notStrictEqual(keyedId("secret", "a"), keyedId("other", "a")))

  it("is a version 8 UUID", () => assert.match(keyedId("secret", "a"), /^.{8}-.{4}-8.{3}-[89ab].{3}-.{12}$/))
})

describe("a digest", () => {
  it("is the same for good", () => {
    assert.strictEqual(
      keyedDigest("secret", "text"),
      "2f443685592900e619f2f3b2350c3c8a5738e2e7a26bc9a244d3393c3cd6abd6"
    )
    assert.strictEqual(keyedDigest("secret", new TextEncoder().encode("text")), keyedDigest("secret", "text"))
    const steps = keyedDigesting("secret", ["te", "", "xt"])
    let step = steps.next()
    while (!step.done) step = steps.next()
    assert.strictEqual(step.value, keyedDigest("secret", "text"))
    const [salt, bytes] = [new Uint8Array(16), new TextEncoder().encode("text")]
    assert.strictEqual(saltedDigest(salt, bytes), "642432584840c936c5fa6b376151969b6bb50072f13ca4f35f52a045ea06367d")
  })

  it("is another under another secret or salt", () => {
    const bytes = new TextEncoder().encode("text")
    assert.notStrictEqual(keyedDigest("secret", "text"), keyedDigest("other", "text"))
    assert.notStrictEqual(saltedDigest(new Uint8Array(16), bytes), saltedDigest(new Uint8Array(16).fill(1), bytes))
  })
})

describe("what has the form of an id", () => {
  it("is what this service derives, and the usual random ones", () => {
    for (const id of [derivedId("a"), keyedId("s", "a"), crypto.randomUUID()]) assert.isTrue(isId(id), id)
  })

  it("is nothing else", () => {
    const id = derivedId("a")
    const others = ["", id.toUpperCase(), ` ${id}`, `${id}\n`, `{${id}}`, id.replaceAll("-", ""), `${id}0`]
    for (const text of [...others, "00000000-0000-0000-0000-000000000000"]) assert.isFalse(isId(text), text)
  })
})
