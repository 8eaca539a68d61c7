import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Exit, Option, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { connect, launch } from "#infra/postgres/launcher/launcher.ts"
import { startShared } from "./elasticsearch/shared.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the run's Postgres server; suites take a database of their own from `test/postgres.ts`. */
    readonly postgres: string
    /** What the run's own databases are named by, on a server that other runs may use. */
    readonly run: string
    /** Where the run's Elasticsearch is asked for: `test/elasticsearch/shared.ts`. */
    readonly elasticsearch: string
  }
}

/** No other folder may be called so: what is found under it is taken for a run that was killed. */
const prefix = "cairn-test-"

/**
 * One embedded Postgres in a temporary folder for the whole run, or the server at the URL in `CAIRN_TEST_POSTGRES`,
 * whose user has to be a superuser: suites make databases and roles there, and leave them.
 */
const startPostgres = async (project: TestProject): Promise<() => Promise<void>> => {
  const given = process.env["CAIRN_TEST_POSTGRES"]
  if (given) {
    project.provide("postgres", given)
    return async () => {}
  }
  await sweep()
  const dataDir = mkdtempSync(join(tmpdir(), prefix))
  const scope = Scope.makeUnsafe()
  const { url } = await Effect.runPromise(Scope.provide(launch({ dataDir }), scope))
  await Effect.runPromise(sparing(url))
  // beside much other work a server that copies a database may take longer than five seconds to answer
  project.provide("postgres", `${Redacted.value(url)}?connect_timeout=60`)
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(dataDir, { recursive: true, force: true })
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // before several files want it at once
  await import("./programs.ts")
  project.provide("run", randomBytes(6).toString("hex"))
  const elasticsearch = await startShared()
  project.provide("elasticsearch", elasticsearch.url)
  const stopPostgres = await startPostgres(project)
  return async () => {
    await Promise.all([elasticsearch.stop(), stopPostgres()])
  }
}

/**
 * Each of some hundred databases, most of which nobody will use again, would be looked through every minute. It is not
 * off: then making an index would not count its table's rows. Nor is it worth a twelfth of what the server takes to
 * compress the log's first copy of each page.
 */
const sparing = (url: Redacted.Redacted<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* PgConnection.make({ url, ssl: false })
      yield* connection.query("ALTER SYSTEM SET autovacuum_naptime = '20d'", [], false)
      yield* connection.query("ALTER ROLE CURRENT_USER SET wal_compression = off", [], false)
      yield* connection.query("SELECT pg_reload_conf()", [], false)
    })
  )

/** Ends the servers of runs that were killed; those of runs that still go on hold their folder's lock. */
const sweep = async (): Promise<void> => {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))) {
    const dataDir = join(tmpdir(), name)
    const orphan = await Effect.runPromise(connect({ dataDir }))
    if (Option.isNone(orphan)) continue
    const exit = await Effect.runPromiseExit(Effect.scoped(launch({ dataDir })))
    if (Exit.isSuccess(exit)) rmSync(dataDir, { recursive: true, force: true })
  }
}
