import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Position, positionOf } from "#engine/Position.ts"
import { StoreUnavailable } from "#engine/ports/EventStore.ts"
import { BesideLog } from "#ports/LogCopy.ts"

/** Rows that go at once. */
const some = 2_000

/** Tables whose rows are in no event, by what tells the rows apart. */
const tables = [
  { table: "requests", key: ["digest", "n"] },
  { table: "key_sightings", key: ["key"] }
] as const

type Client = PgClient.PgClient

interface Page {
  readonly rows: string | null
  readonly last: string | null
  readonly count: bigint
}

/** As JSON, which has every column by its name, whatever their order. */
const bring = (from: Client, to: Client) =>
  Effect.forEach(
    tables,
    Effect.fnUntraced(function* ({ table, key }): Effect.fn.Return<void, SqlError> {
      const keys = key.join(", ")
      for (let after: string | null = null; ; ) {
        const [page]: ReadonlyArray<Page> = yield* from.unsafe<Page>(
          `WITH page AS (SELECT * FROM ${table} t
             WHERE $1::text IS NULL OR (${keys}) > (SELECT ${keys} FROM json_populate_record(NULL::${table}, $1::text::json))
             ORDER BY ${keys} LIMIT ${some})
           SELECT json_agg(page)::text AS rows, count(*) AS count,
             (SELECT row_to_json(l)::text FROM (SELECT * FROM page ORDER BY ${key.map((name) => `${name} DESC`).join(", ")} LIMIT 1) l) AS last
           FROM page`,
          [after]
        )
        if (page!.rows === null) return
        yield* to.unsafe(
          `DELETE FROM ${table} WHERE (${keys}) IN
          (SELECT ${keys} FROM json_populate_recordset(NULL::${table}, $1::text::json))`,
          [page!.rows]
        )
        yield* to.unsafe(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::text::json)`, [
          page!.rows
        ])
        if (page!.count < some) return
        after = page!.last
      }
    }),
    { discard: true }
  )

const finish = (to: Client, checkpoints: ReadonlyMap<string, Position>) =>
  to.withTransaction(
    Effect.gen(function* () {
      for (const [name, position] of checkpoints) {
        yield* to`INSERT INTO reactions (name, position) VALUES (${name}, ${BigInt(position)})
          ON CONFLICT (name) DO UPDATE SET position = excluded.position`
      }
      yield* to`UPDATE log_copy SET finished_at = now()`
      // nobody has asked them anything yet
      yield* to.unsafe("ANALYZE events, payloads, erasures, requests")
    })
  )

const here = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.mapError(effect, () => new StoreUnavailable({ message: "What lies beside the log can't be copied." }))

/** From one database to another. */
export const layer = (from: Client, to: Client) =>
  Layer.succeed(BesideLog, {
    checkpoints: here(
      Effect.map(
        from<{ name: string; position: bigint }>`SELECT name, position FROM reactions`,
        (rows) => new Map(rows.map(({ name, position }) => [name, positionOf(position)]))
      )
    ),
    bring: here(bring(from, to)),
    finish: (checkpoints) => here(finish(to, checkpoints))
  })
