import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, beforeAll, it, vi } from "vitest"
import { listKeys, listUsers } from "#projections/Keys/listed.ts"
import { type Service, startService } from "#test/service.ts"

const many = 5_000
let service: Service
let tenant: string

/** Writes a table's one row again and again, with some columns' own values. */
const repeat = async (name: string, own: { readonly [column: string]: string }) => {
  const columns = await service.sql<{ column: string }>(
    `SELECT attname AS column FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [name]
  )
  const names = columns.map(({ column }) => column)
  await service.sql(
    `INSERT INTO ${name} (${names.join(", ")})
     SELECT ${names.map((column) => own[column] ?? `one.${column}`).join(", ")}
     FROM (SELECT * FROM ${name} LIMIT 1) one, generate_series(1, ${many}) n`
  )
  await service.sql(`ANALYZE ${name}`)
}

beforeAll(async () => {
  service = await startService()
  const rows = () =>
    service.sql<{ tenant: string }>("SELECT k.tenant FROM keys_v4.keys k JOIN keys_v4.members USING (tenant)")
  tenant = await vi.waitFor(async () => (await rows())[0]!.tenant, { timeout: 60_000 })
  await repeat("keys_v4.members", {
    id: "one.tenant || '/' || n",
    user_id: "n::text",
    email: "n || '@example.org'",
    joined_by: "1000 + n"
  })
  await repeat("keys_v4.keys", { id: "'key ' || n", hash: "'hash ' || n", user_id: "n::text", created_by: "1000 + n" })
  await service.sql(`INSERT INTO key_sightings SELECT 'key ' || n, now() FROM generate_series(1, ${many}) n`)
  await service.sql("ANALYZE key_sightings")
})
afterAll(() => service.close())

/** Rows that were read, for something, of the tables of a name. */
const readFor = <A>(page: Effect.Effect<ReadonlyArray<A>, unknown, SqlClient.SqlClient>, table: string) =>
  service.run(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const looks = Effect.gen(function* () {
        const listed = yield* page
        const [read] = yield* sql<{ rows: number }>`SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows
          FROM pg_stat_xact_user_tables WHERE relname = ${table}`
        return { listed: listed.length, read: read!.rows }
      })
      return yield* sql.withTransaction(looks)
    })
  )

it("a page of keys, or of people, reads what is beside its own rows, and not beside all", async () => {
  for (const [page, table] of [
    [listKeys(tenant, 2_000, 11), "members"],
    [listKeys(tenant, 2_000, 11), "key_sightings"],
    [listUsers(tenant, 2_000, 11), "key_sightings"]
  ] as const) {
    const { listed, read } = await readFor<unknown>(page, table)
    assert.strictEqual(listed, 11)
    // a connection may count on from the page before
    assert.isBelow(read, 100, table)
  }
})
