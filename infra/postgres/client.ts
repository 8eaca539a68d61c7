import { readdirSync, readFileSync } from "node:fs"
import type { Socket } from "node:net"
import { join } from "node:path"
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Result } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { parseJson } from "#engine/parseJson.ts"
import { checkServer } from "./checkServer.ts"
import { pulse } from "./pulse.ts"

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

const connectTimeout = "5 seconds"

/** What else is known of a server that is not the embedded one. */
export interface Server {
  /** PEM of who may have signed its certificate, instead of those that the runtime knows. */
  readonly ca?: string | undefined
  /** Connections to it at once; the lock, the ear for news and the pulse are three more. */
  readonly connections?: number | undefined
  /** How it is connected to. */
  readonly stream?: () => Socket
}

/** Whether TLS is asked for. Each mode that does asks for all of it: a certificate that is trusted and says the host's name. */
const tls = (url: Redacted.Redacted, ca: string | undefined) => {
  const asked = /^(require|verify-ca|verify-full)$/.test(new URL(Redacted.value(url)).searchParams.get("sslmode") ?? "")
  // said, because the environment could turn it off for the whole process
  return asked ? { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) } : false
}

/** A pool of connections to the database at `url`, which is left as it is. */
const pool = (url: Redacted.Redacted, { ca, connections = 16, stream }: Server = {}) =>
  PgClient.layer({
    url,
    types,
    ssl: tls(url, ca),
    applicationName: "cairn",
    maxConnections: connections,
    minConnections: 2,
    connectTimeout,
    ...(stream && { stream }),
    // a batch of payloads may hold one upload of 32 MiB and its logs
    maxMessageSize: 256 * 1024 * 1024
  })

/** A pool of connections to the database at `url`, migrated. */
export const layer = (url: Redacted.Redacted, server: Server = {}) =>
  Layer.effectDiscard(migrate).pipe(Layer.provideMerge(pool(url, server)))

/** On a server that is somebody else's: one that can't be used is refused before anything is written to it. */
const checked = <A, E, R>(
  url: Redacted.Redacted,
  server: Server,
  on: (url: Redacted.Redacted, server: Server) => Layer.Layer<A, E, R>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const config = { url, ssl: tls(url, server.ca), connectTimeout } as const
      yield* checkServer(config)
      return on(url, { ...server, ...(yield* pulse({ ...config, at: new URL(Redacted.value(url)) })) })
    })
  )

/** As `layer`, once the server was looked at. */
export const layerOn = (url: Redacted.Redacted, server: Server) => checked(url, server, layer)

/** The same before it is migrated: for who has to look at what is there first. */
export const unmigratedOn = (url: Redacted.Redacted, server: Server) => checked(url, server, pool)
