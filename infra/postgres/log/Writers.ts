import { PgClient, PgPool } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** How a statement of an append is sent; rows are answered as the values of their columns. */
export class Writers extends Context.Service<
  Writers,
  {
    /** Sends a statement with its parameters, and answers its rows. Fails as SQL does. */
    readonly call: (
      statement: string,
      parameters: ReadonlyArray<unknown>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError>
  }
>()("cairn/postgres/Writers") {
  /**
   * By connections for appends alone, as many as there are calls under way at once, made when they are needed. An
   * append waits for no reader there, finds a server process that has its caches warm, and is spared what a client does
   * for each statement beside sending it (a span, a compilation, a record for each row): a sixth of a lone append's
   * time.
   */
  static readonly layer = Layer.effect(
    Writers,
    Effect.gen(function* () {
      const { config } = yield* PgClient.PgClient
      const { use } = yield* PgPool.make({ ...config, minConnections: 0, maxConnections: 2 })
      return { call: (statement, parameters) => use((writer) => writer.queryValues(statement, parameters)) }
    })
  )

  /** On the connection of the client's transaction that this runs in. */
  static readonly inTransaction = Effect.map(PgClient.PgClient, (sql) =>
    Writers.of({ call: (statement, parameters) => sql.unsafe(statement, parameters).values })
  )
}
