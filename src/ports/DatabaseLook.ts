import { Context, type Effect } from "effect"

/** Connections to the database by what they do, of all processes that are on it. */
export interface Connections {
  readonly active: number
  readonly idle: number
  readonly in_transaction: number
}

/** How much of the database a read model takes. */
export interface ReadModelSize {
  /** As the database reckons. */
  readonly rows: number
  /** On disk, with indexes. */
  readonly bytes: number
}

/** What the database says of itself; each fails while it can't be asked. */
export class DatabaseLook extends Context.Service<
  DatabaseLook,
  {
    readonly connections: Effect.Effect<Connections, unknown>
    /** Of live builds, by their schemas' names; one that was never made is not there. */
    readonly readModels: Effect.Effect<ReadonlyMap<string, ReadModelSize>, unknown>
  }
>()("cairn/DatabaseLook") {}
