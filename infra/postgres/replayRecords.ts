import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { positionOf } from "#engine/Position.ts"
import { type ReplayRecord, ReplayRecords } from "#ports/ReplayRecords.ts"

/** How long a replay goes without a beat before it counts as broken off. */
const silence = "15 seconds"

type Row = Omit<ReplayRecord, "position" | "goal" | "startedAt" | "endedAt"> & {
  readonly position: bigint | null
  readonly goal: bigint | null
  readonly started_at: Date
  readonly ended_at: Date | null
}

const place = (position: bigint | null) => (position === null ? null : positionOf(position))
const big = (position: number | null) => (position === null ? null : BigInt(position))

/** The table of replays. */
export const layer = Layer.effect(
  ReplayRecords,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const isRunning = sql`outcome IS NULL AND seen_at > clock_timestamp() - ${silence}::interval`
    return ReplayRecords.of({
      all: Effect.map(
        sql<Row>`SELECT id, name, promote, key, started_at, ended_at, position, goal, events::float8 AS events, differences, fault,
            coalesce(outcome, CASE WHEN ${isRunning} THEN 'running' ELSE 'broken_off' END) AS state
          FROM replays ORDER BY name`,
        (rows) =>
          rows.map(
            ({ started_at, ended_at, ...row }): ReplayRecord => ({
              ...row,
              position: place(row.position),
              goal: place(row.goal),
              startedAt: started_at,
              endedAt: ended_at
            })
          )
      ),
      begin: ({ id, name, promote, key }) =>
        Effect.gen(function* () {
          // two replays that begin at once take turns here
          yield* sql`LOCK TABLE replays IN SHARE ROW EXCLUSIVE MODE`
          const begun = yield* sql`INSERT INTO replays (name, id, promote, key)
            SELECT ${name}, ${id}::uuid, ${promote}, ${key} WHERE NOT EXISTS (SELECT 1 FROM replays WHERE ${isRunning})
            ON CONFLICT (name) DO UPDATE SET id = excluded.id, promote = excluded.promote, key = excluded.key,
              started_at = clock_timestamp(), seen_at = clock_timestamp(), ended_at = NULL, cancelled = false,
              outcome = NULL, position = NULL, goal = NULL, events = 0, differences = '[]', fault = NULL
            RETURNING name`
          return begun.length > 0
        }).pipe(sql.withTransaction),
      beat: (id, { position, goal, events }) =>
        Effect.map(
          sql`UPDATE replays SET seen_at = clock_timestamp(), position = ${big(position)}, goal = ${big(goal)}, events = ${BigInt(events)}
            WHERE id = ${id}::uuid AND ${isRunning} AND NOT cancelled RETURNING name`,
          (rows) => rows.length > 0
        ),
      end: (id, { position, goal, events, differences, fault, outcome }) =>
        Effect.map(
          sql<{
            cancelled: boolean
          }>`UPDATE replays SET ended_at = clock_timestamp(), outcome = ${outcome}, position = ${big(position)}, goal = ${big(goal)},
              events = ${BigInt(events)}, differences = ${JSON.stringify(differences)}::text::json, fault = ${fault}
            WHERE id = ${id}::uuid AND outcome IS NULL RETURNING cancelled`,
          ([ended]) => ended?.cancelled ?? false
        ),
      forget: (name) => Effect.asVoid(sql`DELETE FROM replays WHERE name = ${name} AND NOT (${isRunning})`),
      cancel: (name) =>
        Effect.map(
          sql`UPDATE replays SET cancelled = true WHERE name = ${name} AND outcome IS NULL RETURNING name`,
          (rows) => rows.length > 0
        )
    })
  })
)
