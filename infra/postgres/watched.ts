import { Socket } from "node:net"
import type { PgClient } from "@effect/sql-pg"
import { Context, Effect, Option, Predicate } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { served, unanswered } from "./served.ts"
import { within } from "./within.ts"

/**
 * How long the server's silence lasts before it is asked whether it is still at work; it is asked twice. A transaction
 * has longer than a statement for which others wait.
 */
export const [short, long] = ["5 seconds", "10 seconds"] as const

/** What the driver has of a connection, behind what it shows. */
interface Driver {
  /** The server's process. */
  readonly processId: number
  /** Who waits for the answer to a statement. */
  readonly consumer: object | undefined
  readonly session: { readonly socket: unknown }
}

/** `undefined`: it has other names there. */
const driverOf = (connection: Connection): Driver | undefined => {
  const own: unknown = Predicate.hasProperty(connection, "connection") ? connection.connection : undefined
  const base: unknown = Predicate.hasProperty(own, "base") ? own.base : own
  const is = Predicate.hasProperty(base, "processId") && "consumer" in base && Predicate.hasProperty(base, "session")
  return is ? (base as unknown as Driver) : undefined
}

/** Bytes that have come and gone on a connection. To the server an answer is done before all of it has come. */
const passedOn = ({ session: { socket } }: Driver): number =>
  socket instanceof Socket ? socket.bytesRead + socket.bytesWritten - socket.writableLength : 0

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
      let one: Connection | undefined
      let before = 0
      let looks = 0
      const whole = Effect.scoped(
        Effect.flatMap(sql.reserve, (connection) => {
          one = connection
          return use(connection)
        })
      )
      const asking = (driver: Driver | undefined) => served(sql.config, () => driver?.processId)
      let ask: ReturnType<typeof served> | undefined
      const goesOn = Effect.suspend(() => {
        // it waits for a connection, which dead ones that nobody watches may hold
        if (one === undefined) return Effect.succeed(mayLast || ++looks < 2)
        const driver = driverOf(one)
        if (driver !== undefined && driver.consumer === undefined) return Effect.as(pause(one), true)
        const passed = driver === undefined ? 0 : passedOn(driver)
        const [isFirst, isAlive] = [ask === undefined, passed !== before]
        before = passed
        // something has come or gone since the last look
        if (ask === undefined || isAlive) ask = asking(driver)
        if (isAlive && !isFirst) return Effect.succeed(true)
        return Effect.map(ask, (serves) => serves ?? (mayLast || isFirst))
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
