import type { PgClient } from "@effect/sql-pg"
import { Context, Effect, Option, Predicate, Stream } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { served, unanswered } from "./served.ts"
import { within } from "./within.ts"

/**
 * How long the server's silence lasts before it is asked whether it is still at work; it is asked twice. A transaction
 * has longer than a statement for which others wait.
 */
export const [short, long] = ["5 seconds", "10 seconds"] as const

/** The server's process for a client's connection. The driver has it behind what it shows. */
const processOf = (connection: Connection): number | undefined => {
  const own: unknown = Predicate.hasProperty(connection, "connection") ? connection.connection : undefined
  return Predicate.hasProperty(own, "processId") && typeof own.processId === "number" ? own.processId : undefined
}

/** A connection of which it is known how many statements it was given, and how many of them wait for an answer. */
interface Counted {
  readonly processId: number | undefined
  readonly connection: Connection
  given: number
  waiting: number
}

const counted = (of: Connection): Counted => {
  const count = <A, E>(statement: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      one.given += 1
      one.waiting += 1
      return Effect.ensuring(
        statement,
        Effect.sync(() => {
          one.waiting -= 1
        })
      )
    })
  const one: Counted = {
    processId: processOf(of),
    given: 0,
    waiting: 0,
    connection: {
      execute: (...statement) => count(of.execute(...statement)),
      executeRaw: (...statement) => count(of.executeRaw(...statement)),
      executeValues: (...statement) => count(of.executeValues(...statement)),
      executeValuesUnprepared: (...statement) => count(of.executeValuesUnprepared(...statement)),
      executeUnprepared: (...statement) => count(of.executeUnprepared(...statement)),
      // each row is a sign of life
      executeStream: (...statement) =>
        Stream.unwrap(
          Effect.sync(() => {
            one.waiting += 1
            return of.executeStream(...statement).pipe(
              Stream.tap(() => Effect.sync(() => (one.given += 1))),
              Stream.ensuring(Effect.sync(() => (one.waiting -= 1)))
            )
          })
        )
    }
  }
  return one
}

interface Watch {
  readonly patience: typeof short | typeof long
  readonly mayLast: boolean
  readonly pause?: (connection: Connection) => Effect.Effect<void>
}

/**
 * Gives an effect one connection for all its statements. Where that has gone dead, this fails, after twice the time
 * `patience`, as with a connection that was lost. Time counts only while a statement waits for its answer; `pause` is
 * run now and then while none does. Where nobody can be asked whether the server is at work, a statement has that time,
 * or, if it is `mayLast`, as long as it takes.
 */
export const watched =
  (sql: PgClient.PgClient, { patience, mayLast, pause = () => Effect.void }: Watch) =>
  <A, E, R>(use: (connection: Connection) => Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.suspend(() => {
      let one: Counted | undefined
      let before = 0
      const whole = Effect.scoped(
        Effect.flatMap(sql.reserve, (connection) => {
          one = counted(connection)
          return use(one.connection)
        })
      )
      const ask = served(sql.config, () => one?.processId)
      const goesOn = Effect.suspend(() => {
        // it waits for a connection
        if (one === undefined) return Effect.succeed(true)
        if (one.waiting === 0) return Effect.as(pause(one.connection), true)
        const isSame = one.given === before
        before = one.given
        return Effect.map(ask, (serves) => serves ?? (mayLast || !isSame))
      })
      return within(whole, patience, unanswered, goesOn)
    })

/** An effect whose statements go to a connection. */
export const on = <A, E, R>(
  sql: PgClient.PgClient,
  connection: Connection,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.updateContext(effect, (context: Context.Context<R>) =>
    Context.add(context, sql.transactionService, [connection, 0] as const)
  )

/**
 * Runs statements on one connection: where that has gone dead, this fails, 10 s later. Within a transaction they are
 * that one's. `mayLast`: they are given up only if the server is known not to be at work.
 */
export const onOne =
  (sql: PgClient.PgClient, mayLast = false) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (around) =>
      Option.isSome(around)
        ? effect
        : watched(sql, { patience: short, mayLast })((connection) => on(sql, connection, effect))
    )
