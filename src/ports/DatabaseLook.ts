import { Context, type Effect } from "effect"

/** Connections to the database by what they do, from all processes that use it. */
export interface Connections {
  readonly active: number
  readonly idle: number
  readonly in_transaction: number
}

/** How much of the database a read model takes. */
export interface ReadModelSize {
  /** The database's own figure. */
  readonly rows: number
  /** On disk, with indexes. */
  readonly bytes: number
}

/** What the database says of itself. Each effect fails while it can't be asked. */
export class DatabaseLook extends Context.Service<
  DatabaseLook,
  {
    readonly connections: Effect.Effect<Connections, unknown>
    /** The live builds, by the names of their schemas. A build that was never made is absent. */
    readonly readModels: Effect.Effect<ReadonlyMap<string, ReadModelSize>, unknown>
  }
>()("cairn/DatabaseLook") {}
