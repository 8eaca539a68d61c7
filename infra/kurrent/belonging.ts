import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { beginning, positionOf } from "#engine/Position.ts"
import { NotOurs } from "#ports/Hold.ts"
import { patiently } from "./append.ts"
import { Kurrent } from "./client.ts"
import { Log, logOf, Mark } from "./Log.ts"
import { eventFrom } from "./place.ts"
import { nobodysSystem } from "./read.ts"
import { makeTables } from "./tables.ts"

/** The id of the log that the server has; `undefined`: it has no Cairn's log. */
export const markOf = Effect.gen(function* () {
  const { readStream } = yield* Kurrent
  const mark = yield* Mark
  const [begun] = yield* Effect.retry(readStream(mark, { from: 0, count: 1 }), patiently)
  return (begun?.data as { readonly id?: string } | undefined)?.id
})

const hasEvents = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return (yield* sql`SELECT 1 FROM events LIMIT 1`).length > 0
})

/** The last position that anything in the database tells of: commands alone are noted as known only now and then. */
const reached = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ position: bigint }>`SELECT greatest(
      (SELECT known FROM kurrent_log),
      (SELECT max(position) FROM read_models),
      (SELECT max(position) FROM reactions)
    ) AS position`
  return positionOf(row!.position)
})

/**
 * Whether the log has less than the database knows of it. If not, an event is at the last known position or behind it,
 * as a stream's last event is never scavenged.
 */
const isSetBack = Effect.gen(function* () {
  const known = yield* reached
  if (known === beginning) return false
  return (yield* Effect.retry(eventFrom(known, 9, nobodysSystem), patiently)) === undefined
})

/**
 * The log of this database: both carry its id, from the first start on. Fails with `NotOurs` if the server has another
 * database's log, none though this database has begun one, or less of it than there was; and if the database has a log
 * of its own.
 */
export const layer = Layer.effect(
  Log,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { address, append } = yield* Kurrent
    const mark = yield* Mark
    const refuse = (why: string) => new NotOurs({ message: `KURRENTDB_URL: the server at ${address.place} ${why}` })
    if (yield* hasEvents) {
      return yield* refuse(
        "can't be this database's log, which has events of its own. Leave KURRENTDB_URL out, or set DATABASE_URL (or CAIRN_DATA_DIR) to a new database."
      )
    }
    yield* makeTables
    const there = yield* markOf
    // several processes that begin at once get one id
    yield* sql`INSERT INTO kurrent_log (id) VALUES (${randomUUID()}) ON CONFLICT DO NOTHING`
    const [row] = yield* sql<{ id: string; begun: boolean }>`SELECT id, begun FROM kurrent_log`
    const { id, begun } = row!
    if (there !== undefined && there !== id)
      return yield* refuse(
        "has the log of another database, and one log has one database. Set DATABASE_URL to that one."
      )
    if (begun && there === undefined)
      return yield* refuse("does not have this database's log. Set KURRENTDB_URL to the one that it was used with.")
    if (begun && (yield* isSetBack))
      return yield* refuse(
        "has less of this database's log than it had: it was restored from an older backup. Set DATABASE_URL (or CAIRN_DATA_DIR) to a backup that is not younger."
      )
    if (begun) return logOf(id)

    const beginning = {
      id: derivedId("log", id),
      type: "CairnLogBegun",
      contentType: "application/json",
      data: { id },
      metadata: undefined
    } as const
    yield* Effect.retry(append(mark, -1, [beginning]), patiently).pipe(
      Effect.catchIf(
        ({ kind }) => kind === "wrong-revision",
        () => refuse("has the log of another database, which began just now.")
      )
    )
    yield* sql`UPDATE kurrent_log SET begun = true`
    return logOf(id)
  })
)
