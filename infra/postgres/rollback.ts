import type { PgClient } from "@effect/sql-pg"
import { Cause, Effect } from "effect"

/**
 * A client whose transactions fail as what ran in them did. The driver's own die where they can't be rolled back, as
 * where the connection was lost; but the server has rolled such a one back by itself, and who tries again what failed
 * must see that it did.
 */
export const failing = (sql: PgClient.PgClient): PgClient.PgClient => {
  const { withTransaction } = sql
  return Object.assign(sql, {
    withTransaction: <R, E, A>(effect: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        let failed: Cause.Cause<E> | undefined
        const inside = Effect.tapCause(effect, (cause) => Effect.sync(() => (failed = cause)))
        return Effect.catchCause(withTransaction(inside), (cause) =>
          Effect.failCause(failed !== undefined && Cause.hasDies(cause) ? failed : cause)
        )
      })
  })
}
