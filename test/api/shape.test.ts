import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Dependencies, optional } from "#src/api/fields.ts"
import { misfits, shapeOf } from "#src/api/shape.ts"

const File = Schema.Struct({ path: Schema.String, content: Schema.String }).annotate({ identifier: "File" })
const shape = shapeOf(
  Schema.Struct({
    task: Schema.String,
    top_k: optional(Schema.Int),
    files: optional(Schema.Array(File).check(Schema.isMaxLength(3))),
    dependencies: optional(Dependencies),
    anything: optional(Schema.Record(Schema.String, Schema.Unknown)),
    link: optional(Schema.String)
  })
)
const none = new Set<string>()
const errorsOf = (value: unknown) =>
  misfits(shape, value, none).errors.map(({ field, message }) => `${field} ${message}`)

describe("what a body may have", () => {
  it("is what the schema has, with nothing or null for what is optional", () => {
    for (const value of [{ task: "t" }, { task: 1, top_k: null, nothing: null }, null, [], 1, { files: "x" }]) {
      assert.deepStrictEqual(errorsOf(value), [])
    }
    assert.deepStrictEqual(errorsOf({ anything: { a: { b: 1 } }, dependencies: { zod: "4" } }), [])
    assert.deepStrictEqual(errorsOf({ files: [{ path: "a", content: "b" }], dependencies: ["zod"] }), [])
  })

  it("has no other field, at any depth, and says which one may have been meant", () => {
    assert.deepStrictEqual(errorsOf({ topk: 1, files: [{ path: "a" }, { pth: "a", stream: true }] }), [
      "topk is no field of this; did you mean top_k?",
      "files.1.pth is no field of this; did you mean path?",
      "files.1.stream is no field of this; expected path, content"
    ])
    assert.match(errorsOf(JSON.parse('{"__proto__":1}'))[0]!, /^__proto__ is no field/)
    assert.match(errorsOf({ constructor: 1 })[0]!, /^constructor is no field/)
  })

  it("has no array or object of more parts than may be, of which nothing but their number is looked at", () => {
    let looked = 0
    const part = {
      get path() {
        looked += 1
        return ""
      }
    }
    const found = misfits(shape, { files: Array.from({ length: 4 }, () => part), more: 1 }, none)
    assert.deepStrictEqual(
      [found.tooMany, found.errors, looked],
      [true, [{ field: "files", message: "has 4 entries; expected at most 3" }], 0]
    )
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`p${n}`, "1"]))
    assert.deepStrictEqual(errorsOf({ dependencies: many }), ["dependencies has 1,001 names; expected at most 1,000"])
    assert.deepStrictEqual(errorsOf({ dependencies: Object.keys(many) }), [
      "dependencies has 1,001 entries; expected at most 1,000"
    ])
    assert.deepStrictEqual(errorsOf({ anything: { a: many } }), [])
  })

  it("may have what the route lets pass, which is told", () => {
    const passes = new Set(["link", "old", "files.*.mode"])
    const { errors, ignored } = misfits(
      shape,
      { link: "x", old: 1, files: [{ mode: 1 }, { mode: null }], mode: 2 },
      passes
    )
    assert.deepStrictEqual(ignored, ["link", "old", "files.0.mode"])
    assert.deepStrictEqual(
      errors.map(({ field }) => field),
      ["mode"]
    )
  })

  it("is told for twenty places at most, in few characters", () => {
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`${n}${"é".repeat(10_000)}`, 1]))
    const { errors } = misfits(shape, body, none)
    assert.strictEqual(errors.length, 20)
    assert.isBelow(JSON.stringify(errors).length, 8_000)
  })
})
