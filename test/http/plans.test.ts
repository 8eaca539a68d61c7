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

it("what uploads, searches and votes ask of Postgres is planned a few times, and then by plans that are kept", async () => {
  const { call, sql } = service
  for (let n = 0; n < 12; n++) {
    const name = `read_file_${n}`
    const source = `def ${name}(path):\n    """Reads file ${n}."""\n    return open(path).read()\n`
    const block = { name, entrypoint: name, language: "python", source }
    const { json } = await call("POST", "/api/store/code-block", block)
    // of a catalogue that has changed nothing is at hand
    assert.isNotEmpty((await call("POST", "/api/retrieve/search", { task: `read file ${n}` })).json.matches)
    const vote = { task: "read", code_block_id: json.code_block_id, succeeded: true }
    assert.strictEqual((await call("POST", "/api/store/cache-usage", vote)).status, 200)
  }
  // of the connection that was used last, which is used first: Postgres knows five plans before it keeps one
  const plans = await sql<{ statement: string; own: number; kept: number }>(
    `SELECT statement, custom_plans::int AS own, generic_plans::int AS kept FROM pg_prepared_statements
     WHERE statement NOT LIKE '%pg_prepared_statements%' ORDER BY own DESC`
  )
  assert.isAbove(plans.filter(({ kept }) => kept > 5).length, 10)
  assert.deepStrictEqual(
    plans.filter(({ own }) => own > 5).map(({ statement }) => statement),
    []
  )
})

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
  for (const { own, kept } of plans) assert.isTrue(own <= 5 && kept >= 7, `${own} of its own, ${kept} kept`)
})
