import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { listedByIds, snippetsByIds } from "#projections/Snippets/queries.ts"
import { type Service, startService } from "../service.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

it("snippets are read by plans that are kept, however few they are", async () => {
  const read = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const ids of [["a"], ["a", "b"], ["a", "b", "c"]])
      for (let n = 0; n < 4; n++) {
        yield* snippetsByIds(ids, ["home"], 1_000)
        yield* snippetsByIds(ids, ["home"])
        yield* listedByIds(ids, ["home"])
      }
    return yield* sql.unsafe<{ own: number; kept: number }>(
      `SELECT custom_plans::int AS own, generic_plans::int AS kept FROM pg_prepared_statements
       WHERE statement LIKE '%.comments%' AND statement NOT LIKE '%pg_prepared_statements%'`
    )
  })
  // one connection all along: plans are its own
  const inOne = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(read))
  const plans = await service.run(inOne)
  assert.lengthOf(plans, 3)
  for (const { own, kept } of plans) assert.isAbove(kept, 0, `${own} plans of its own`)
})
