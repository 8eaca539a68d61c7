import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Layer, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { inject } from "vitest"
import { tool } from "#src/commandLine.ts"
import { copyOf, freshDatabase } from "./postgres.ts"

/**
 * A new database as the first start of a service leaves it before it writes anything: with all tables, which take most
 * of that start's time. The first process of the run that asks makes the template.
 */
export const preparedDatabase: Effect.Effect<Redacted.Redacted<string>, SqlError> = Effect.gen(function* () {
  yield* Effect.promise(() => template())
  const url = yield* copyOf(prepared())
  const connection = yield* PgConnection.make({ url, ssl: false })
  // as its migration does: each installation has its own
  yield* connection.query(
    "UPDATE installation SET secret = translate(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')",
    [],
    false
  )
  return url
}).pipe(Effect.scoped)

const prepared = () => `prepared_${inject("run")}`

let made: Promise<void> | undefined
const template = (): Promise<void> => {
  made ??= Effect.runPromise(Effect.scoped(makeTemplate))
  return made
}

const makeTemplate = Effect.gen(function* () {
  const connection = yield* PgConnection.make({ url: Redacted.make(inject("postgres")), ssl: false })
  const query = (sql: string) => connection.query(sql, [], false)
  // another process of the run may be at it; it is let go with the connection
  yield* query(`SELECT pg_advisory_lock(hashtext('${prepared()}'))`)
  const { rows } = yield* query(`SELECT 1 FROM pg_database WHERE datname = '${prepared()}'`)
  if (rows.length > 0) return
  const url = yield* freshDatabase
  yield* Layer.build(tool({ dataDir: "/nowhere", databaseUrl: url })).pipe(Effect.scoped)
  // nobody may be connected to what is renamed or copied: Postgres waits 5 s for connections that are about to end
  yield* query(`ALTER DATABASE ${new URL(Redacted.value(url)).pathname.slice(1)} RENAME TO ${prepared()}`)
})
