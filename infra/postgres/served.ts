import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

const question = `SELECT pg_backend_pid() AS own, a.pid IS NOT NULL AS there, a.state, a.state_change::text AS since
  FROM (SELECT) AS one LEFT JOIN pg_stat_activity a
    ON a.pid = $1 AND a.application_name = current_setting('application_name')`

interface Row {
  readonly own: number
  readonly there: boolean
  readonly state: string | null
  readonly since: string | null
}

/** A connection that was given up, as one that was lost. */
export const unanswered = () =>
  new SqlError({
    reason: new ConnectionError({ cause: new Error("a connection to the database does not answer any more") })
  })

/** Who can't be told, and need not ask again: a question would take one of the pooler's connections. */
const behindPoolers = new WeakSet<PgConnection.Config>()

/** How long the server has for its answer. */
const patience = "10 seconds"

/**
 * Asks the server, on a connection of its own, whether it is at work for another of our connections, which waits for an
 * answer. It is not if it has waited for the client between two such questions, and nor is it if it knows of no such
 * session any more: then something in between lets nothing through, and nobody was told. Such a session is ended, so
 * that the locks of its transaction do not outlive it; what still works, or waits for a lock, goes on however long it
 * takes. `undefined`: who knows. Behind a pooler a connection has another process id than the server's, a role may not
 * see what its own login does, a server may not note it, or not answer at all, which is the pulse's business.
 *
 * `processId` is that of the session that is asked for, `undefined` while there is none.
 */
export const served = (
  config: PgConnection.Config,
  processId: () => number | undefined
): Effect.Effect<boolean | undefined> => {
  let before: string | undefined
  return Effect.suspend(() => {
    const asked = processId()
    if (asked === undefined || behindPoolers.has(config)) return Effect.undefined
    return Effect.gen(function* () {
      const connection = yield* PgConnection.make(config)
      const { rows } = yield* connection.query(question, [asked], false)
      const { own, there, state, since } = rows[0] as unknown as Row
      if (own !== connection.processId) {
        behindPoolers.add(config)
        return undefined
      }
      if (there && (state === null || state === "disabled")) return undefined
      const mark = there && state?.startsWith("idle") ? `${asked} ${since}` : undefined
      if (there && (mark === undefined || mark !== before)) {
        before = mark
        return true
      }
      if (there) yield* connection.query("SELECT pg_terminate_backend($1)", [asked], false)
      yield* Effect.logWarning("a connection to the database does not answer any more; going on with another one")
      return false
    }).pipe(
      Effect.scoped,
      Effect.timeout(patience),
      Effect.orElseSucceed(() => undefined)
    )
  })
}

/** The same for a caller that waits as long as nobody knows. */
export const servedOrUnknown = (...asked: Parameters<typeof served>): Effect.Effect<boolean> =>
  Effect.map(served(...asked), (serves) => serves ?? true)
