import { randomBytes } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { inject } from "vitest"

const named = (name: string): Redacted.Redacted<string> => {
  const url = new URL(inject("postgres"))
  url.pathname = `/${name}`
  return Redacted.make(url.href)
}

/** A new database, which is a copy of a template. It goes with the server, at the end of the run. */
export const copyOf = Effect.fnUntraced(function* (template: string) {
  const name = `test_${randomBytes(6).toString("hex")}`
  const connection = yield* PgConnection.make({ url: Redacted.make(inject("postgres")), ssl: false })
  yield* connection.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`, [], false)
  return named(name)
}, Effect.scoped)

/** The URL of a new, empty database on the run's server. */
export const freshDatabase: Effect.Effect<Redacted.Redacted<string>, SqlError> = copyOf("template1")

/** `PgClient` and `SqlClient` on a database of their own, for `layer(…)` of `@effect/vitest` or `Effect.provide`. */
export const freshClient = Layer.unwrap(Effect.map(freshDatabase, (url) => PgClient.layer({ url })))

/** A connection to an installation's database beside those that it has itself. */
export const connectTo = async ({ database }: { readonly database: Redacted.Redacted<string> }) => {
  const scope = Scope.makeUnsafe()
  const connection = await Effect.runPromise(Scope.provide(PgConnection.make({ url: database, ssl: false }), scope))
  return {
    query: async (sql: string) => (await Effect.runPromise(connection.query(sql, [], false))).rows,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
