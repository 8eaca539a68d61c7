import type { PgClient } from "@effect/sql-pg"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Context, Effect, Exit, Option, Predicate } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { served, unanswered } from "./served.ts"
import { setting } from "./silence.ts"
import { within } from "./within.ts"

/** The server's process for a client's connection. The driver has it behind what it shows. */
export const processOf = (connection: Connection): number | undefined => {
  const own: unknown = Predicate.hasProperty(connection, "connection") ? connection.connection : undefined
  return Predicate.hasProperty(own, "processId") && typeof own.processId === "number" ? own.processId : undefined
}

const rolledBack = () =>
  new SqlError({ reason: new UnknownError({ cause: new Error("COMMIT rolled back an aborted transaction") }) })

const committed = (connection: Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []) as Effect.Effect<PgConnection.Result, SqlError>, ({ command }) =>
    command === "ROLLBACK" ? Effect.fail(rolledBack()) : Effect.void
  )

/** How long the server's silence lasts before it is asked whether it is still at work; it is asked twice. */
const patience = "10 seconds"

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
      let processId: number | undefined
      const whole = Effect.scoped(
        Effect.flatMap(sql.reserve, (connection) => {
          processId = processOf(connection)
          const say = (statement: string) => connection.execute(statement, [], undefined)
          const rollback = Effect.ignore(say("ROLLBACK"))
          const inside = Effect.updateContext(effect, (context: Context.Context<R>) =>
            Context.add(context, sql.transactionService, [connection, 0] as const)
          )
          // a connection that could not be rolled back must not be used again: whoever ends a statement ends it, too
          const ending = Effect.timeoutOption(Effect.interruptible(rollback), patience)
          const begun = sql.config.startupParameters === undefined ? say(setting()) : Effect.void
          return say("BEGIN").pipe(
            Effect.andThen(begun),
            Effect.andThen(inside),
            Effect.tap(() => committed(connection)),
            Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : ending))
          )
        })
      )
      return within(
        whole,
        patience,
        unanswered,
        served(sql.config, () => processId)
      )
    })
