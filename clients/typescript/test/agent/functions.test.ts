import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, it } from "vitest"
import { fine, stub } from "../../../../test/clients/typescript/stub.ts"
import { ownerKey, type Service, startService } from "../../../../test/service.ts"
import { agentFunction, functionTool, publishFunctions } from "../../src/agent/index.ts"
import { Cairn } from "../../src/index.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const divide = (more: object = {}) =>
  agentFunction(
    function divide_numbers(a: number, b: number) {
      if (b === 0) throw new RangeError("by zero")
      return a / b
    },
    { description: "Divides one number by another.", inputSchema: { a: "number", b: "number" }, ...more }
  )

it("is stored as a snippet, and its calls are recorded: state, duration, error, sizes", async () => {
  let recorded = 0
  const heard = Promise.withResolvers<void>()
  const client = new Cairn({
    apiKey: ownerKey,
    baseUrl: service.url,
    fetch: async (url, init) => {
      const answer = await globalThis.fetch(url, init)
      if (url.endsWith("/api/store/execution") && ++recorded === 2) heard.resolve()
      return answer
    }
  })
  const fn = divide()
  assert.isNull(fn.snippetName)
  assert.strictEqual(fn(6, 3), 2, "and is a function like any other before")
  assert.deepStrictEqual(await publishFunctions(client, [fn]), ["divide_numbers"])
  assert.strictEqual(fn.snippetName, "divide_numbers")
  assert.strictEqual(fn(6, 3), 2)
  assert.throws(() => fn(6, 0), RangeError, "by zero")
  await heard.promise
  const { matches } = await client.search({ task: "divide one number by another" })
  const { name, source, entrypoint, language, inputSchema, tags } = matches[0]!.codeBlock
  assert.include(source, "by zero")
  assert.deepStrictEqual(
    [name, entrypoint, language, tags],
    ["divide_numbers", "divide_numbers", "javascript", ["function"]]
  )
  assert.deepStrictEqual(inputSchema["properties"], { a: { type: "number" }, b: { type: "number" } })
  const runs = (await client.executions.list({ codeBlockId: matches[0]!.codeBlock.id })).executions
  assert.sameDeepMembers(
    runs.map(({ executionState, errorMessage, errorType, io }) => [
      executionState,
      errorMessage,
      errorType,
      io.inputData,
      io.outputData
    ]),
    [
      ["completed", null, null, { args: { characters: 5 } }, { characters: 1 }],
      ["errored", "by zero", "RangeError", { args: { characters: 5 } }, null]
    ]
  )
  for (const { durationMs } of runs) assert.isTrue(Number.isInteger(durationMs) && durationMs >= 0)
})

it("tells values only where that was asked for, and disturbs nobody when it can't", async () => {
  const { cairn, sent } = stub([
    { status: 200, body: { success: true, code_block_id: "x", embedding_id: "x", message: "" } },
    { status: 403, body: {} },
    fine
  ])
  const fn = divide({ recordValues: true })
  await publishFunctions(cairn, [fn])
  assert.strictEqual(fn(8, 2), 4)
  await Promise.resolve()
  assert.deepInclude(sent[1]!.body, { code_block_id: "x", execution_state: "completed" })
  assert.deepStrictEqual(sent[1]!.body.io, { input_data: { args: [8, 2] }, output_data: 4, output_type: "number" })
})

it("is a tool of the Messages API", () => {
  assert.deepStrictEqual(functionTool(divide()), {
    name: "divide_numbers",
    description: "Divides one number by another.",
    input_schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] }
  })
})

it("a program that ends by itself waits for its records", async () => {
  const script = fileURLToPath(new URL("./recording.ts", import.meta.url))
  const env = { ...process.env, CAIRN_API_KEY: ownerKey, CAIRN_BASE_URL: service.url }
  await promisify(execFile)(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), script], { env })
  const { executions } = await new Cairn({ apiKey: ownerKey, baseUrl: service.url }).executions.list({
    task: "call twice_at_the_end",
    limit: 100
  })
  assert.strictEqual(executions.filter(({ triggeringTask }) => triggeringTask === "call twice_at_the_end").length, 20)
})
