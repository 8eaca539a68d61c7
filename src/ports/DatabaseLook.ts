import { Context, type Effect } from "effect"

/** Connections to the database by what they do, of all processes that are on it. */
export interface Connections {
  readonly active: number
  readonly idle: number
  readonly in_transaction: number
}

/** What the database says of itself; fails while it can't be asked. */
export class DatabaseLook extends Context.Service<
  DatabaseLook,
  { readonly connections: Effect.Effect<Connections, unknown> }
>()("cairn/DatabaseLook") {}
