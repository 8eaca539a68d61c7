import { assert, describe, it } from "vitest"
import { longestDependencies, mostDependencies, withDependencies } from "#domain/dependencies.ts"

const named = (from: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`package-${from + n}`, "1.0"]))
const lengthOf = (given: { readonly [name: string]: string }) => Object.entries(given).flat().join("").length

describe("what a snippet depends on", () => {
  it("is what all of its uploads say, the last one of a package's version", () => {
    const both = withDependencies({ csv: "1", tar: "2" }, { tar: "3", zip: "" })
    assert.deepStrictEqual(both, { csv: "1", tar: "3", zip: "" })
    const proto = JSON.parse('{"__proto__": "1"}')
    assert.deepStrictEqual(Object.entries(withDependencies(proto, { csv: "1" })), [
      ["__proto__", "1"],
      ["csv", "1"]
    ])
  })

  it("does not grow without end, however often it is stored", () => {
    let known = withDependencies({}, named(0, 600))
    for (let upload = 1; upload < 20; upload++) known = withDependencies(known, named(600 * upload, 600))
    assert.strictEqual(Object.keys(known).length, mostDependencies)
    assert.strictEqual(known["package-999"], "1.0")
    // a package that is known is told anew also when there is room for no other
    assert.strictEqual(withDependencies(known, { "package-999": "2.0", other: "1" })["package-999"], "2.0")

    const long = "v".repeat(longestDependencies / 2 - 1)
    let large = withDependencies({}, { a: long })
    for (const name of ["b", "c", "d"])
      large = withDependencies(large, { [name]: long, [`${name}2`]: "1", a: `${long}vv` })
    assert.deepStrictEqual(Object.keys(large), ["a", "b"])
    assert.strictEqual(lengthOf(large), longestDependencies)
    // nor does one that was stored when there was no bound
    assert.isAtMost(lengthOf(withDependencies({}, { huge: "v".repeat(1_000_000), small: "1" })), longestDependencies)
  })
})
