import { createHash } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { CopyRefused, type LogEngine, Restoring } from "#ports/LogCopy.ts"

/** What a copy takes over from its source's installation. */
export interface SourceInstallation {
  readonly secret: string
  /** What stands before the copy's positions wherever they are told. */
  readonly positions: string | null
}

/** Tells an installation from others, and is no secret. */
const sourceOf = ({ secret }: SourceInstallation): string =>
  createHash("sha256").update(`copy of ${secret}`).digest("hex").slice(0, 32)

const refuse = (why: string) => new CopyRefused({ message: `the target ${why}` })

const tables = `SELECT c.relname AS name FROM pg_class c
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`

interface Begun {
  readonly source: string
  readonly engine: LogEngine
  readonly finished: boolean
  readonly erasing: boolean
}

/** The copy that a migrated database is; `undefined`: it is none. */
const begunIn = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  // an older release may have begun it: then it has no column for erasures before it is migrated
  const [row] = yield* sql<Begun>`SELECT source, engine, finished_at IS NOT NULL AS finished,
      to_jsonb(c) ->> 'erasing' IS NOT NULL AS erasing
    FROM log_copy c`
  return row
})

/**
 * Checks that a database may become the copy, without writing: it is empty, or the unfinished copy of this very source.
 * Fails with `CopyRefused`.
 */
export const look = (
  origin: SourceInstallation,
  engine: LogEngine
): Effect.Effect<void, CopyRefused | SqlError, PgClient.PgClient> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const names = new Set((yield* sql.unsafe<{ name: string }>(tables)).map(({ name }) => name))
    if (names.size === 0) return
    if (!names.has("events") || !names.has("installation")) {
      // Cairn's migrations begin with a table of their own
      if (names.size === 1 && names.has("migrations")) return
      return yield* refuse("has tables that are not Cairn's: name an empty database.")
    }
    const begun = names.has("log_copy") ? yield* begunIn : undefined
    if (begun === undefined) {
      const [event] = yield* sql`SELECT 1 FROM events LIMIT 1`
      if (event !== undefined || names.has("kurrent_log"))
        return yield* refuse("has a log of its own: name an empty database.")
      return
    }
    if (begun.source !== sourceOf(origin)) return yield* refuse("is a copy of another log: name an empty database.")
    if (begun.finished)
      return yield* refuse("is a finished copy of this log, and may have gone on since. To copy anew, empty it first.")
    if (begun.erasing && !(yield* Restoring)) {
      return yield* refuse(
        "was restored from a backup, and what was erased since is not erased yet: give the same `cairn restore` again, or empty it."
      )
    }
    if (begun.engine !== engine) {
      return yield* refuse(
        begun.engine === "postgres"
          ? "was begun with its log in Postgres: go on without KurrentDB, or empty it."
          : "was begun with its log in KurrentDB: name that too (CAIRN_COPY_TO_KURRENTDB), or empty it."
      )
    }
  })

/** Marks a migrated database as the copy that is under way. */
export const begin = (origin: SourceInstallation, engine: LogEngine) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`INSERT INTO log_copy (source, engine) VALUES (${sourceOf(origin)}, ${engine}) ON CONFLICT DO NOTHING`
        // a copy that goes on keeps what its positions were told with
        yield* sql`UPDATE installation SET secret = ${origin.secret}, positions = coalesce(positions, ${origin.positions})`
      })
    )
  })
