import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/**
 * Bytes of one message; what is longer goes to the database in pieces. A parameter is in memory five times (encoded, in
 * its array, in its message, in what is sent, on the socket), and three times as long while its text becomes UTF-8: an
 * upload of 32 MiB took 160 MiB at once.
 */
export const piece = 512 * 1024

/** Whether a text, or bytes, are too long for one message. */
export const isLong = ({ length }: { readonly length: number }): boolean => length > piece

/** A table of the session: it is in no log of the database, and empty again when the transaction is over. */
const table = `CREATE TEMP TABLE IF NOT EXISTS sent (value integer NOT NULL, place integer NOT NULL, bytes bytea NOT NULL)
  ON COMMIT DELETE ROWS`

/** SQL for the bytes of a value that was sent; `value` is SQL for its number. */
export const sent = (value: string): string =>
  `(SELECT string_agg(s.bytes, ''::bytea ORDER BY s.place) FROM pg_temp.sent s WHERE s.value = ${value})`

/** Begins to send values in pieces, for a later statement of the same transaction. Forgets what it has sent before. */
export const beginSending = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const clear = sql.unsafe("DELETE FROM pg_temp.sent")
  yield* sql.unsafe(table)
  yield* clear
  let place = 0
  return {
    /** Puts a piece behind those that the value has. */
    put: (value: number, bytes: Uint8Array) =>
      sql.unsafe("INSERT INTO pg_temp.sent (value, place, bytes) VALUES ($1, $2, $3)", [value, place++, bytes]),
    /** Forgets all values. */
    clear
  }
})

/** Sends the long ones among some values, each under its place among all of them, from 1. */
export const sendLong = Effect.fnUntraced(function* (values: ReadonlyArray<Uint8Array>) {
  const { put } = yield* beginSending
  for (const [index, bytes] of values.entries()) {
    if (!isLong(bytes)) continue
    for (let at = 0; at < bytes.length; at += piece) yield* put(index + 1, bytes.subarray(at, at + piece))
  }
})
