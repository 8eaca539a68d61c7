import { request } from "node:http"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Exit, Scope } from "effect"
import { vi } from "vitest"
import { ownerKey, type Service, type TestInstallation } from "#test/service.ts"
import type { Headers } from "./call.ts"

/**
 * Sends a request whose answer will not be taken: `cut` ends the connection, as a client that has waited too long does.
 */
export const begin = (service: Service, path: string, body: unknown, headers: Headers = {}) => {
  const { hostname, port } = new URL(service.url)
  const sending = request({
    method: "POST",
    hostname,
    port,
    path,
    agent: false,
    headers: { authorization: `Bearer ${ownerKey}`, "content-type": "application/json", ...headers }
  })
  // that the connection ends is what is wanted
  sending.on("error", () => {})
  sending.end(JSON.stringify(body))
  const closed = new Promise<void>((resolve) => sending.once("close", () => resolve()))
  return {
    cut: async () => {
      sending.destroy()
      await closed
      // a later connection's answer: by then the server has seen that this one is gone
      await (await fetch(new URL("/health", service.url))).text()
    }
  }
}

/** A connection of its own to a service's database, within a transaction that `release` ends. */
const holding = async ({ database }: TestInstallation, ...before: ReadonlyArray<string>) => {
  const scope = Scope.makeUnsafe()
  const connection = await Effect.runPromise(Scope.provide(PgConnection.make({ url: database, ssl: false }), scope))
  const query = (sql: string) => Effect.runPromise(connection.query(sql, [], false))
  for (const sql of before) await query(sql)
  await query("BEGIN")
  const release = async () => {
    await query("COMMIT")
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  return { query, release }
}

/** Keeps all read models where they are until `release`; they can be read meanwhile. */
export const holdReadModels = async (installation: TestInstallation) => {
  const { query, release } = await holding(installation)
  await query("SELECT 1 FROM read_models FOR UPDATE")
  return { release }
}

/** Lets no build of a read model begin, end or move on until `release`. */
export const holdBuilds = async (installation: TestInstallation) => {
  const { query, release } = await holding(installation)
  await query("LOCK TABLE read_models IN SHARE MODE")
  return { release }
}

const gate = 77_001

/**
 * Holds every write of a request at its end (and no note in the background): such appends wait until `release`.
 * `waiting` settles when so many of them do.
 */
export const holdWrites = async (installation: TestInstallation) => {
  const { query, release } = await holding(
    installation,
    `CREATE OR REPLACE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${gate}); RETURN NEW; END $$`,
    `CREATE OR REPLACE TRIGGER gate BEFORE INSERT ON events
       FOR EACH ROW WHEN (NEW.request IS NOT NULL) EXECUTE FUNCTION gate()`
  )
  await query(`SELECT pg_advisory_xact_lock(${gate})`)
  // of each two equal ones the second waits for the first, not for us
  const waiters = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%es_append%'`
  const look = async (count: number) => {
    // or a transaction sees forever what it saw first
    await query("SELECT pg_stat_clear_snapshot()")
    const { rows } = await query(waiters)
    if (rows.length < count) throw new Error(`${rows.length} appends wait`)
  }
  return {
    waiting: (count: number) =>
      vi
        .waitFor(() => look(count), { timeout: 60_000, interval: 5 })
        .catch(async (error) => {
          await release()
          throw error
        }),
    release
  }
}
