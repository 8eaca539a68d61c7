import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as Library from "../../../../clients/typescript/src/index.ts"
import { documented } from "./documented.ts"
import { allOf, camel, type Method, spelled, table } from "./table.ts"

const folder = new URL("../../../../clients/typescript/", import.meta.url)
const library = documented("index.ts")
const methods = table.methods.map((method) => [camel(method.name), method] as const)

/** The class of a method, and its name there. */
const placeOf = ({ name }: Method): readonly [owner: string, method: string] => {
  const [first, second] = camel(name).split(".") as [string, string?]
  return second === undefined ? ["Cairn", first] : [first[0]!.toUpperCase() + first.slice(1), second]
}

/** What is called itself, as `chat` is, has its own name, and those of what it holds. */
const namesOf = ([resource, of]: readonly [string, object]) =>
  typeof of === "function"
    ? [resource, ...Object.keys(of).map((name) => `${resource}.${name}`)]
    : publicNames(of).map((name) => `${resource}.${name}`)

const publicNames = (of: object) =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(of)).filter((name) => name !== "constructor" && !/^_/.test(name))

describe("the table of both clients", () => {
  it("has every method of this one, and no other", () => {
    const client = new Library.Cairn({ apiKey: "k" })
    const resources = Object.entries(client).flatMap(namesOf)
    assert.sameMembers(
      [...publicNames(client), ...resources],
      [...methods.map(([name]) => name), ...table.besides.map(camel), ...table.only.typescript.map(({ name }) => name)]
    )
  })

  it.each(methods)("has every parameter of %s, and no other", (_, method) => {
    const { positional, named, options } = library.signature(...placeOf(method))
    const placed = method.required.filter(({ name }) => method.positional.includes(name)).map(spelled)
    assert.deepStrictEqual(positional, placed)
    assert.isTrue(options)
    const required = method.required.filter(({ name }) => !method.positional.includes(name))
    assert.sameMembers([...named.keys()], [...required, ...method.optional].map(spelled))
    const needed = required.filter(({ optional_in: optional }) => optional !== "typescript").map(spelled)
    assert.sameMembers(
      [...named].filter(([, { optional }]) => !optional).map(([name]) => name),
      needed
    )
  })

  it.each(methods)("has the defaults of %s that its documentation tells", (_, method) => {
    const { named, doc } = library.signature(...placeOf(method))
    for (const parameter of method.optional.filter(({ default: value }) => value !== null)) {
      const value = parameter.default
      const told =
        { true: "yes", false: "no" }[String(value)] ?? (typeof value === "string" ? `\`${value}\`` : `${value}`)
      const text = `${named.get(spelled(parameter))!.doc}\n${doc}`
      assert.isTrue(
        new RegExp(`(?:Default:|, default) ${told}(?![\\d\\w]|,\\d)`).test(text),
        `${spelled(parameter)}: ${told}`
      )
    }
  })

  it("has every option, of the client and of a call, and no other", () => {
    const { options, onlyOptions, callOptions, onlyCallOptions } = table
    assert.deepStrictEqual([...library.fields("CairnOptions").keys()].sort(), allOf(options, onlyOptions.typescript))
    const ofCall = [...library.fields("RequestOptions").keys()].sort()
    assert.deepStrictEqual(ofCall, allOf(callOptions, onlyCallOptions.typescript))
    assert.isTrue([...library.fields("CairnOptions").values()].every(({ optional }) => optional))
  })

  it.each(table.results.filter(({ typescript }) => typescript !== null).map((one) => [spelled(one), one] as const))(
    "has every field of a %s, and no other",
    (name, { fields }) => {
      assert.sameMembers([...library.fields(name).keys()], fields.split(" ").map(camel))
    }
  )

  it("has every variable of the environment that is read, and no other", () => {
    const read = readdirSync(new URL("src/", folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .flatMap((path) => [...readFileSync(new URL(`src/${path}`, folder), "utf8").matchAll(/variable\("(\w+)"\)/g)])
    assert.sameMembers(
      [...new Set(read.map(([, name]) => name!))],
      [...table.environment.map(({ name }) => name), ...table.compatEnvironment]
    )
  })

  it("is told of in the README, method by method", () => {
    const readme = readFileSync(new URL("README.md", folder), "utf8")
    for (const [name] of methods) assert.include(readme, `cairn.${name}(`, name)
  })
})
