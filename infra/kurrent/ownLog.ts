import { Effect } from "effect"
import { NotOurs } from "#ports/Hold.ts"
import { hasTables } from "./tables.ts"

/** Makes sure that a database's log is its own, and not in KurrentDB: it would begin a second. Fails with `NotOurs`. */
export const ownLog = Effect.gen(function* () {
  if (!(yield* hasTables)) return
  return yield* new NotOurs({
    message: "this database's log is in KurrentDB: set KURRENTDB_URL to the server that it was used with."
  })
})
