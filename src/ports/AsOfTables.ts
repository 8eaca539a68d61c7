import { Context, type Effect } from "effect"

/** A table of read models as of a position. */
export interface AsOfTable {
  /** The schema that the tables of one position are in. */
  readonly schema: string
  /** `<read model>_<table>`. */
  readonly name: string
  /** The database's own figure. */
  readonly rows: number
  /** On disk, with indexes. */
  readonly bytes: number
}

/** Rows as a person looks at them: each value as the database writes it, in the order of the columns. */
export interface SeenRows {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string | null>>
  /** The ids of these rows, never cut. */
  readonly ids: ReadonlyArray<string>
}

/** Which rows to read. */
export interface RowsAsked {
  readonly schema: string
  readonly name: string
  /** Columns that are left out. */
  readonly without: ReadonlySet<string>
  /** Only the row of this id. */
  readonly id?: string | undefined
  /** Only rows after this id. */
  readonly after?: string | undefined
  readonly limit: number
  /** Characters that are given of a value. A longer one is cut, and `…` follows. */
  readonly characters: number
}

/** Tables as of positions, seen from outside. Each effect fails while the database can't be asked. */
export class AsOfTables extends Context.Service<
  AsOfTables,
  {
    /** All such tables, by schema and name. */
    readonly all: Effect.Effect<ReadonlyArray<AsOfTable>, unknown>
    /** Rows of a table in the order of their ids; `undefined` if there is no such table. */
    readonly rows: (asked: RowsAsked) => Effect.Effect<SeenRows | undefined, unknown>
  }
>()("cairn/AsOfTables") {}
