import { assert, describe, it } from "vitest"
import { concerning, meanings } from "#domain/functions/attribution.ts"

const one = (name: string, isFile = false) => ({ fingerprint: `fn_${name}`, name, isFile })
const functions = ["push", "Stack.push", "Queue.push", "Stack.pop", "main"].map((name) => one(name))
const names = (given: string, known = functions) => meanings(known)(given).map(({ name }) => name)

describe("a name in a log", () => {
  it.each([
    ["push", ["push"]],
    ["Stack.push", ["Stack.push"]],
    ["Stack::push", ["Stack.push"]],
    ["Stack#push", ["Stack.push"]],
    ["pop", ["Stack.pop"]],
    ["async main", ["main"]],
    ["main()", ["main"]],
    ["main.<locals>.inner", ["main"]],
    ["pkg.module.Queue.push", ["push", "Queue.push"]],
    ["__module__", []],
    ["<module>", []],
    ["", []],
    ["ain", []],
    ["constructor", []]
  ])("%s means %j", (given, expected) => assert.deepStrictEqual(names(given), expected))

  it("means all functions that it can't tell apart", () =>
    assert.deepStrictEqual(names("push", [one("Stack.push"), one("Queue.push")]), ["Stack.push", "Queue.push"]))

  it("means the file, when that is one function", () => {
    assert.deepStrictEqual(names("__module__", [one("report", true)]), ["report"])
    assert.deepStrictEqual(names("__module__", [one("report")]), [])
  })
})

it("a log of several files tells of one only what names its functions", () => {
  const telemetry = ["pop", "elsewhere", "__module__"].map((name) => ({ name, calls: 1, averageSize: 1, emptyRate: 0 }))
  const errors = [["main", "elsewhere"], ["elsewhere"], []].map((frames) => ({
    type: "E",
    message: "",
    functions: frames
  }))
  assert.deepStrictEqual(concerning({ telemetry, errors }, functions), {
    telemetry: [telemetry[0]!],
    errors: [errors[0]!]
  })
  assert.deepStrictEqual(concerning({ telemetry, errors }, [one("report", true)]), { telemetry: [], errors: [] })
})
