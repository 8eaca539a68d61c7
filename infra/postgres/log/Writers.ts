import { PgClient, PgPool } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { servedOrUnknown, unanswered } from "../served.ts"
import { within } from "../within.ts"

/** Milliseconds after which the server is asked whether it is still at work for a call; it is asked twice. */
const patience = 5_000
/** Bytes of a call that may take a millisecond more on their way. */
const slow = 512

/** Sends the statements of appends; a row comes back as the values of its columns. */
export class Writers extends Context.Service<
  Writers,
  {
    /**
     * Sends a statement with its parameters, of about so many bytes, and gives its rows. Fails with `SqlError`; where
     * its connection has gone dead, 10 s later as with one that was lost.
     */
    readonly call: (
      statement: string,
      parameters: ReadonlyArray<unknown>,
      bytes?: number
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError>
  }
>()("cairn/postgres/Writers") {
  /**
   * Uses connections that only append, made when needed: one for each call that may be under way at once. There an
   * append waits for no reader, finds a server process with warm caches, and saves what a client does for each
   * statement besides sending it (a span, a compilation, a record for each row): a sixth of a lone append's time.
   */
  static readonly layer = Layer.effect(
    Writers,
    Effect.gen(function* () {
      const { config } = yield* PgClient.PgClient
      // how long a server may be silent is not for the clock of whoever appends
      const clock = yield* Clock.Clock
      const { use } = yield* PgPool.make({ ...config, minConnections: 0, maxConnections: 2 })
      return Writers.of({
        call: (statement, parameters, bytes = 0) =>
          Effect.suspend(() => {
            let processId: number | undefined
            const called = use((writer) => {
              processId = writer.processId
              return writer.queryValues(statement, parameters)
            })
            return within(
              called,
              patience + bytes / slow,
              unanswered,
              servedOrUnknown(config, () => processId)
            ).pipe(Effect.provideService(Clock.Clock, clock))
          })
      })
    })
  )

  /** Uses the connection of the transaction that this runs in. */
  static readonly inTransaction = Effect.map(PgClient.PgClient, (sql) =>
    Writers.of({ call: (statement, parameters) => sql.unsafe(statement, parameters).values })
  )
}
