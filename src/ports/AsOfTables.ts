import { Context, type Effect } from "effect"

/** A table of read models as of a position. */
export interface AsOfTable {
  /** What the tables of one position stand in. */
  readonly schema: string
  /** `<read model>_<table>`. */
  readonly name: string
  /** As the database reckons. */
  readonly rows: number
  /** On disk, with indexes. */
  readonly bytes: number
}

/** Rows as a person looks at them: each value as the database writes it, in the order of the columns. */
export interface SeenRows {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string | null>>
  /** Of the rows, whole. */
  readonly ids: ReadonlyArray<string>
}

/** Which rows are looked at. */
export interface RowsAsked {
  readonly schema: string
  readonly name: string
  /** Columns that are left out. */
  readonly without: ReadonlySet<string>
  /** Only the row of this id. */
  readonly id?: string | undefined
  /** Only rows behind this id. */
  readonly after?: string | undefined
  readonly limit: number
  /** Characters that are given of a value; of a longer one the beginning, and `…`. */
  readonly characters: number
}

/** What was made as of positions, looked at from outside; each fails while the database can't be asked. */
export class AsOfTables extends Context.Service<
  AsOfTables,
  {
    /** All there are, by schema and name. */
    readonly all: Effect.Effect<ReadonlyArray<AsOfTable>, unknown>
    /** Rows of a table in the order of their ids; `undefined`: there is no such table. */
    readonly rows: (asked: RowsAsked) => Effect.Effect<SeenRows | undefined, unknown>
  }
>()("cairn/AsOfTables") {}
