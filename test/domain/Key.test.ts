import { assert, describe, it } from "@effect/vitest"
import { keyFrom, keyHash, keyPattern, keyPrefix } from "#domain/Key.ts"

const bytes = (count: number, at: (index: number) => number) =>
  Uint8Array.from({ length: count }, (_, index) => at(index))

describe("a key's text", () => {
  it("is cairn_live_ and 43 of 62 characters", () => {
    const key = "cairn_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"
    assert.strictEqual(keyFrom(bytes(64, (index) => index)), key)
    assert.match(key, keyPattern)
    assert.strictEqual(keyFrom(bytes(43, (index) => index + 62)), key)
  })

  it("passes over bytes that would make some characters likelier", () => {
    assert.strictEqual(
      keyFrom(bytes(86, (index) => (index % 2 === 0 ? 248 + (index % 8) : 247))),
      `cairn_live_${"z".repeat(43)}`
    )
    const counts = new Map<string, number>()
    for (let byte = 0; byte < 248; byte++) {
      const character = keyFrom(bytes(43, () => byte))!.at(-1)!
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    assert.deepStrictEqual([...counts.values()], Array(62).fill(4))
  })

  it("is none when there is too little randomness", () => {
    assert.isUndefined(keyFrom(bytes(42, () => 0)))
    assert.isUndefined(keyFrom(bytes(200, () => 250)))
  })

  it("is recognised by its form", () => {
    const key = keyFrom(bytes(43, () => 7))!
    assert.match(key, keyPattern)
    for (const text of [
      "",
      `${key}0`,
      key.slice(1),
      ` ${key}`,
      `${key}\n`,
      key.replace("live", "test"),
      `${key.slice(0, -1)}-`
    ]) {
      assert.notMatch(text, keyPattern)
    }
  })
})

describe("what is kept of a key", () => {
  const key = `cairn_live_${"0".repeat(43)}`

  it("is the same hash for good", () =>
    assert.strictEqual(keyHash(key), "3623c02dea203b8ccf567b506fe59176e15d65cf1618944a34c2a3a7ac0fa991"))

  it("shows its first 20 characters", () => assert.strictEqual(keyPrefix(key), "cairn_live_000000000"))
})
