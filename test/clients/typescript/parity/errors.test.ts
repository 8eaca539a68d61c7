import { assert, describe, it } from "vitest"
import * as Library from "../../../../clients/typescript/src/index.ts"
import { failure, type Reply, stub } from "../stub.ts"
import { camel, table } from "./table.ts"

const errors = Library as unknown as Record<string, { readonly prototype: object }>

/** The properties of an error and of those above it. */
const propertiesOf = (name: string): ReadonlyArray<string> => {
  const { extends: parent, properties } = table.errors.find((error) => error.name === name)!
  return [...(parent === null ? [] : propertiesOf(parent)), ...properties]
}

/** What every error of the language has. */
const anyError = ["name", "stack", "cause"]

describe("errors", () => {
  it.each(table.errors)("$name is one", ({ name, extends: parent }) => {
    const above = Object.getPrototypeOf(errors[name]!.prototype)
    assert.strictEqual(above, parent === null ? Error.prototype : errors[parent]!.prototype)
  })

  it("are these, and no others", () => {
    const exported = Object.entries(errors).filter(([, value]) => value?.prototype instanceof Error)
    assert.sameMembers(
      exported.map(([name]) => name),
      table.errors.map(({ name }) => name)
    )
  })

  it.each(table.failures)("$status $code is a $error", async ({ status, code, error: name, again }) => {
    const body = { code, message: "m", detail: "m", error: code, field: "f", errors: [], request_id: "r" }
    const reply: Reply =
      status === null
        ? { network: "refused" }
        : { status, body: status === 200 ? "no JSON" : code === null ? "" : body }
    const { cairn, sent } = stub([reply], { maxRetries: 1 })
    const error = (await failure(cairn.keys.list())) as Library.ServiceError
    assert.strictEqual(error.constructor as unknown, errors[name])
    assert.strictEqual(error.statusCode, status)
    assert.strictEqual(sent.length, again ? 2 : 1)
    const own = Object.getOwnPropertyNames(error).filter((property) => !anyError.includes(property))
    assert.sameMembers(own, propertiesOf(name).map(camel))
  })
})

describe("what nobody tells", () => {
  const environment = (set: { readonly [name: string]: string | undefined }, run: () => Promise<void>) => {
    const before = table.environment.map(({ name }) => [name, process.env[name]] as const)
    const assign = (name: string, value: string | undefined) => {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    for (const [name] of before) assign(name, set[name])
    return run().finally(() => {
      for (const [name, value] of before) assign(name, value)
    })
  }
  const asked = async (options: Library.CairnOptions = {}) => {
    const { cairn, sent, timeouts, lines } = stub([{ status: 500 }], {
      apiKey: undefined,
      baseUrl: undefined,
      ...options
    })
    const error = await failure(cairn.keys.list())
    await cairn.chat("q", { user: "u", org: "o" }, { maxRetries: 0 }).catch(() => {})
    return { sent, timeouts, lines, error }
  }

  it("is the default", () =>
    environment({}, async () => {
      const { sent, timeouts } = await asked({ apiKey: "k" })
      const { baseUrl, maxRetries, timeoutSeconds, chatTimeoutSeconds } = table.defaults
      assert.strictEqual(new URL(sent[0]!.url).origin, baseUrl)
      assert.strictEqual(sent.length, 1 + maxRetries + 1)
      assert.strictEqual(timeouts[0]!.milliseconds, timeoutSeconds * 1_000)
      assert.strictEqual(timeouts.at(-1)!.milliseconds, chatTimeoutSeconds * 1_000)
      assert.instanceOf((await asked()).error, Library.AuthenticationError)
    }))

  it("is what the environment says", () =>
    environment({ CAIRN_API_KEY: "e", CAIRN_BASE_URL: "http://cairn.example:1", CAIRN_LOG: "info" }, async () => {
      const { sent, lines } = await asked()
      assert.strictEqual(sent[0]!.headers.get("authorization"), "Bearer e")
      assert.strictEqual(new URL(sent[0]!.url).origin, "http://cairn.example:1")
      assert.isTrue(lines.some((line) => line.startsWith("info ")))
    }))
})
