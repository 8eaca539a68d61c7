import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NotOurs } from "#ports/Hold.ts"
import { Restoring } from "#ports/LogCopy.ts"

/**
 * Makes sure that the database is not an unfinished copy, nor a restored one that has erasures left, which only the
 * restore may open. Fails with `NotOurs` if it is.
 */
export const finished = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // a column that migrations only add: where a newer release has been, it may not be there
  const [begun] = yield* sql<{ erasing: boolean }>`SELECT to_jsonb(c) ->> 'erasing' IS NOT NULL AS erasing
    FROM log_copy c WHERE finished_at IS NULL`
  if (begun === undefined) return
  if (begun.erasing) {
    if (yield* Restoring) return
    return yield* new NotOurs({
      message:
        "this database was restored from a backup, and what was erased since is not erased yet: give the same `cairn restore` again, which finishes it, or empty it."
    })
  }
  return yield* new NotOurs({
    message:
      "this database is the unfinished copy of another one's log, or of a backup: finish it with `cairn copy` or `cairn restore`, given as before, or empty it."
  })
})
