import { afterAll, assert, beforeAll, it } from "vitest"
import { type Service, startService } from "#test/service.ts"
import { type Match, stored } from "./store.ts"

let service: Service
beforeAll(async () => {
  service = await startService({ CAIRN_SEARCH_THREAD: "on" })
})
afterAll(() => service.close())

const search = async (task: string, rest: object = {}) => {
  const { status, json } = await service.call("POST", "/api/retrieve/search", { task, ...rest })
  assert.strictEqual(status, 200, JSON.stringify(json))
  return json as { readonly matches: ReadonlyArray<Match & { readonly explanation?: object }> }
}

it("an index in a thread of its own finds what was written just before, and explains it", async () => {
  for (let n = 0; n < 5; n++) {
    await stored(service.call, `theremin${n}`, {
      task: "polish a theremin",
      file_written: { path: `theremin${n}.py`, content: `def theremin${n}(rag):\n    return rag\n` }
    })
    const { matches } = await search("polish a theremin", { top_k: 10, explain: true })
    assert.lengthOf(matches, n + 1)
    assert.isTrue(matches.every(({ explanation }) => typeof explanation === "object"))
  }
})

it("searches that come at once are all answered, each with its own", async () => {
  const tasks = Array.from({ length: 40 }, (_, n) => `theremin${n % 5} for the ${n}th time`)
  const answers = await Promise.all(tasks.map((task) => search(task, { top_k: 1 })))
  for (const [n, { matches }] of answers.entries()) assert.strictEqual(matches[0]!.code_block.name, `theremin${n % 5}`)
})
