import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { PgClient } from "@effect/sql-pg"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { readConfig } from "#src/config/config.ts"
import { serviceDatabase } from "#src/layers.ts"
import { unusableDatabase } from "#src/process/unreachable.ts"
import { freshDatabase } from "#test/postgres.ts"

const fileOf = (name: string) => fileURLToPath(new URL(`../../data/tls/${name}`, import.meta.url))

/**
 * The run's server with TLS: its certificate is signed by itself and says `localhost`. It goes on taking those without.
 */
class Encrypted extends Context.Service<Encrypted, Redacted.Redacted<string>>()("test/Encrypted") {}

const encrypted = Layer.effect(
  Encrypted,
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const admin = yield* PgConnection.make({ url, ssl: false })
    const run = (statement: string) => admin.query(statement, [], false)
    const name = `tls_${randomBytes(6).toString("hex")}`
    for (const kind of ["cert", "key"]) {
      const lines = readFileSync(fileOf(`${kind}.pem`), "utf8")
        .trim()
        .split("\n")
      const rows = lines.map((line) => `('${line}')`).join(", ")
      // it wants a key that is nobody else's to read
      yield* run(`COPY (VALUES ${rows}) TO PROGRAM 'umask 077; cat > ${name}.${kind}'`)
      yield* run(`ALTER SYSTEM SET ssl_${kind}_file = '${name}.${kind}'`)
    }
    yield* run("ALTER SYSTEM SET ssl = on")
    yield* run("SELECT pg_reload_conf()")
    // the postmaster hears of it in a moment, and each of its sessions behind it
    const on = Effect.map(run("SHOW ssl"), ({ rows }) => rows[0]!["ssl"] === "on")
    yield* Effect.repeat(on, { until: (is) => is })
    yield* Effect.repeat(
      Effect.isSuccess(session(withQuery(url, `sslmode=require&sslrootcert=${fileOf("cert.pem")}`))),
      {
        until: (is) => is
      }
    )
    return url
  })
)

/** The same database under the name in the certificate, with more in the URL's query. */
const withQuery = (url: Redacted.Redacted<string>, query: string, host = "localhost"): string => {
  const whole = new URL(Redacted.value(url))
  whole.hostname = host
  whole.search = query
  return whole.href
}

/** Whether a session of a service's is encrypted. */
const session = (url: string) =>
  Effect.gen(function* () {
    const config = readConfig({ DATABASE_URL: url, CAIRN_DATABASE_CONNECTIONS: "6" })
    const proof = Effect.flatMap(
      PgClient.PgClient,
      (sql) => sql<{ ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
    )
    const [row] = yield* Effect.provide(proof, serviceDatabase(config))
    return row!.ssl
  })

/** The one line with which it is refused. */
const refusal = (url: string) =>
  Effect.map(Effect.flip(session(url)), (error) =>
    isSqlError(error) ? unusableDatabase(error, Redacted.make(url)).message : error.message
  )

describe("TLS to a server", () => {
  layer(encrypted, { timeout: 60_000 })((it) => {
    it.effect("is had when it is asked for, with the certificate that is given", () =>
      Effect.gen(function* () {
        const url = yield* Encrypted
        for (const mode of ["require", "verify-ca", "verify-full"]) {
          assert.isTrue(yield* session(withQuery(url, `sslmode=${mode}&sslrootcert=${fileOf("cert.pem")}`)), mode)
        }
        assert.isFalse(yield* session(withQuery(url, "")))
      })
    )

    it.effect("is refused with a certificate that nobody known has signed, or that says another name", () =>
      Effect.gen(function* () {
        const url = yield* Encrypted
        for (const mode of ["require", "verify-ca", "verify-full"]) {
          assert.match(
            yield* refusal(withQuery(url, `sslmode=${mode}`)),
            /self.signed certificate|UnknownIssuer/i,
            mode
          )
        }
        const untrusted = yield* Effect.flip(session(withQuery(url, "sslmode=verify-full")))
        // trying again does not help
        assert.isFalse(isSqlError(untrusted) && unusableDatabase(untrusted, undefined).passes)
        const other = withQuery(url, `sslmode=verify-full&sslrootcert=${fileOf("cert.pem")}`, "127.0.0.1")
        assert.match(yield* refusal(other), /altnames|NotValidForName/i)
      })
    )
  })

  it.effect("is refused to a server that has none, and not left out", () =>
    Effect.gen(function* () {
      const plain = yield* freshDatabase
      const admin = yield* PgConnection.make({ url: plain, ssl: false })
      yield* admin.query("ALTER SYSTEM RESET ssl", [], false)
      yield* admin.query("SELECT pg_reload_conf()", [], false)
      const off = Effect.map(refusal(withQuery(plain, "sslmode=require", "127.0.0.1")), (line) =>
        /it takes no TLS, which sslmode asks for/.test(line)
      )
      yield* Effect.repeat(off, { until: (is) => is })
    }).pipe(Effect.scoped)
  )
})
