import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { mostHolders, mostTold } from "#projections/Functions/queries.ts"
import { type Service, startService } from "#test/service.ts"
import { functionsBy, type Known, tracked } from "./functions.ts"
import { matches } from "./store.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const shared = "def shared(path):\n    return open(path).read().strip()\n"

describe("functions without number", () => {
  it("are counted in the first snippet that holds them, and in the latest hundred", async () => {
    const { upload, found, page } = functionsBy(service.call)
    const holders = mostHolders + 3
    const store = (n: number) => upload(`holder${n}`, tracked, `${shared}\nholder${n} = "holder${n}"\n`)
    // the first ones in their order
    for (const n of [0, 1, 2]) await store(n)
    for (let from = 3; from < holders; from += 10)
      await Promise.all(Array.from({ length: Math.min(10, holders - from) }, (_, n) => store(from + n)))
    const { functions } = await found(`holder${holders - 1}`)
    const known = functions.find(({ function_name }) => function_name === "shared")
    assert.strictEqual(known!["execution_count"], mostHolders + 1)
    // one that is neither counts for itself besides
    const [, second] = await Promise.all([0, 1].map((n) => found(`holder${n}`)))
    const own = second!.functions.find(({ function_name }) => function_name === "shared")
    assert.strictEqual(own!["execution_count"], mostHolders + 2)
    assert.include((await page(known!.fingerprint)).text, `- Runs: ${mostHolders + 1};`)
  })

  it("are told of the best matches, as many as there is room for in one answer", async () => {
    const { upload } = functionsBy(service.call)
    const each = 480
    const many = (name: string) =>
      Array.from({ length: each }, (_, n) => `def ${name}_${n}(value):\n    return "${name}" + value * ${n}\n`).join(
        "\n"
      )
    for (const name of ["one", "two", "three", "four", "five"])
      await upload(`wide${name}`, tracked, many(`wide${name}`))
    const found = await matches(service.call, "widefour task", { top_k: 100, min_verdict_score: 0, ...tracked })
    const told = (found as unknown as ReadonlyArray<{ functions: ReadonlyArray<Known> }>).map(
      ({ functions }) => functions.length
    )
    assert.isAtMost(
      told.reduce((sum, one) => sum + one, 0),
      mostTold
    )
    const wide = found.flatMap(({ code_block }, at) => (code_block.name.startsWith("wide") ? [told[at]!] : []))
    assert.deepStrictEqual(wide, [each, each, each, each, 0])
  })
})
