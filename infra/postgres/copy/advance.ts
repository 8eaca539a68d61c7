import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { positionOf } from "#engine/Position.ts"
import type { LastCopied, WholeEvent } from "#ports/LogCopy.ts"

interface Row {
  readonly position: bigint
  readonly stream: string | null
  readonly revision: number | null
  readonly event_id: string | null
}

/** The last event that is copied for good; `undefined`: none. */
export const last = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<Row>`SELECT position, stream, revision, event_id FROM log_copy`
  if (row?.event_id == null) return undefined
  const { position, stream, revision, event_id } = row
  return {
    position: positionOf(position),
    stream: stream!,
    revision: revision!,
    eventId: event_id
  } satisfies LastCopied
})

/** Notes that all events up to this one are copied. */
export const advance = Effect.fnUntraced(function* ({ position, stream, revision, eventId }: WholeEvent) {
  const sql = yield* PgClient.PgClient
  yield* sql`UPDATE log_copy SET position = ${BigInt(position)}, stream = ${stream}, revision = ${revision},
    event_id = ${eventId}::uuid`
})
