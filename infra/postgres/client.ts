import { readdirSync, readFileSync } from "node:fs"
import type { Socket } from "node:net"
import { join } from "node:path"
import { PgClient, PgTypes } from "@effect/sql-pg"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Layer, Redacted, Result } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { parseJson } from "#engine/parseJson.ts"
import { EngineUnusable } from "#ports/EngineUnusable.ts"
import { checkServer } from "./checkServer.ts"
import { pulse } from "./pulse.ts"
import { failing } from "./rollback.ts"
import { beginsWith, idleSetting, inForce, settingEach } from "./silence.ts"

const fromUtf8 = new TextDecoder()
const utf8 = new TextEncoder()

/** How values are read off a row. */
const types = PgTypes.makeRegistry()
types.register<unknown>(PgTypes.OID.json, {
  encode: (value) => Result.succeed(utf8.encode(JSON.stringify(value))),
  decode: (json) => Result.succeed(parseJson(fromUtf8.decode(json)))
})

const directory = join(import.meta.dirname, "migrations")

const table = "migrations"

/** The migrations in their order: one file each, `NNNN-name.sql`. */
const migrations = () =>
  readdirSync(directory)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      const [, id, name] = /^(\d+)-(.+)\.sql$/.exec(file)!
      return { id: Number(id), name: name!, file }
    })

/** A DO block runs all of a file's statements as one. */
const loader: Migrator.Loader = Effect.sync(() =>
  migrations().map(({ id, name, file }) => {
    const statements = readFileSync(join(directory, file), "utf8")
    const run = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.unsafe(`DO $migration$ BEGIN\n${statements}\nEND $migration$`)
    )
    return [id, name, Effect.succeed(run)] as const
  })
)

/** The suffix of migrations behind which older releases can go on, because they only add what those don't look at. */
const adds = ".adds"

/**
 * Whether the database has all of this release's migrations. Refuses one that a newer release has changed in a way that
 * this one may not understand. A process that already runs goes on: the newer release allows for it, and it ends soon.
 */
const isMigrated = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [exists] = yield* sql`SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ${table}`
  if (exists === undefined) return false
  const ids = migrations().map(({ id }) => id)
  const known = ids.at(-1)!
  const made = yield* sql<{ id: number; name: string }>`SELECT migration_id AS id, name FROM ${sql(table)}
    ORDER BY migration_id`
  const newer = made.find(({ id, name }) => id > known && !name.endsWith(adds))
  if (newer === undefined) return ids.every((one) => made.some(({ id }) => id === one))
  return yield* new EngineUnusable({
    message: `The database was changed by a newer release of Cairn (migration ${newer.id}, ${newer.name}; this release knows those up to ${known}): start that one, or restore a backup from before it (docs/upgrade.md).`,
    passes: false
  })
})

/**
 * Brings the database's own tables (the log, payloads, requests) to this version. Read models make their own. Fails
 * with `EngineUnusable` where a newer version has been.
 */
export const migrate = Effect.flatMap(isMigrated, (has) =>
  has ? Effect.succeed([]) : Migrator.make({})({ loader, table })
)

const connectTimeout = "5 seconds"

/** Further settings for a server that is not the embedded one. */
export interface Server {
  /** PEM of the authorities that may have signed its certificate, in place of those that the runtime knows. */
  readonly ca?: string | undefined
  /** Connections in the pool; the appends (two), the lock and the pulse have four more. */
  readonly connections?: number | undefined
  /** Opens the socket of a connection. */
  readonly stream?: () => Socket
  /** Milliseconds after which the server ends a transaction of whose client it hears nothing; 30,000 if not given. */
  readonly silence?: number
  /** Settings that a session begins with; `undefined`: somebody in between takes none. */
  readonly begins?: Readonly<Record<string, string>> | undefined
}

/**
 * What the URL's `sslmode` asks of TLS; `false`: no TLS. Each mode that asks for TLS asks for all of it: a trusted
 * certificate with the host's name.
 */
const tls = (url: Redacted.Redacted, ca: string | undefined) => {
  const asked = /^(require|verify-ca|verify-full)$/.test(new URL(Redacted.value(url)).searchParams.get("sslmode") ?? "")
  // set explicitly, because the environment could turn it off for the whole process
  return asked ? { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) } : false
}

/** A pool of connections to the database at `url`, without migrating it. */
const pool = (url: Redacted.Redacted, server: Server = {}) => {
  const { ca, connections = 16, stream } = server
  // the embedded server goes with its machine, so it need not be told how to notice that one is gone
  const startupParameters = "begins" in server ? server.begins : beginsWith(server.silence, false)
  const made = PgClient.make({
    url,
    types,
    ssl: tls(url, ca),
    applicationName: "cairn",
    maxConnections: connections,
    minConnections: 2,
    connectTimeout,
    ...(stream && { stream }),
    startupParameters,
    // a batch of payloads may hold one upload of 32 MiB and its logs
    maxMessageSize: 256 * 1024 * 1024
  })
  const set = startupParameters === undefined ? Effect.map(made, settingEach(server.silence)) : made
  return PgClient.layerFrom(Effect.map(set, failing))
}

/** A pool of connections to the database at `url`, migrated. */
export const layer = (url: Redacted.Redacted, server: Server = {}) =>
  Layer.effectDiscard(migrate).pipe(Layer.provideMerge(pool(url, server)))

/** What a session of `config` begins with; `undefined`: a pooler refuses it, or leaves it out. */
const taken = (config: PgConnection.Config, silence: number | undefined) => {
  const startupParameters = beginsWith(silence, true)
  return Effect.gen(function* () {
    const { query } = yield* PgConnection.make({ ...config, startupParameters })
    const { rows } = yield* query(inForce, [], false)
    return Number(rows[0]!["millis"]) === Number(startupParameters[idleSetting]) ? startupParameters : undefined
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined)
  )
}

/** For a server that somebody else runs: refuses one that can't be used before anything is written to it. */
const checked = <A, E, R>(
  url: Redacted.Redacted,
  server: Server,
  on: (url: Redacted.Redacted, server: Server) => Layer.Layer<A, E, R>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const config = { url, ssl: tls(url, server.ca), connectTimeout } as const
      const [begins] = yield* Effect.all([taken(config, server.silence), checkServer(config)], { concurrency: 2 })
      return on(url, { ...server, begins, ...(yield* pulse({ ...config, at: new URL(Redacted.value(url)) })) })
    })
  )

/** As `layer`, after checking the server. */
export const layerOn = (url: Redacted.Redacted, server: Server) => checked(url, server, layer)

/** The same without migrating, for a caller that must first look at what is there. */
export const unmigratedOn = (url: Redacted.Redacted, server: Server) => checked(url, server, pool)
