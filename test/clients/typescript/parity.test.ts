import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as Library from "../../../clients/typescript/src/index.ts"

interface Parameter {
  readonly typescript: string
  /** `null`: it is in the path. */
  readonly wire: string | null
  readonly value: unknown
  readonly default?: unknown
}
interface Method {
  readonly typescript: string
  readonly request: string
  readonly sent: "body" | "query"
  readonly required: ReadonlyArray<Parameter & { readonly python: string }>
  readonly optional: ReadonlyArray<Parameter>
  /** Names in Python: those that are given by place in TypeScript. */
  readonly positional: ReadonlyArray<string>
}

const table = JSON.parse(readFileSync(new URL("../../../clients/parity.json", import.meta.url), "utf8"))
const methods = table.methods as ReadonlyArray<Method>

interface Sent {
  readonly request: string
  readonly origin: string
  readonly headers: Headers
  readonly body: Record<string, unknown>
  readonly query: Record<string, string>
}

/** A client whose requests go nowhere, and the first of them. */
const recording = (options: object = {}, answer = { status: 200, body: {} as unknown }) => {
  const sent: Array<Sent> = []
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(String(input))
    sent.push({
      request: `${init.method} ${url.pathname}`,
      origin: url.origin,
      headers: new Headers(init.headers),
      body: typeof init.body === "string" ? JSON.parse(init.body) : {},
      query: Object.fromEntries(url.searchParams)
    })
    return new Response(JSON.stringify(answer.body), { status: answer.status })
  }
  const client = new Library.Cairn({ apiKey: "k", maxRetries: 0, fetch, ...options })
  return { client, sent }
}

/** Calls a method with its required parameters and these more; what it makes of the empty answer does not matter. */
const called = async (client: Library.Cairn, method: Method, more: ReadonlyArray<Parameter>) => {
  const path = method.typescript.split(".")
  const name = path.pop()!
  const target = path.reduce((one, part) => (one as Record<string, unknown>)[part], client as unknown) as Record<
    string,
    (...given: ReadonlyArray<unknown>) => Promise<unknown>
  >
  const placed = method.required.filter(({ python }) => method.positional.includes(python))
  const named = [...method.required.filter(({ python }) => !method.positional.includes(python)), ...more]
  const parameters = Object.fromEntries(named.map(({ typescript, value }) => [typescript, value]))
  const given = [...placed.map(({ value }) => value), ...(named.length === 0 ? [] : [parameters])]
  await target[name]!(...given).catch(() => {})
}

const onWire = (method: Method, parameters: ReadonlyArray<Parameter>) =>
  Object.fromEntries(
    parameters.flatMap(({ wire, value }) => {
      if (wire === null) return []
      return [[wire, method.sent === "query" ? String(value) : value]]
    })
  )

describe("the TypeScript client has what both clients have: ", () => {
  it.each(methods.map((method) => [method.typescript, method] as const))("%s, every parameter", async (_, method) => {
    const { client, sent } = recording()
    await called(client, method, method.optional)
    assert.strictEqual(sent[0]?.request, method.request)
    assert.deepInclude(sent[0]![method.sent], onWire(method, [...method.required, ...method.optional]))
  })

  it.each(methods.map((method) => [method.typescript, method] as const))("%s, every default", async (_, method) => {
    const { client, sent } = recording()
    await called(client, method, [])
    const { [method.sent]: found } = sent[0]!
    assert.deepInclude(found, onWire(method, method.required))
    // what is not sent is the service's default
    for (const { wire, default: value } of method.optional) {
      if (wire! in found) assert.deepStrictEqual(found[wire!], value, wire!)
    }
  })

  it.each(table.options as Array<{ typescript: string; value: unknown; header: string; sent: string }>)(
    "option $typescript",
    async ({ typescript, value, header, sent: expected }) => {
      const { client, sent } = recording({ [typescript]: value })
      await client.keys.list().catch(() => {})
      assert.strictEqual(sent[0]!.headers.get(header), expected)
    }
  )

  it("the default address", async () => {
    const { client, sent } = recording()
    await client.keys.list().catch(() => {})
    assert.strictEqual(sent[0]!.origin, table.defaults.baseUrl)
  })

  it.each(table.errors as Array<{ name: string; extends: string | null }>)(
    "error $name",
    ({ name, extends: parent }) => {
      const errors = Library as unknown as Record<string, { readonly prototype: object }>
      assert.isFunction(errors[name])
      const above = Object.getPrototypeOf(errors[name]!.prototype)
      assert.strictEqual(above, parent === null ? Error.prototype : errors[parent]!.prototype)
    }
  )

  it.each(table.failures as Array<{ status: number; code: string; error: string }>)(
    "$status $code is its error, with its properties",
    async ({ status, code, error: name }) => {
      const body = { code, message: "m", detail: "m", error: code, field: "f", errors: [], request_id: "r" }
      const { client } = recording({}, { status, body })
      const error = await client.keys.list().then(
        () => assert.fail("no error"),
        (error: unknown) => error
      )
      const { properties } = (table.errors as Array<{ name: string; properties: Array<string> }>).find(
        (one) => one.name === name
      )!
      assert.strictEqual((error as Error).constructor.name, name)
      for (const property of properties) {
        const spelled = property.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
        assert.property(error, spelled)
      }
    }
  )
})
