import type { PgClient } from "@effect/sql-pg"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Exit, Option } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { setting, signOfLife } from "./silence.ts"
import { long, on, watched } from "./watched.ts"

const rolledBack = () =>
  new SqlError({ reason: new UnknownError({ cause: new Error("COMMIT rolled back an aborted transaction") }) })

const committed = (connection: Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []) as Effect.Effect<PgConnection.Result, SqlError>, ({ command }) =>
    command === "ROLLBACK" ? Effect.fail(rolledBack()) : Effect.void
  )

const say = (connection: Connection, statement: string) => connection.execute(statement, [], undefined)

/**
 * Says something while we are at work between two statements, so that the server does not take us for gone. It is not
 * waited for: on a dead connection no answer comes.
 */
const stillHere = (connection: Connection) =>
  Effect.asVoid(Effect.forkDetach(Effect.ignore(say(connection, signOfLife))))

/**
 * As the client's `withTransaction`, for transactions that others wait for: where its connection has gone dead, this
 * fails, 20 s later, as with a connection that was lost. The client's own waits on such a one for as long as the system
 * keeps it, because it begins and ends a transaction uninterruptibly. Within another transaction this is the client's;
 * none may be within this one.
 */
export const transaction =
  (sql: PgClient.PgClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (around) => {
      if (Option.isSome(around)) return sql.withTransaction(effect)
      return watched(sql, { patience: long, mayLast: true, pause: stillHere })((connection) => {
        const rollback = Effect.ignore(say(connection, "ROLLBACK"))
        // a connection that could not be rolled back must not be used again: whoever ends a statement ends it, too
        const ending = Effect.timeoutOption(Effect.interruptible(rollback), long)
        const begun = sql.config.startupParameters === undefined ? say(connection, setting()) : Effect.void
        return say(connection, "BEGIN").pipe(
          Effect.andThen(begun),
          Effect.andThen(on(sql, connection, effect)),
          Effect.tap(() => committed(connection)),
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : ending))
        )
      })
    })
