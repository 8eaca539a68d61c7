import { PgClient, PgTypes } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import { beginning, positionOf } from "#engine/Position.ts"
import { StoreUnavailable } from "#engine/ports/EventStore.ts"
import { type Text, Texts } from "#engine/ports/Texts.ts"
import { finishing } from "#engine/texts.ts"
import { arrayOf, columnOf } from "../postgres/arrayOf.ts"
import { isLong, piece, sendLong, sent } from "../postgres/sending.ts"
import { transaction } from "../postgres/transaction.ts"

/** Puts share this lock. An erasure has it alone: it waits for puts under way, and none begins beside it. */
const lock = 5_020_720

const { bytea, text, uuid } = PgTypes.OID

const inserting = (bytes: string): string => `INSERT INTO kurrent_texts (id, tenant, subject, salt, bytes)
  SELECT n.id, n.tenant, n.subject, n.salt, ${bytes}
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::bytea[]) WITH ORDINALITY
    AS n (id, tenant, subject, salt, bytes, place)
  WHERE NOT EXISTS (SELECT FROM kurrent_erasures x WHERE x.tenant = n.tenant AND x.subject = n.subject)
  ORDER BY n.id ON CONFLICT DO NOTHING`

const statement = inserting("n.bytes")
const statementOfSent = inserting(`coalesce(n.bytes, ${sent("n.place::integer")})`)

const put = Effect.fnUntraced(function* (texts: ReadonlyArray<Text>) {
  const sql = yield* PgClient.PgClient
  const long = texts.some(({ bytes }) => isLong(bytes))
  yield* sql`SELECT pg_advisory_xact_lock_shared(${lock})`
  if (long) yield* sendLong(texts.map(({ bytes }) => bytes))
  yield* sql.unsafe(long ? statementOfSent : statement, [
    columnOf(texts, ({ id }) => id, uuid),
    columnOf(texts, ({ tenant }) => tenant, text),
    columnOf(texts, ({ subject }) => subject, text),
    columnOf(texts, ({ salt }) => salt, bytea),
    columnOf(texts, ({ bytes }) => (isLong(bytes) ? null : bytes), bytea)
  ])
})

const long = Effect.fnUntraced(function* (id: string, size: number) {
  const sql = yield* PgClient.PgClient
  const whole = new Uint8Array(size)
  for (let at = 0; at < size; at += piece) {
    const [row] = yield* sql<{ bytes: Uint8Array }>`SELECT substring(bytes FROM ${at + 1} FOR ${piece}) AS bytes
      FROM kurrent_texts WHERE id = ${id}::uuid`
    // erased in between
    if (row === undefined) return undefined
    whole.set(row.bytes, at)
  }
  return whole
})

const get = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql.unsafe<{ id: string; size: number; bytes: Uint8Array | null }>(
    `SELECT id, octet_length(bytes) AS size, CASE WHEN octet_length(bytes) <= ${piece} THEN bytes END AS bytes
     FROM kurrent_texts WHERE id = ANY ($1::uuid[])`,
    [arrayOf(ids, uuid)]
  )
  const found = new Map<string, Uint8Array>()
  for (const { id, size, bytes } of rows) {
    const whole = bytes ?? (yield* long(id, size))
    if (whole !== undefined) found.set(id, whole)
  }
  return found
})

const erase = Effect.fnUntraced(function* (tenant: string, subjects: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  const those = arrayOf([...new Set(subjects)].sort(), text)
  // several processes come to the same erasure: what is done need not hold up puts again
  const [row] = yield* sql.unsafe<{ done: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM unnest($2::text[]) AS s
      WHERE NOT EXISTS (SELECT FROM kurrent_erasures x WHERE x.tenant = $1 AND x.subject = s)) AS done`,
    [tenant, those]
  )
  if (row!.done) return
  yield* sql`SELECT pg_advisory_xact_lock(${lock})`
  yield* sql.unsafe(
    "INSERT INTO kurrent_erasures (tenant, subject) SELECT $1, s FROM unnest($2::text[]) AS s ON CONFLICT DO NOTHING",
    [tenant, those]
  )
  yield* sql.unsafe("DELETE FROM kurrent_texts WHERE tenant = $1 AND subject = ANY ($2::text[])", [tenant, those])
})

const finished = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ position: bigint }>`SELECT position FROM reactions WHERE name = ${finishing}`
  return row === undefined ? beginning : positionOf(row.position)
})

/** Texts in Postgres, beside a log in KurrentDB. */
export const layer = Layer.effect(
  Texts,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    // how long the server may be silent is not for the clock of whoever asks
    const clock = yield* Clock.Clock
    const here = <A, E>(effect: Effect.Effect<A, E, PgClient.PgClient>) =>
      effect.pipe(
        Effect.provideService(PgClient.PgClient, sql),
        Effect.provideService(Clock.Clock, clock),
        Effect.mapError(() => new StoreUnavailable({ message: "the texts can't be reached" }))
      )
    return Texts.of({
      put: (texts) => here(transaction(sql)(put(texts))),
      get: (ids) => (ids.length === 0 ? Effect.succeed(new Map()) : here(get(ids))),
      erase: (tenant, subjects) => here(transaction(sql)(erase(tenant, subjects))),
      finished: here(finished)
    })
  })
)
