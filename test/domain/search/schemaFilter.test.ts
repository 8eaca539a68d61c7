import { assert, describe, it } from "@effect/vitest"
import { schemaFilter } from "#domain/search/schemaFilter.ts"

const of = (properties: object, required?: ReadonlyArray<string>) => ({ type: "object", properties, required })
const accepts = (asked: object, schema: object) => schemaFilter(asked as never)?.accepts(schema)
const one = (asked: unknown, has: unknown) => accepts(of({ x: asked }), of({ x: has }))

describe("the filter by input schema", () => {
  it.each([
    [{ type: "string" }, { type: "string" }, true],
    [{ type: "string" }, { type: "integer" }, false],
    [{ type: "integer" }, { type: "number" }, true],
    [{ type: "number" }, { type: "integer" }, false],
    [{}, { type: "integer" }, true],
    [{ type: "string" }, {}, true],
    [{ type: "string" }, true, true],
    [{ type: ["string", "null"] }, { type: "string" }, true],
    [{ type: ["string", "null"] }, { type: "boolean" }, false],
    [{ type: "string" }, { anyOf: [{ type: "integer" }, { type: "string" }] }, true],
    [{ type: "boolean" }, { anyOf: [{ type: "integer" }, { type: "string" }] }, false],
    [{ type: "string" }, { oneOf: [{ type: "string" }, { type: "null" }] }, true],
    [{ type: "boolean" }, { anyOf: [{ type: "string" }, { type: "null" }] }, false],
    [{ type: "string" }, { enum: ["a", "b"] }, true],
    [{ type: "integer" }, { enum: ["a", "b"] }, false],
    [{ const: 3 }, { type: "number" }, true],
    [{ type: "array", items: { type: "integer" } }, { type: "array", items: { type: "number" } }, true],
    [{ type: "array", items: { type: "string" } }, { type: "array", items: { type: "number" } }, false],
    [{ type: "array", items: { type: "string" } }, { type: "array" }, true],
    [{ type: "array" }, { type: "object" }, false],
    [of({ a: { type: "string" } }), of({ a: { type: "string" }, b: { type: "number" } }), true],
    [of({ a: { type: "string" } }), of({ b: { type: "number" } }), false],
    [of({ a: { type: "string" } }), { type: "object" }, true],
    [of({ a: of({ deep: { type: "string" } }) }), of({ a: of({ deep: { type: "boolean" } }) }), false],
    [of({ a: { type: "string" }, b: {} }, ["a"]), of({ a: { type: "string" } }), true]
  ])("asked for %j of a snippet that takes %j: %s", (asked, has, expected) => {
    assert.strictEqual(one(asked, has), expected)
  })

  it("asks for what is required, and for everything when nothing is", () => {
    const both = { a: { type: "string" }, b: { type: "string" } }
    assert.isTrue(accepts(of(both, ["a"]), of({ a: { type: "string" } })))
    assert.isFalse(accepts(of(both), of({ a: { type: "string" } })))
    assert.isTrue(accepts(of(both), of({ ...both, c: {} }, ["c"])))
    // a name that is required and nowhere described must be there, of any type
    assert.isTrue(accepts({ required: ["a"] }, of({ a: { type: "string" } })))
    assert.isFalse(accepts({ required: ["z"] }, of({ a: { type: "string" } })))
  })

  it("fails a snippet that describes nothing", () => {
    for (const schema of [{}, { type: "object" }, { properties: "?" }, { properties: null }]) {
      assert.isFalse(accepts(of({ a: {} }), schema))
    }
  })

  it("is none when it asks for nothing, whatever it is", () => {
    for (const schema of [
      {},
      { type: "object" },
      of({}),
      of({}, []),
      { properties: [], required: "no" },
      { anyOf: [] }
    ]) {
      assert.isUndefined(schemaFilter(schema as never), JSON.stringify(schema))
    }
  })

  it("names each property once, also those that every object has by itself", () => {
    assert.deepStrictEqual(schemaFilter(of({ a: {} }, ["a", "a", "b"]) as never)?.names, ["a", "b"])
    assert.isFalse(accepts({ required: ["constructor"] }, of({ a: {} })))
    assert.isTrue(accepts({ required: ["__proto__"] }, of(JSON.parse('{"__proto__": {}}'))))
  })
})
