import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer, type Redacted, Result } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { parseJson } from "#engine/parseJson.ts"

const fromUtf8 = new TextDecoder()
const utf8 = new TextEncoder()

/** How values are read off a row. */
const types = PgTypes.makeRegistry()
types.register<unknown>(PgTypes.OID.json, {
  encode: (value) => Result.succeed(utf8.encode(JSON.stringify(value))),
  decode: (json) => Result.succeed(parseJson(fromUtf8.decode(json)))
})

const directory = join(import.meta.dirname, "migrations")

/** One file a migration, `NNNN-name.sql`; a DO block runs all of its statements as one. */
const loader: Migrator.Loader = Effect.sync(() =>
  readdirSync(directory)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      const [, id, name] = /^(\d+)-(.+)\.sql$/.exec(file)!
      const statements = readFileSync(join(directory, file), "utf8")
      const run = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.unsafe(`DO $migration$ BEGIN\n${statements}\nEND $migration$`)
      )
      return [Number(id), name!, Effect.succeed(run)] as const
    })
)

/** Brings the database's own tables (the log, payloads, requests) to this version. Read models make their own. */
export const migrate = Migrator.make({})({ loader, table: "migrations" })

/** A pool of connections to the database at `url`, migrated. */
export const layer = (url: Redacted.Redacted) =>
  Layer.effectDiscard(migrate).pipe(
    Layer.provideMerge(
      PgClient.layer({
        url,
        types,
        applicationName: "cairn",
        maxConnections: 16,
        minConnections: 2,
        connectTimeout: "5 seconds",
        // a batch of payloads may hold one upload of 32 MiB and its logs
        maxMessageSize: 256 * 1024 * 1024
      })
    )
  )
