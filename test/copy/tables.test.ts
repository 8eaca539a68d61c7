import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeTables } from "#infra/kurrent/tables.ts"
import { freshClient } from "#test/infra/stores.ts"

/** What becomes of each table of a database that is copied: a new one needs an answer here, or it is lost in a move. */
const fates = new Map([
  ["events", "copied"],
  ["payloads", "copied"],
  ["erasures", "follows from the events that are copied"],
  ["kurrent_texts", "copied"],
  ["kurrent_erasures", "follows from the events that are copied"],
  ["kurrent_commands", "follows from the events that are copied"],
  ["requests", "brought, with what is in no event: that an answer was delivered"],
  ["key_sightings", "brought"],
  ["reactions", "brought, as positions of the copy"],
  ["installation", "its secret is brought; the folder is adopted"],
  ["read_models", "made anew"],
  ["embedded", "made anew"],
  ["embeddings", "made anew"],
  ["log_copy", "of the copy itself"],
  ["kurrent_log", "of the copy itself"],
  ["migrations", "of the copy itself"],
  ["request_counts", "left: counts of a minute"],
  ["replays", "left: of read models that are made anew"],
  ["mcp_sessions", "left: a client begins another one"]
])

it.effect("every table of a database is copied, follows from what is, or is left on purpose", () =>
  Effect.gen(function* () {
    yield* makeTables
    const sql = yield* PgClient.PgClient
    const tables = yield* sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
    assert.deepStrictEqual(
      tables.map(({ name }) => name).filter((name) => !fates.has(name)),
      []
    )
    assert.isAbove(tables.length, 12)
  }).pipe(Effect.provide(freshClient))
)
