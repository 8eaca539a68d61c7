import { assert, describe, it } from "vitest"
import * as Compat from "../../../clients/typescript/src/compat/index.ts"
import { failure, key, stub } from "./stub.ts"

describe("a marked function", () => {
  const tracked = () => {
    const runs: Array<Compat.StoreExecutionParams> = []
    const storeExecution = async (run: Compat.StoreExecutionParams) => {
      runs.push(run)
      throw new Error("nobody must hear of this")
    }
    return { runs, client: { storeExecution } as unknown as Compat.RaySurfer }
  }
  it("does what it did before, and tells its client, whatever becomes of that", async () => {
    const { runs, client } = tracked()
    const failing = Compat.agentAccessible(function divide(this: { by: number }, a: number) {
      if (this.by === 0) throw new RangeError("by zero")
      return a / this.by
    })
    assert.strictEqual(failing.call({ by: 2 }, 4), 2)
    assert.deepStrictEqual(runs, [], "without a client nothing is told")
    Compat.setTrackingClient(failing, client)
    assert.strictEqual(failing.call({ by: 2 }, 4), 2)
    assert.throws(() => failing.call({ by: 0 }, 4), RangeError, "by zero")
    const later = Compat.agentAccessible(async () => Promise.reject(new TypeError("later")))
    Compat.setTrackingClient(later, client)
    assert.instanceOf(await failure(later()), TypeError)
    assert.deepStrictEqual(
      runs.map(({ codeBlockId, executionState, errorType, outputData }) => [
        ...[codeBlockId, executionState, errorType, outputData]
      ]),
      [
        ["function_registry:divide", "completed", undefined, 2],
        ["function_registry:divide", "errored", "RangeError", { error: "by zero" }],
        ["function_registry:anonymous", "errored", "TypeError", { error: "later" }]
      ]
    )
    assert.strictEqual(failing.name, "divide")
  })
  it("of too many calls at once some are not recorded, rather than that they wait", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let begun = 0
    const storeExecution = async () => {
      begun++
      await promise
    }
    const echo = Compat.agentAccessible((n: number) => n)
    Compat.setTrackingClient(echo, { storeExecution } as unknown as Compat.RaySurfer)
    for (let n = 1; n <= 300; n++) assert.strictEqual(echo(n), n)
    assert.strictEqual(begun, 100)
    resolve()
    await new Promise((done) => setImmediate(done))
    echo(1)
    assert.strictEqual(begun, 101, "and again when there is room")
  })
  it("sends its record in a hurry: five seconds, and once more", async () => {
    const { waits, timeouts, clock } = stub([])
    const failed = Promise.withResolvers<void>()
    let tries = 0
    const fetch = async () => {
      if (++tries === 2) setImmediate(failed.resolve)
      return new Response("", { status: 503 })
    }
    const client = new Compat.RaySurfer({ apiKey: key, baseUrl: "http://cairn.test", fetch, clock })
    const echo = Compat.agentAccessible((n: number) => n)
    Compat.setTrackingClient(echo, client)
    echo(1)
    await failed.promise
    assert.deepStrictEqual([tries, waits.length], [2, 1])
    assert.deepStrictEqual(
      timeouts.map(({ milliseconds }) => milliseconds),
      [5_000, 5_000]
    )
  })
  it("tells of values that have no JSON", () => {
    const { runs, client } = tracked()
    const cyclic: Record<string, unknown> = { big: 10n, shared: [1] }
    cyclic["self"] = cyclic
    cyclic["again"] = cyclic["shared"]
    const throwing = { toJSON: () => assert.fail("no") }
    const echo = Compat.agentAccessible((value: unknown) => value)
    Compat.setTrackingClient(echo, client)
    // as a text it is what the standard says, however its module was loaded
    for (const value of [cyclic, throwing, undefined, "x".repeat(200_000), Math.abs])
      assert.strictEqual(echo(value), value)
    assert.deepStrictEqual(
      runs.map(({ outputData }) => outputData),
      [
        { big: "10", shared: [1], self: "[cycle]", again: [1] },
        { omitted: "no JSON" },
        null,
        { omitted: "more than 100000 characters of JSON" },
        "function abs() { [native code] }"
      ]
    )
  })
  it("is a tool, from its schema or from its parameters", () => {
    const inputSchema = { type: "object", properties: { n: { type: "integer" } } }
    const given = Compat.agentAccessible((n: number) => n, { name: "same", description: "Same.", inputSchema })
    assert.deepStrictEqual(Compat.toAnthropicTool(given), {
      name: "same",
      description: "Same.",
      input_schema: inputSchema
    })
    const read = (fn: Compat.AgentCallable) => Compat.agentAccessible(fn)._raysurferSchema.inputSchema
    // biome-ignore lint/complexity/useArrowFunction: what is read is a function
    const many = function (a: unknown, b = "x, (y", c = [1, { d: 2 }], /* no, e */ ...rest: Array<unknown>) {
      return [a, b, c, rest]
    }
    assert.deepStrictEqual(Object.keys(read(many)), ["a", "b", "c"])
    assert.deepStrictEqual(
      read(({ x }: { x: number }) => x),
      {}
    )
    assert.deepStrictEqual(
      read(() => 1),
      {}
    )
    const tool = Compat.toAnthropicTool(Compat.agentAccessible(many, { parameters: { n: "integer" } }))
    assert.deepStrictEqual(tool.input_schema, {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"]
    })
  })
})
