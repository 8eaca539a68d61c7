import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "#src/api/Api.ts"
import { examples } from "#src/api/document.ts"
import { statusOf } from "#src/api/Problem.ts"

interface Endpoint {
  readonly identifier: string
  readonly method: string
  readonly path: string
  readonly payload: ReadonlyMap<string, { readonly schemas: ReadonlyArray<Schema.Top> }>
  readonly success: ReadonlySet<Schema.Top>
}

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked as the JSON that it is
const spec = OpenApi.fromApi(Api) as any

const operations = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints as unknown as Record<string, Endpoint>).map((endpoint) => {
    const id = `${group.identifier}.${endpoint.identifier}`
    const described = spec.paths[endpoint.path.replaceAll(/:(\w+)/g, "{$1}")][endpoint.method.toLowerCase()]
    return [id, { endpoint, described, example: examples.get(id) }] as const
  })
)

/** Decodes strictly: a field that the schema does not have is a mistake in the example. */
const fits = (schemas: Iterable<Schema.Top>, value: unknown, id: string) => {
  const failures: Array<string> = []
  for (const schema of schemas) {
    try {
      Schema.decodeUnknownSync(Schema.toCodecJson(schema) as unknown as Schema.Codec<unknown, unknown>, {
        onExcessProperty: "error"
      })(value)
      return
    } catch (error) {
      failures.push(String(error))
    }
  }
  assert.fail(`${id}: ${failures.join("; ")}`)
}

describe("the OpenAPI document", () => {
  it.each(operations)("%s has a summary, examples that fit, and all errors", (id, { endpoint, described, example }) => {
    assert.isAbove(described.summary?.length ?? 0, 10, "no summary")
    const { "200": ok, ...others } = described.responses
    if (described.requestBody !== undefined) {
      assert.isDefined(example?.request, "no example of a request")
      for (const media of Object.values<{ examples: unknown }>(described.requestBody.content)) {
        assert.deepStrictEqual(media.examples, { example: { value: example!.request } })
      }
      // bytes as they are
      if (described.requestBody.content["application/octet-stream"] !== undefined)
        assert.isString(example!.request, `${id} request`)
      else
        fits(
          [...endpoint.payload.values()].flatMap(({ schemas }) => schemas),
          example!.request,
          `${id} request`
        )
    }
    if (ok?.content?.["application/json"] !== undefined) {
      assert.isDefined(example?.response, "no example of an answer")
      fits(endpoint.success, example!.response, `${id} response`)
    }
    const secured = (described.security ?? []).length > 0
    const expected = ["400", "404", "405", "413", "415", "431", "500", "503", ...(secured ? ["401", "403", "429"] : [])]
    assert.includeMembers(Object.keys(others), expected)
    for (const status of expected) {
      const codes = Object.entries(statusOf).flatMap(([code, of]) => (String(of) === status ? [code] : []))
      for (const code of codes) assert.include(others[status].description, code)
      // the one error body
      const { $ref } = others[status].content["application/json"].schema
      const schema = spec.components.schemas[$ref.split("/").at(-1)]
      assert.sameMembers(schema.required, ["detail", "message", "code", "error", "field", "errors", "request_id"])
    }
  })

  it("says of each request what it may be, and nothing against it", () => {
    for (const [id, { described }] of operations) {
      for (const [type, { schema }] of Object.entries<{ schema: Record<string, unknown> }>(
        described.requestBody?.content ?? {}
      )) {
        if (type === "application/octet-stream") {
          assert.deepStrictEqual(schema, { type: "string", format: "binary" }, id)
          continue
        }
        // a text for the builder, which no object is
        if (schema["$ref"] !== undefined) assert.isUndefined(schema["type"], id)
        else assert.strictEqual(schema["type"], "object", id)
      }
      for (const { name, schema } of described.parameters) {
        if (name === "limit") assert.deepStrictEqual(schema, { type: "integer", minimum: 1, maximum: 1000 }, id)
        if (name === "after") assert.strictEqual(schema.pattern, "^(?:[a-z]{4}-)?[0-9]{1,15}$", id)
      }
    }
    const { properties } = spec.paths["/api/keys/org/create"].post.requestBody.content["application/json"].schema
    assert.match("ada@example.org", new RegExp(properties.email.pattern, "u"))
    assert.notMatch("ada at example.org", new RegExp(properties.email.pattern, "u"))
    assert.notMatch("a\u0000b", new RegExp(properties.key_name.pattern, "u"))
  })

  it("has no example of what is not there", () => {
    assert.includeMembers(
      operations.map(([id]) => id),
      [...examples.keys()]
    )
  })
})
