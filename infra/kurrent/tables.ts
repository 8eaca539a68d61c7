import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Tables beside KurrentDB, for what a log of events can't hold or can't be asked for. They are not among the
 * migrations: a database whose log is its own has none of them.
 */
const statements = [
  // which log is this database's, whether the log says so too, and up to which position `kurrent_commands` has all
  // commands
  `CREATE TABLE IF NOT EXISTS kurrent_log (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    id uuid NOT NULL,
    begun boolean NOT NULL DEFAULT false,
    known bigint NOT NULL DEFAULT 0
  )`,
  // where a command was to go, noted before it went: a command that is not here was never appended
  `CREATE TABLE IF NOT EXISTS kurrent_commands (
    command_id uuid NOT NULL,
    stream text NOT NULL,
    revision integer NOT NULL,
    PRIMARY KEY (command_id, stream, revision)
  )`,
  `CREATE TABLE IF NOT EXISTS kurrent_texts (
    id uuid PRIMARY KEY,
    tenant text NOT NULL,
    subject text NOT NULL,
    salt bytea NOT NULL,
    bytes bytea NOT NULL
  )`,
  "CREATE INDEX IF NOT EXISTS kurrent_texts_subject ON kurrent_texts (tenant, subject)",
  "CREATE TABLE IF NOT EXISTS kurrent_erasures (tenant text NOT NULL, subject text NOT NULL, PRIMARY KEY (tenant, subject))"
]

/** The lock's number, beside those of the append (5020717) and the service (5020718). */
const lock = 5_020_719

/** Makes the tables that are not there; several processes may do so at once. */
export const makeTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${lock})`
      yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
    })
  )
})

/** Whether the database's log lies in KurrentDB. */
export const hasTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ there: boolean }>`SELECT to_regclass('kurrent_log') IS NOT NULL AS there`
  return row!.there
})
