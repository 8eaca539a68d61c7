import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NotOurs } from "#ports/Hold.ts"

/** Makes sure that the database is not an unfinished copy. Fails with `NotOurs` if it is. */
export const finished = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [begun] = yield* sql`SELECT 1 FROM log_copy WHERE finished_at IS NULL`
  if (begun === undefined) return
  return yield* new NotOurs({
    message:
      "this database is the unfinished copy of another one's log, or of a backup: finish it with `cairn copy` or `cairn restore`, given as before, or empty it."
  })
})
