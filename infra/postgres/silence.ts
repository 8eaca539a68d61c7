import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Milliseconds after which the server ends a transaction of whose client it hears nothing. A client that was stopped in
 * its tracks, or cut off, would otherwise keep its locks, and all other processes from what they are on, for ever. What
 * waits longer between two statements says something meanwhile (`awake`).
 */
export const silence = 30_000

export const idleSetting = "idle_in_transaction_session_timeout"

/** SQL for what is in force in a session. */
export const inForce = `SELECT setting AS millis FROM pg_settings WHERE name = '${idleSetting}'`

/** By these a server notices after 25 s that a client's machine is gone. */
export const keepalives = { tcp_keepalives_idle: "10", tcp_keepalives_interval: "5", tcp_keepalives_count: "3" }

/**
 * What a session begins with. `far`: the client's machine may vanish without the server's; then the server gives the
 * session up after 25 s in which nobody acknowledged what it sent, too.
 */
export const beginsWith = (millis = silence, far: boolean): Readonly<Record<string, string>> => ({
  [idleSetting]: String(millis),
  ...(far && { ...keepalives, tcp_user_timeout: "25000" })
})

/** For a client whose sessions begin with no settings: a first statement of each transaction. */
export const setting = (millis = silence): string => `SET LOCAL ${idleSetting} = ${millis}`

/** A client whose transactions set what its sessions can't begin with. */
export const settingEach =
  (millis: number | undefined) =>
  (sql: PgClient.PgClient): PgClient.PgClient => {
    const { withTransaction } = sql
    const set = sql.unsafe(setting(millis))
    return Object.assign(sql, {
      withTransaction: <R, E, A>(effect: Effect.Effect<A, E, R>) => withTransaction(Effect.andThen(set, effect))
    })
  }

/** Says something, and no more: it takes no snapshot and reads nothing. */
export const signOfLife = "SHOW server_version"

/**
 * Says something in the transaction that this runs in, over and over, so that the server hears of a client that waits
 * for something else. What it says is not interrupted, because that would end the connection. Never succeeds.
 */
export const awake = (sql: PgClient.PgClient): Effect.Effect<never, SqlError> =>
  Effect.forever(Effect.andThen(Effect.sleep(silence / 3), Effect.uninterruptible(sql.unsafe(signOfLife))))
