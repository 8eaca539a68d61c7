import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { beginning } from "#engine/Position.ts"
import type { Append } from "#engine/ports/EventStore.ts"
import { appendBatch } from "#infra/postgres/log/append.ts"
import { isOne } from "#infra/postgres/log/appendOne.ts"
import * as PostgresLogAudit from "#infra/postgres/log/audit.ts"
import { Writers } from "#infra/postgres/log/Writers.ts"
import { piece } from "#infra/postgres/sending.ts"
import { LogAudit } from "#ports/LogAudit.ts"
import { command, fresh, noted, to, typed, upTo } from "../../engine/appends.ts"
import { freshClient } from "../stores.ts"

const of = (...events: ReadonlyArray<ReturnType<typeof noted>>) => command({ events })
const somebody = { key: "key", user: "user", organization: "organization" }

describe("es_append_one", () => {
  it("is for one event that erases nothing and whose text goes in one message", () => {
    const is = (...batch: ReadonlyArray<Append>) => isOne(batch)
    assert.isTrue(is(to("s")))
    assert.isTrue(is(to("s", 3, [of(noted({ payload: typed("subject", new Uint8Array(piece)) }))])))
    assert.isFalse(is(to("s", 3, [of(noted({ payload: typed("subject", new Uint8Array(piece + 1)) }))])))
    assert.isFalse(is(to("s", 3, [of(noted({ erases: ["subject"] }))])))
    assert.isFalse(is(to("s", 3, [of(noted(), noted())])))
    assert.isFalse(is(to("s", 3, [of(), of(noted())])))
    assert.isFalse(is(to("s"), to("t")))
  })

  it.effect("leaves the rows that es_append leaves, and a digest that an audit finds to be theirs", () =>
    Effect.gen(function* () {
      const [stream, other] = [fresh(), fresh()]
      const units = [
        to(stream, "none"),
        to(stream, 0, [of(noted({ payload: typed("subject"), data: '{"é":"\\u0000"}' }))]),
        to(stream, "any", [command({ actor: somebody, causationId: randomUUID() })], "another"),
        to(other, "any", [command({ request: { digest: "d", n: 0, fingerprint: null } })]),
        // of two bytes each
        to(other, 0, [of(noted({ data: JSON.stringify("é".repeat(1_023)) }))]),
        to(other, 1, [of(noted({ data: JSON.stringify("é".repeat(1_024)) }))]),
        to(other, 2, [of(noted({ data: `"${"x".repeat(1_000)}"`, payload: typed("subject", new Uint8Array(1_047)) }))])
      ]
      const left = (batches: (unit: Append) => ReadonlyArray<ReadonlyArray<Append>>) =>
        Effect.gen(function* () {
          const sql = yield* PgClient
          const verdicts = yield* Effect.forEach(units, (unit) =>
            Effect.map(Effect.forEach(batches(unit), appendBatch), ([verdict]) => verdict!)
          )
          const { events } = { events: yield* (yield* LogAudit).read(beginning, 100) }
          assert.isTrue(events.every(({ intact }) => intact))
          assert.deepStrictEqual(
            events.filter((_, index) => index % 2 === 0).map(({ recordedAt }) => recordedAt),
            verdicts.map(({ recordedAt }) => recordedAt)
          )
          return {
            verdicts: verdicts.map(({ recordedAt: _, ...verdict }) => verdict),
            rows: yield* sql`SELECT to_jsonb(e) - 'recorded_at' - 'digest' AS row FROM events e
              WHERE tenant <> 'beside' ORDER BY position`,
            payloads: yield* sql`SELECT * FROM payloads ORDER BY id`
          }
        }).pipe(
          Effect.provide(
            Layer.merge(PostgresLogAudit.layer, Writers.layer).pipe(Layer.provideMerge(Layer.fresh(freshClient)))
          )
        )
      const beside = () => to(fresh(), "none", [command()], "beside")
      const byOne = yield* left((unit) => [[unit], [beside()]])
      assert.lengthOf(byOne.rows, units.length)
      assert.lengthOf(byOne.payloads, 2)
      const together = yield* left((unit) => [[unit, beside()]])
      assert.deepStrictEqual(byOne, {
        ...together,
        verdicts: together.verdicts.map((verdict) => ({ ...verdict, actual: verdict.actual.slice(0, 1) }))
      })
    })
  )

  it.effect(
    "reads by indexes, also when its plans are made on empty tables, and leaves nothing of what was refused",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient
        yield* sql.withTransaction(
          Effect.gen(function* () {
            const scans = sql<{
              relname: string
              scans: number
            }>`SELECT relname, pg_stat_get_xact_numscans(oid)::int AS scans
            FROM pg_class WHERE relname IN ('events', 'payloads', 'erasures') AND relnamespace = current_schema()::regnamespace
            ORDER BY relname`
            const before = yield* scans
            const stream = fresh()
            for (const _ of upTo(20)) yield* appendBatch([to(stream, "any", [of(noted({ payload: typed(fresh()) }))])])
            const refused = of(noted({ payload: typed("refused") }))
            assert.deepStrictEqual((yield* appendBatch([to(stream, "none", [refused])])).trouble, [0])
            assert.deepStrictEqual((yield* appendBatch([to(fresh(), 4, [refused])])).actual, [-1])
            assert.deepStrictEqual(yield* sql`SELECT 1 FROM payloads WHERE subject = 'refused'`, [])
            // given once, it is in trouble the next time, and its text stays
            yield* appendBatch([to(fresh(), "any", [refused])])
            assert.deepStrictEqual((yield* appendBatch([to(fresh(), "any", [refused])])).trouble, [0])
            assert.lengthOf(yield* sql`SELECT 1 FROM payloads WHERE subject = 'refused'`, 1)
            const after = yield* scans
            // but for the two looks of this test
            assert.deepStrictEqual(
              after.map(({ relname, scans }, index) => [relname, scans - before[index]!.scans]),
              [
                ["erasures", 0],
                ["events", 0],
                ["payloads", 2]
              ]
            )
          })
        )
      }).pipe(Effect.provideServiceEffect(Writers, Writers.inTransaction), Effect.provide(freshClient))
  )
})
