import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { beginning, type Position, positionOf } from "#engine/Position.ts"
import { schemaOf } from "#engine/Projection.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { LogAudit } from "#ports/LogAudit.ts"
import { asOf, schemaAt } from "#src/audit/asOf.ts"
import { upToDate } from "#src/cli/log.ts"
import { audit } from "#src/layers.ts"
import { projections } from "#src/readModels.ts"
import { stored, vote } from "#test/http/store.ts"
import { memberKey } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"

type Rows = { readonly [table: string]: ReadonlyArray<unknown> }

describe("read models as of a position", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  const make = (position: Position) =>
    service.run(Effect.forEach(projections, (projection) => asOf(projection, position, () => undefined)))
  const at = (time: number) =>
    Effect.flatMap(LogAudit, (audit) => audit.at(time)).pipe(Effect.provide(audit({ dataDir: service.dataDir })))
  const rowsOf = (name: string) => service.sql(`SELECT * FROM ${name} ORDER BY id`)

  /** Every table of every live read model, once all is taken in. */
  const live = async (): Promise<Rows> => {
    await service.run(upToDate(...projections))
    const names = projections.flatMap((projection) =>
      Object.keys(projection.tables).map((table) => [`${projection.name}_${table}`, `${schemaOf(projection)}.${table}`])
    )
    return Object.fromEntries(await Promise.all(names.map(async ([name, from]) => [name, await rowsOf(from!)])))
  }
  const kept = async (position: Position): Promise<Rows> => {
    const made = await make(position)
    const tables = made.flatMap(({ tables }) => tables)
    const rows = await Promise.all(
      tables.map(async ({ name, rows }) => {
        const found = await rowsOf(name)
        assert.lengthOf(found, rows)
        return [name.split(".")[1]!, found] as const
      })
    )
    return Object.fromEntries(rows)
  }

  it("are what the live ones were then, and leave those alone", async () => {
    const points: Array<{ readonly position: Position; readonly rows: Rows }> = []
    // what is noted in the background comes when it will: the rows are those of a position only when the log stood
    // there
    const note = async () => {
      for (;;) {
        const position = await service.head()
        const rows = await live()
        if ((await service.head()) === position) return points.push({ position: positionOf(position), rows })
      }
    }
    const noted = (type: string) =>
      vi.waitFor(async () => assert.isNotEmpty(await service.sql("SELECT FROM events WHERE type = $1", [type])), 60_000)
    await stored(service.call, "voted")
    await noted("KeyUsed")
    await note()
    const { matches } = (await service.call("POST", "/api/retrieve/search", { task: "voted task" })).json
    await vote(service.call, matches[0].code_block.id)
    await memberKey(service.call, "later@example.org")
    await noted("SearchAnswered")
    await note()
    await stored(service.call, "second")
    const before = await live()
    for (const { position, rows } of points) assert.deepStrictEqual(await kept(position), rows)
    assert.deepStrictEqual(await live(), before)
    assert.notDeepEqual(points[0]!.rows, points[1]!.rows)
    // the same again replaces what it made
    assert.deepStrictEqual(await kept(points[0]!.position), points[0]!.rows)
  })

  it("are empty as of the beginning", async () => {
    for (const rows of Object.values(await kept(beginning))) assert.isEmpty(rows)
  })

  it("are removed without a trace", async () => {
    await make(positionOf(1))
    const forget = () => service.run(Effect.flatMap(ReadModels, (models) => models.forget(schemaAt(positionOf(1)))))
    assert.isTrue(await forget())
    assert.isFalse(await forget())
    assert.isEmpty(await service.sql("SELECT FROM read_models WHERE NOT live"))
    assert.isEmpty(await service.sql("SELECT FROM pg_namespace WHERE nspname = 'as_of_1'"))
  })

  it("know no text that was erased since", async () => {
    await memberKey(service.call, "gone@example.org")
    const position = await service.head()
    const { keys } = (await service.call("POST", "/api/keys/org/list")).json
    const { user_id } = keys.find(({ user_email }: { user_email: string }) => user_email === "gone@example.org")
    await service.call("DELETE", `/api/users/${user_id}`)
    const rows = await kept(positionOf(position))
    assert.deepInclude(
      (rows["keys_members"] as ReadonlyArray<{ user_id: string; email: string }>).map(({ user_id, email }) => [
        user_id,
        email
      ]),
      [user_id, ""]
    )
    assert.notInclude(
      JSON.stringify(rows["keys_members"], (_, value) => (typeof value === "bigint" ? Number(value) : value)),
      "gone@example.org"
    )
  })

  it("take a time as the last position that was recorded by then", async () => {
    const times = await service.sql<{ position: bigint; recorded_at: Date }>(
      "SELECT max(position) AS position, recorded_at FROM events GROUP BY recorded_at ORDER BY recorded_at"
    )
    for (const { position, recorded_at } of times) {
      assert.strictEqual(await service.run(at(recorded_at.getTime())), Number(position))
    }
    const first = times[0]!.recorded_at.getTime()
    assert.strictEqual(await service.run(at(first - 1)), 0)
    assert.strictEqual(await service.run(at(Number.MAX_SAFE_INTEGER)), await service.head())
  })
})
