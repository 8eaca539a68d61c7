import { Socket } from "node:net"
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

/** The driver's own connection, which it has behind what it shows. */
const driversOf = (connection: Connection): object | undefined => {
  const own: unknown = Predicate.hasProperty(connection, "connection") ? connection.connection : undefined
  const base: unknown = Predicate.hasProperty(own, "base") ? own.base : own
  return typeof base === "object" && base !== null ? base : undefined
}

/** The server's process for a client's connection. */
const processOf = (connection: Connection): number | undefined => {
  const own = driversOf(connection)
  return Predicate.hasProperty(own, "processId") && typeof own.processId === "number" ? own.processId : undefined
}

/** Bytes that have come and gone on a connection. To the server an answer is done before all of it has come. */
const passedOn = (connection: Connection): number => {
  const own = driversOf(connection)
  const session: unknown = Predicate.hasProperty(own, "session") ? own.session : undefined
  const socket: unknown = Predicate.hasProperty(session, "socket") ? session.socket : undefined
  return socket instanceof Socket ? socket.bytesRead + socket.bytesWritten - socket.writableLength : 0
}

/** A connection of which it is known how many statements it was given, and how many of them wait for an answer. */
interface Counted {
  readonly processId: number | undefined
  readonly passed: () => number
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
    passed: () => passedOn(of),
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
      let before = { given: 0, passed: 0 }
      let looks = 0
      const whole = Effect.scoped(
        Effect.flatMap(sql.reserve, (connection) => {
          one = counted(connection)
          return use(one.connection)
        })
      )
      const asking = () => served(sql.config, () => one?.processId)
      let ask = asking()
      const goesOn = Effect.suspend(() => {
        // it waits for a connection, which dead ones that nobody watches may hold
        if (one === undefined) return Effect.succeed(mayLast || ++looks < 2)
        if (one.waiting === 0) return Effect.as(pause(one.connection), true)
        const now = { given: one.given, passed: one.passed() }
        const isSame = now.given === before.given
        const isAlive = isSame && now.passed !== before.passed && before.passed > 0
        before = now
        // something has come since the last look, or has gone
        if (isAlive) {
          ask = asking()
          return Effect.succeed(true)
        }
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
 * that one's; no transaction may be within this. `mayLast`: they are given up only if the server is known not to be at
 * work.
 */
export const onOne =
  (sql: PgClient.PgClient, mayLast = false) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (around) =>
      Option.isSome(around)
        ? effect
        : watched(sql, { patience: short, mayLast })((connection) => on(sql, connection, effect))
    )
