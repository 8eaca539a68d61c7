import { assert, describe, it } from "vitest"
import { Cairn, type CairnOptions } from "../../../../clients/typescript/src/index.ts"
import { camel, type Method, type Parameter, spelled, table } from "./table.ts"

interface Sent {
  readonly request: string
  readonly headers: Headers
  readonly body: Record<string, unknown>
  readonly query: Record<string, string>
}

/** A client whose requests go nowhere, and these. */
const recording = (options: CairnOptions = {}) => {
  const sent: Array<Sent> = []
  const fetch = async (input: string, init: RequestInit) => {
    const url = new URL(input)
    sent.push({
      request: `${init.method} ${url.pathname}`,
      headers: new Headers(init.headers),
      body: typeof init.body === "string" ? JSON.parse(init.body) : {},
      query: Object.fromEntries(url.searchParams)
    })
    return new Response("{}")
  }
  return { client: new Cairn({ apiKey: "k", maxRetries: 0, fetch, ...options }), sent }
}

const camelKeys = (value: object) => Object.fromEntries(Object.entries(value).map(([key, one]) => [camel(key), one]))

/** A value as TypeScript has it. */
const given = ({ value, model, fields }: Parameter): unknown => {
  if (model !== undefined) return camelKeys(value as object)
  return fields === true ? (value as ReadonlyArray<object>).map(camelKeys) : value
}

/** Calls a method with its required parameters and these more; what it makes of the empty answer does not matter. */
const called = async (client: Cairn, method: Method, more: ReadonlyArray<Parameter>, options?: object) => {
  const path = camel(method.name).split(".")
  const name = path.pop()!
  const target = path.reduce((one, part) => (one as Record<string, unknown>)[part], client as unknown)
  const placed = method.required.filter(({ name }) => method.positional.includes(name))
  const named = [...method.required.filter(({ name }) => !method.positional.includes(name)), ...more]
  const hasNamed = placed.length + method.optional.length < method.required.length + method.optional.length * 2
  const parameters = Object.fromEntries(named.map((one) => [spelled(one), given(one)]))
  // the options of `delete` hold its one more parameter
  const last =
    method.operation === "snippets.delete"
      ? [{ ...parameters, ...options }]
      : [...(hasNamed ? [parameters] : []), options]
  const call = (target as Record<string, (...given: ReadonlyArray<unknown>) => unknown>)[name]!
  const answer = call.apply(target, [...placed.map(given), ...last])
  const iterated = method.gives === "pages" || method.gives === "stream"
  await (iterated
    ? (answer as AsyncIterable<unknown>)[Symbol.asyncIterator]().next()
    : (answer as Promise<unknown>)
  ).catch(() => {})
}

/** What is at a path of names. */
const at = (found: unknown, path: string): unknown =>
  path.split(".").reduce((one, name) => (one as Record<string, unknown> | undefined)?.[name], found)

const arrived = (
  method: Method,
  { headers, ...sent }: Sent,
  { name, wire = name, header, value, model }: Parameter
) => {
  if (header !== undefined) assert.strictEqual(headers.get(header), value)
  else if (wire !== null) {
    const found = at(sent[method.sent], wire)
    const expected = method.sent === "query" ? String(value) : value
    if (model === undefined) assert.deepStrictEqual(found, expected, name)
    else assert.deepInclude(found, expected as object, wire)
  }
}

const methods = table.methods.map((method) => [camel(method.name), method] as const)

describe("a call of ", () => {
  it.each(methods)("%s sends every parameter", async (_, method) => {
    const { client, sent } = recording()
    await called(client, method, method.optional)
    assert.strictEqual(sent[0]?.request, method.request)
    for (const parameter of [...method.required, ...method.optional]) arrived(method, sent[0]!, parameter)
  })

  it.each(methods)("%s sends its defaults, or nothing", async (_, method) => {
    const { client, sent } = recording()
    await called(client, method, [])
    assert.strictEqual(sent[0]?.request, method.request)
    for (const parameter of method.required) arrived(method, sent[0]!, parameter)
    for (const { name, wire = name, default: value, service = value } of method.optional) {
      // of what is not sent the service has its own default
      if (wire !== null) assert.deepStrictEqual(at(sent[0]![method.sent], wire) ?? service, value, name)
    }
  })

  it.each(methods)("%s takes the options of one call", async (_, method) => {
    const { client, sent } = recording()
    await called(client, method, [], { headers: { "x-call": "1" }, idempotencyKey: "i-1" })
    assert.strictEqual(sent[0]?.headers.get("x-call"), "1")
    if (!method.request.startsWith("GET")) assert.strictEqual(sent[0]?.headers.get("idempotency-key"), "i-1")
  })
})

describe("the client's option ", () => {
  const options = table.options.filter(({ header }) => header !== undefined)
  it.each(options.map((option) => [spelled(option), option] as const))("%s", async (name, option) => {
    const { client, sent } = recording({ [name]: option.value })
    await client.keys.list().catch(() => {})
    assert.strictEqual(sent[0]!.headers.get(option.header!), option.sent)
  })
})
