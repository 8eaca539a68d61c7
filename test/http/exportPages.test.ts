import { Effect } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import { snippetsAfter } from "#projections/Snippets/queries.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { source, stored } from "./store.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

it("an export's page ends where it has its bytes, and has one snippet at least", async () => {
  const { call, id } = await organization(service, "PRO")
  for (const name of ["one", "two", "three", "four"]) {
    await stored(call, name, {
      file_written: { path: `${name}.py`, content: `${source(name)}# ${"x".repeat(1_000)}\n` }
    })
  }
  // what is written was applied: this read waits for it
  await call("POST", "/api/retrieve/search", { task: "one" })
  const count = (rows: number, bytes: number) =>
    service.run(Effect.map(snippetsAfter(id, null, "", { rows, bytes }), (found) => found.length))
  assert.deepStrictEqual(
    [await count(500, 1_000_000), await count(3, 1_000_000), await count(500, 1), await count(500, 1_500)],
    [4, 3, 1, 2]
  )
})
