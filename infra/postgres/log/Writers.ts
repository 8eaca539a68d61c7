import { PgClient, PgPool } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** Sends the statements of appends; a row comes back as the values of its columns. */
export class Writers extends Context.Service<
  Writers,
  {
    /** Sends a statement with its parameters and gives its rows. Fails with `SqlError`. */
    readonly call: (
      statement: string,
      parameters: ReadonlyArray<unknown>
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
      const { use } = yield* PgPool.make({ ...config, minConnections: 0, maxConnections: 2 })
      return { call: (statement, parameters) => use((writer) => writer.queryValues(statement, parameters)) }
    })
  )

  /** Uses the connection of the transaction that this runs in. */
  static readonly inTransaction = Effect.map(PgClient.PgClient, (sql) =>
    Writers.of({ call: (statement, parameters) => sql.unsafe(statement, parameters).values })
  )
}
