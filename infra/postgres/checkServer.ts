import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect } from "effect"
import { EngineUnusable } from "#ports/EngineUnusable.ts"

const oldest = 15
/** Tries at a pooler: with others at work, it may leave us our session by chance, but not that often. */
const tries = 64

/** `passes`: it may be otherwise in a moment, as after a failover. */
const unfit = (why: string, passes = false) =>
  new EngineUnusable({ message: `DATABASE_URL names a database that Cairn can't be kept in: ${why}`, passes })

const question = `SELECT current_setting('server_version_num')::int / 10000 AS version,
  current_setting('server_encoding') AS encoding,
  pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS readonly`

/**
 * Refuses a server that is too old, that only reads, or whose database can't hold every text. Also refuses a pooler
 * that gives each transaction another session: there, a session's lock belongs to nobody and LISTEN hears nothing.
 *
 * A pooler's mode shows in what it does. A session of our own keeps its Postgres process while another connection is in
 * a transaction, and that connection has another process. In that mode, the pooler gives out the process that became
 * free last or, where it takes turns, another one each time.
 */
export const checkServer = Effect.fnUntraced(function* (config: PgConnection.Config) {
  const one = yield* PgConnection.make(config)
  const first = (connection: PgConnection.PgConnection, sql: string) =>
    Effect.map(connection.query(sql, [], false), ({ rows }) => rows[0] as Record<string, unknown>)
  const processOf = (connection: PgConnection.PgConnection) =>
    Effect.map(first(connection, "SELECT pg_backend_pid() AS pid"), ({ pid }) => pid)

  const { version, encoding, readonly } = yield* first(one, question)
  if (Number(version) < oldest) {
    return yield* unfit(`the server is Postgres ${version}, and ${oldest} or a newer one is needed.`)
  }
  if (encoding !== "UTF8") return yield* unfit(`its encoding is ${encoding}, and UTF8 is needed.`)
  if (readonly === true) {
    return yield* unfit("it only reads, as a standby does: name the one that takes writes.", true)
  }

  const other = yield* PgConnection.make(config)
  /** Tries once whether our session is moved, or given to the other connection too. */
  const moves = Effect.gen(function* () {
    const before = yield* processOf(one)
    yield* other.query("BEGIN", [], false)
    const between = yield* processOf(other)
    // a pool of one session is known by now, and would keep the next query waiting
    const moved = between === before || (yield* processOf(one)) !== before
    yield* other.query("ROLLBACK", [], false)
    return moved
  })
  // if this is not the process that the server named when we connected, there is somebody in between
  const between = (yield* processOf(one)) !== one.processId
  for (let left = between ? tries : 1; left > 0; left--) {
    if (!(yield* moves)) continue
    return yield* unfit(
      "there is a pooler in between that gives each transaction another session (PgBouncer's pool_mode = transaction or statement). Cairn holds locks of a session's and listens on one (LISTEN): name the server itself, or a pool with pool_mode = session."
    )
  }
}, Effect.scoped)
