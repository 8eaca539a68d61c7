import { readdirSync, readFileSync } from "node:fs"
import { OpenApi } from "effect/http-api"
import { assert, describe, it } from "vitest"
import { Api } from "#src/api/Api.ts"
import { describeFields, descriptions, entryFor } from "#src/api/descriptions.ts"

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked as the JSON that it is
type Node = any

interface Field {
  readonly scope: string
  readonly path: ReadonlyArray<string>
  readonly field: Node
  readonly required: boolean
  readonly bounded: Node
}

const spec: Node = OpenApi.fromApi(Api)
const variants = (node: Node): ReadonlyArray<Node> => node.anyOf?.flatMap(variants) ?? [node]

const fieldsIn = (node: Node, scope: string, path: ReadonlyArray<string>): ReadonlyArray<Field> =>
  variants(node).flatMap((one) => [
    ...(one.items === undefined ? [] : fieldsIn(one.items, scope, [...path.slice(0, -1), `${path.at(-1) ?? ""}[]`])),
    ...Object.entries<Node>(one.properties ?? {}).flatMap(([name, field]) => [
      { scope, path: [...path, name], field, bounded: field, required: one.required?.includes(name) === true },
      ...fieldsIn(field, scope, [...path, name])
    ])
  ])

const contents = (holder: Node, scope: string) =>
  Object.values<Node>(holder?.content ?? {}).flatMap(({ schema }) => fieldsIn(schema, scope, []))

const fields: ReadonlyArray<Field> = [
  ...Object.entries<Node>(spec.components.schemas).flatMap(([name, schema]) =>
    fieldsIn(schema, name.replace(/_\d+$/, ""), [])
  ),
  ...Object.values<Node>(spec.paths).flatMap((methods) =>
    Object.values<Node>(methods).flatMap((operation) => [
      ...contents(operation.requestBody, `${operation.operationId} request`),
      ...Object.entries<Node>(operation.responses).flatMap(([status, response]) =>
        contents(response, `${operation.operationId} ${status}`)
      ),
      ...operation.parameters.map((parameter: Node) => ({
        scope: `${operation.operationId} parameter`,
        path: [parameter.name],
        field: parameter,
        bounded: parameter.schema ?? {},
        required: parameter.required === true
      }))
    ])
  )
]

const nameOf = ({ scope, path }: Field) => `${scope}.${path.join(".")}`
const isRequest = ({ scope }: Field) =>
  /(?<!^Bad)Request$|^Given|^LogFile$|^RepoFile$|^CachedCodeBlock$| request$| parameter$/.test(scope)

describe("every field of the document", () => {
  it("has a description that says what it means", () => {
    assert.isAbove(fields.length, 500)
    const without = fields.filter(({ field }) => !/^.{10,}\.$/.test(field.description ?? "")).map(nameOf)
    assert.deepStrictEqual(without, [])
  })

  it("says what happens without it, where it may be left out of a request", () => {
    const silent = fields
      .filter((field) => isRequest(field) && !field.required)
      .filter(({ field }) => !/Default: |Required|^Accepted[ ,]|^The (same as|name that)/.test(field.description))
      .map(nameOf)
    assert.deepStrictEqual(silent, [])
  })

  it("says the bounds that its schema has", () => {
    for (const { scope, path, field, bounded } of fields) {
      for (const one of variants(bounded)) {
        for (const bound of [one.maximum, one.maxLength, one.maxItems, one.maxProperties]) {
          if (bound !== undefined && bound !== Number.MAX_SAFE_INTEGER)
            assert.include(field.description, bound.toLocaleString("en"), `${scope} ${path}`)
        }
      }
    }
  })

  it("has its entry, and no entry is of a field that is not there", () => {
    const used = new Set(
      fields.flatMap(({ scope, path, field }) => {
        const entry = entryFor(scope, path)
        return entry !== undefined && field.description.startsWith(descriptions.get(entry)) ? [entry] : []
      })
    )
    assert.deepStrictEqual(
      [...descriptions.keys()].filter((entry) => !used.has(entry)),
      []
    )
  })
})

describe("an entry for all fields of a name", () => {
  it("leaves a field alone that its schema describes", () => {
    const schema = (model: Node) => ({ properties: { model } })
    const spec = {
      components: {
        schemas: { A: schema({ description: "The name that the operator configured." }), B: schema({ maxLength: 9 }) }
      },
      paths: {}
    }
    describeFields(spec)
    const { A, B } = spec.components.schemas
    assert.deepStrictEqual(
      [A, B].map(({ properties }) => properties.model.description),
      ["The name that the operator configured.", `${descriptions.get("*.model")} At most 9 characters.`]
    )
  })

  it("is there once", () => {
    const folder = new URL("../../src/api/descriptions/", import.meta.url)
    const names = readdirSync(folder).flatMap((name) =>
      [...readFileSync(new URL(name, folder), "utf8").matchAll(/^ {2}"([^"]+)":/gm)].map(([, entry]) => entry!)
    )
    assert.isAbove(names.length, 500)
    assert.deepStrictEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      []
    )
  })
})

describe("every array and map of a request", () => {
  it("has a bound in the document", () => {
    const free = fields
      .filter(isRequest)
      .flatMap((field) => variants(field.bounded).map((one) => [nameOf(field), one] as const))
      .filter(([, { type, maxItems, maxProperties, properties }]) =>
        type === "array"
          ? maxItems === undefined
          : type === "object" && properties === undefined && maxProperties === undefined
      )
      .map(([name]) => name)
    assert.deepStrictEqual(free, [])
  })
})
