import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { schemaOf } from "#engine/Projection.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { foundRuns, recorded } from "./executed.ts"
import { fine } from "./routes.ts"
import { remove } from "./store.ts"

let installation: TestInstallation
let service: Service

beforeAll(async () => {
  installation = await newInstallation()
  service = await startService({}, installation)
})
afterAll(async () => {
  await service?.stop()
  if (installation !== undefined) removeInstallation(installation)
})

const restart = async () => {
  await service.stop()
  service = await startService({}, installation)
}

/** Waits on the index by a search, which waits for what was stored before it. */
const found = async (task: string) => {
  const { matches } = fine(await service.call("POST", "/api/retrieve/search", { task, top_k: 20 }))
  return matches.map((match: { code_block: { name: string } }) => match.code_block.name) as ReadonlyArray<string>
}

/** What `/ready` says once it says yes: the search that was waited for waits for one read model, and this for all. */
const ready = async () => {
  const look = async () => {
    const answer = await service.call("GET", "/ready")
    assert.strictEqual(answer.status, 200)
    return answer
  }
  const { json } = await vi.waitFor(look, { timeout: 60_000 })
  const { count, snippets } = json.left_out
  return { count, snippets } as { count: number; snippets: ReadonlyArray<string> }
}

const store = async (name: string, more: object = {}) =>
  fine(
    await service.call("POST", "/api/store/code-block", {
      name,
      entrypoint: "",
      language: "python",
      source: `def f():\n    return ${JSON.stringify(name)}\n`,
      ...more
    })
  ).code_block_id as string

describe("a text that can't be searched as a whole", () => {
  it("is found by its beginning, named by /ready and once in the log, at each start, until it is deleted", async () => {
    const marks = "\u0345\u0301".repeat(250_000)
    const id = await store("poisoned", { source: `def quicksort(xs): pass\n# ${marks}` })
    assert.include(await found("quicksort"), "poisoned")
    assert.deepStrictEqual(await ready(), { count: 1, snippets: [id] })
    const told = () => service.log.filter((line) => line.includes(id) && line.includes("not found by all"))
    assert.lengthOf(told(), 1)

    await restart()
    assert.include(await found("quicksort"), "poisoned")
    assert.deepStrictEqual(await ready(), { count: 1, snippets: [id] })
    assert.lengthOf(told(), 1)

    fine(await remove(service.call, id))
    assert.notInclude(await found("quicksort"), "poisoned")
    assert.deepStrictEqual(await ready(), { count: 0, snippets: [] })
  })
})

describe("what has no room in an index of the database", () => {
  // letters that hardly compress
  const long = (length: number) =>
    Array.from({ length }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919 + n * n * 31) % 20_000))).join("")

  it("is stored and found all the same, and the read models go on", async () => {
    const name = long(1_000)
    const property = long(20_000)
    const input_schema = { type: "object", properties: { [property]: { type: "string" }, size: { type: "number" } } }
    await store(name, { description: "measures the tide", input_schema })
    assert.include(await found("measures the tide"), name)
    const { matches } = fine(
      await service.call("POST", "/api/retrieve/search", {
        task: "measures the tide",
        input_schema: { properties: { size: { type: "integer" } } }
      })
    )
    assert.strictEqual(matches[0].code_block.input_schema.properties[property].type, "string")
    // by its name
    const [one] = await service.sql<{ name: string }>(
      `SELECT name FROM ${schemaOf(Snippets)}.snippets WHERE name = $1`,
      [name]
    )
    assert.strictEqual(one?.name, name)
    // a run of code that is not stored is kept by its caller's name for it
    const stranger = `another ${long(992)}`
    await recorded(service.call, stranger)
    const { executions } = await foundRuns(service.call, { code_block_id: stranger })
    assert.lengthOf(executions, 1)
    const { json } = await service.call("GET", "/ready")
    for (const state of Object.values(json.read_models)) assert.strictEqual(state, "ok")
  })
})
