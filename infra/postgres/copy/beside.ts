import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Stream } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Position, positionOf } from "#engine/Position.ts"
import { StoreUnavailable } from "#engine/ports/EventStore.ts"
import type { BackupFault } from "#ports/Backup.ts"
import { BesideLog, type ErasuresLeft } from "#ports/LogCopy.ts"
import { pageAfter, putRows, tables } from "./rows.ts"

type Client = PgClient.PgClient

const bring = (from: Client, to: Client) =>
  Effect.forEach(
    tables,
    Effect.fnUntraced(function* (table): Effect.fn.Return<void, SqlError> {
      let after: string | null = null
      do {
        const page: { rows: string | null; next: string | null } = yield* pageAfter(from, table, after)
        if (page.rows !== null) yield* putRows(to, table, page.rows)
        after = page.next
      } while (after !== null)
    }),
    { discard: true }
  )

/** Brings a backup's rows, as `BesideRows` gives them; `finish` brings those of reactions. */
const bringRows = (rows: Stream.Stream<ReadonlyArray<string>, BackupFault>, to: Client) =>
  Stream.runForEach(rows, (lines) => {
    const parsed = lines.map((line) => JSON.parse(line) as { readonly table: string; readonly row: object })
    return Effect.forEach(
      tables,
      (table) => {
        const own = parsed.flatMap((line) => (line.table === table.table ? [line.row] : []))
        return own.length === 0 ? Effect.void : putRows(to, table, JSON.stringify(own))
      },
      { discard: true }
    )
  })

const finish = (to: Client, checkpoints: ReadonlyMap<string, Position>, left?: ErasuresLeft) =>
  to.withTransaction(
    Effect.gen(function* () {
      for (const [name, position] of checkpoints) {
        yield* to`INSERT INTO reactions (name, position) VALUES (${name}, ${BigInt(position)})
          ON CONFLICT (name) DO UPDATE SET position = excluded.position`
      }
      if (left === undefined) yield* to`UPDATE log_copy SET finished_at = now()`
      else yield* to`UPDATE log_copy SET erasing = ${JSON.stringify(left)}::text::json`
      // these tables were filled at once, and may have no statistics yet
      yield* to.unsafe("ANALYZE events, payloads, erasures, requests")
    })
  )

const here = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.mapError(effect, () => new StoreUnavailable({ message: "What lies beside the log can't be copied." }))

/** The erasures that are left in a copy, and how that they are none any more is noted. */
const erasing = (to: Client) => ({
  left: here(
    Effect.map(to<{ erasing: ErasuresLeft | null }>`SELECT erasing FROM log_copy`, ([row]) => row?.erasing ?? undefined)
  ),
  erased: here(Effect.asVoid(to`UPDATE log_copy SET erasing = NULL, finished_at = now()`))
})

/** What a backup has beside its log, and what was erased since. */
interface BesideBackup {
  readonly checkpoints: ReadonlyMap<string, Position>
  readonly rows: Stream.Stream<ReadonlyArray<string>, BackupFault>
  readonly left: ErasuresLeft | undefined
}

/** Copies what lies beside the log from a backup into a database. */
export const restoredLayer = ({ checkpoints, rows, left }: BesideBackup, to: Client) =>
  Layer.succeed(BesideLog, {
    checkpoints: Effect.succeed(checkpoints),
    bring: here(bringRows(rows, to)),
    finish: (reached) => here(finish(to, reached, left)),
    ...erasing(to)
  })

/** Copies what lies beside the log from one database to another. */
export const layer = (from: Client, to: Client) =>
  Layer.succeed(BesideLog, {
    checkpoints: here(
      Effect.map(
        from<{ name: string; position: bigint }>`SELECT name, position FROM reactions`,
        (rows) => new Map(rows.map(({ name, position }) => [name, positionOf(position)]))
      )
    ),
    bring: here(bring(from, to)),
    finish: (checkpoints) => here(finish(to, checkpoints)),
    ...erasing(to)
  })
