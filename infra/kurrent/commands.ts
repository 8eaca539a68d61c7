import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import { type Position, positionOf } from "#engine/Position.ts"
import { columnOf } from "../postgres/arrayOf.ts"

/** Where a command was to go: the revision that its first event would have. */
export interface Whither {
  readonly commandId: string
  readonly revision: number
}

const { int4, text, uuid } = PgTypes.OID

interface Row {
  readonly command_id: string
  readonly revision: number
}

const noting = `WITH put AS (INSERT INTO kurrent_commands (command_id, stream, revision)
    SELECT command, $3, revision FROM unnest($1::uuid[], $2::integer[]) AS n (command, revision)
    ORDER BY command ON CONFLICT DO NOTHING)
  SELECT command_id, revision FROM kurrent_commands WHERE command_id = ANY ($1::uuid[]) AND stream = $3`

/** Notes where a stream's commands are about to go, and gives where the same ones were about to go before. */
export const note = Effect.fnUntraced(function* (stream: string, commands: ReadonlyArray<Whither>) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql.unsafe<Row>(noting, [
    columnOf(commands, ({ commandId }) => commandId, uuid),
    columnOf(commands, ({ revision }) => revision, int4),
    stream
  ])
  return rows.map(({ command_id, revision }): Whither => ({ commandId: command_id, revision }))
})

/** The revisions at which a command of a stream was about to go in, over all tries; the lowest first. */
export const find = Effect.fnUntraced(function* (stream: string, commandId: string) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<Row>`SELECT command_id, revision FROM kurrent_commands
    WHERE command_id = ${commandId}::uuid AND stream = ${stream} ORDER BY revision`
  return rows.map(({ revision }) => revision)
})

/** The position up to which all commands of the log are known. */
export const known = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ known: bigint }>`SELECT known FROM kurrent_log`
  return positionOf(row!.known)
})

/** Takes in commands that the log has, and that all commands up to a position are known. */
export const learn = Effect.fnUntraced(function* (
  commands: ReadonlyArray<Whither & { readonly stream: string }>,
  upTo: Position
) {
  const sql = yield* PgClient.PgClient
  if (commands.length > 0) {
    yield* sql.unsafe(
      `INSERT INTO kurrent_commands (command_id, stream, revision)
        SELECT * FROM unnest($1::uuid[], $2::text[], $3::integer[]) ON CONFLICT DO NOTHING`,
      [
        columnOf(commands, ({ commandId }) => commandId, uuid),
        columnOf(commands, ({ stream }) => stream, text),
        columnOf(commands, ({ revision }) => revision, int4)
      ]
    )
  }
  yield* sql`UPDATE kurrent_log SET known = greatest(known, ${BigInt(upTo)})`
})
