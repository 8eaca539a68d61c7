import { assert, describe, it } from "vitest"
import { linked } from "#src/http/console/linked.ts"

/** Runs modules as one, and gives what they have said, in their order. */
const run = (modules: { readonly [path: string]: string }): unknown => {
  const said: Array<unknown> = []
  new Function(
    "say",
    linked("a/main.ts", (path) => modules[path]!)
  )((one: unknown) => said.push(one))
  return said
}

describe("modules as one", () => {
  it("run once each, before what takes from them, and give what they export, by other names, too", () => {
    const said = run({
      "a/main.ts":
        'import { one,        again as twice } from "./one.ts"\nimport { Two, three } from "../b/two.ts"\nsay([one, twice(), new Two().is, three(), typeof hidden])\n',
      "a/one.ts":
        'import "../b/two.ts"\nconst hidden = 1\nexport const one = hidden\nexport const again = () => one + 1\nsay("one")\n',
      "b/two.ts":
        'export { own as three } from "./three.ts"\nexport class Two {\n  is = "two"\n}\nexport async function four() {}\nsay("two")\n',
      "b/three.ts": 'const hidden = 3\nexport const own = () => hidden\nsay("three")\n'
    })
    assert.deepStrictEqual(said, ["three", "two", "one", [1, 2, "two", 3, "undefined"]])
  })

  it("import packages by their names, once each", () => {
    const texts: { readonly [path: string]: string } = {
      "a/main.ts": 'import thing from "thing"\nimport { other } from "./one.ts"\nother(thing)\n',
      "a/one.ts":
        'import { two as one } from "thing"\nexport { one as unused } from "./two.ts"\nexport const other = one\n',
      "a/two.ts": "export const one = 1\n"
    }
    const text = linked("a/main.ts", (path) => texts[path]!)
    assert.strictEqual(text.match(/^import .*$/gm)?.join(), 'import * as package0 from "thing"')
    assert.include(text, "const { default: thing } = package0")
    assert.include(text, "const { two: one } = package0")
  })

  it("have comments before what they take, and names with dollars", () => {
    const said = run({
      "a/main.ts": '/* import { no } from "./no.ts" */\n// of two\nimport { one$ } from "./one.ts"\nsay(one$)\n',
      "a/one.ts": "export const one$ = 1\n"
    })
    assert.deepStrictEqual(said, [1])
  })

  for (const [what, text] of [
    ["imports what imports it", 'import { main } from "./main.ts"\nexport const one = 1\n'],
    ["exports what it may change later", "export let one = 1\n"],
    ["exports a default", "export default 1\n"],
    ["gives on all of another one", 'export * from "./two.ts"\n'],
    ["takes another one later", 'export const one = () => import("./two.ts")\n'],
    ["takes one later that only its run tells", "export const one = (at) => import(at)\n"],
    ["asks where it is", "export const one = import.meta.url\n"],
    ["exports several names at once", "export const one = 1,\n  two = 2\n"],
    ["waits before it is there", "export const one = await later\n"],
    ["does not export what is taken", "export const other = 1\n"],
    [
      "has a text that reads like a module's beginning",
      'const text = `\nimport { two } from "./two.ts"\n`\nexport const one = 1\n'
    ]
  ] as const)
    it(`are refused where one of them ${what}`, () => {
      const texts: { readonly [path: string]: string } = {
        "a/main.ts": 'import { one } from "./one.ts"\nexport const main = one\n',
        "a/one.ts": text,
        "a/two.ts": "export const two = 2\n"
      }
      assert.throws(() => linked("a/main.ts", (path) => texts[path]!), /import each other|can't be linked/)
    })
})
