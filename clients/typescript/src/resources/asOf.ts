import type { Result } from "../Result.ts"
import { type Call, json, part } from "../request.ts"

/** A table of the read models as of a position. */
export interface AsOfTable {
  /** The read model's name and the table's: `snippets_votes`. */
  readonly name: string
  /** As the database reckons. */
  readonly rows: number
  /** On disk, with its index. */
  readonly bytes: number
}

/** The read models as they were at a position. Times are ISO 8601. */
export interface AsOf extends Result {
  /** Up to where the log is in it. */
  readonly position: string
  /** When the last event was recorded that is in it; `null`: there is none. */
  readonly recordedAt: string | null
  /** `broken_off`: its process went away in the midst of it. */
  readonly state: "making" | "made" | "failed" | "broken_off"
  /** From 0 to 1. */
  readonly progress: number
  /** By name; of one that is made those that are there already. */
  readonly tables: ReadonlyArray<AsOfTable>
  /** Why it failed; `null`: it did not. */
  readonly fault: string | null
  /** At whose word it was made; `null`: the command line has made it, which notes no times either. */
  readonly keyId: string | null
  /** When it was begun. */
  readonly startedAt: string | null
  /** `null`: it is made. */
  readonly endedAt: string | null
}

/** What `system.asOfs` gives. */
export interface AsOfList extends Result {
  /** Those that there are, by position. */
  readonly asOf: ReadonlyArray<AsOf>
  /** How many there may be. */
  readonly most: number
}

/** What `system.asOfRows` gives. */
export interface AsOfRows extends Result {
  /** The table's columns but for hashes and secrets. */
  readonly columns: ReadonlyArray<string>
  /** Each with a value a column, as the database writes it; of a long one its first 500 characters and `…`. */
  readonly rows: ReadonlyArray<ReadonlyArray<string | null>>
  /** What to give as `cursor` for the next page; `null` on the last one. */
  readonly nextCursor: string | null
}

/** Which rows `system.asOfRows` gives, in the order of their ids. */
export interface AsOfRowsParams {
  /** Only the row of this id. */
  readonly id?: string | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** 1 to 100. Default: 50. */
  readonly limit?: number | undefined
}

interface Wire {
  readonly position: string
  readonly recorded_at: string | null
  readonly state: AsOf["state"]
  readonly progress: number
  readonly tables: ReadonlyArray<AsOfTable>
  readonly fault: string | null
  readonly key_id: string | null
  readonly started_at: string | null
  readonly ended_at: string | null
}

const asOfOf = (wire: Wire): AsOf => ({
  position: wire.position,
  recordedAt: wire.recorded_at,
  state: wire.state,
  progress: wire.progress,
  tables: wire.tables.map(({ name, rows, bytes }) => ({ name, rows, bytes })),
  fault: wire.fault,
  keyId: wire.key_id,
  startedAt: wire.started_at,
  endedAt: wire.ended_at
})

const list = json(
  ({ as_of, most }: { readonly as_of: ReadonlyArray<Wire>; readonly most: number }): AsOfList => ({
    asOf: as_of.map(asOfOf),
    most
  })
)

const path = "/api/admin/as-of"
const pathOf = (position: string): string => `${path}/${part("position", position)}`

export const asOfs: Call<AsOfList> = { method: "GET", path, answer: list }

export const makeAsOf = (at: string): Call<AsOf> => ({ method: "POST", path, body: { at }, answer: json(asOfOf) })

export const dropAsOf = (position: string): Call<AsOfList> => ({
  method: "DELETE",
  path: pathOf(position),
  answer: list
})

export const asOfRows = (position: string, table: string, { id, cursor, limit }: AsOfRowsParams): Call<AsOfRows> => ({
  method: "GET",
  path: `${pathOf(position)}/${part("table", table)}`,
  query: { id, cursor, limit },
  answer: json(
    ({ columns, rows, next_cursor }: Pick<AsOfRows, "columns" | "rows"> & { next_cursor: string | null }) => ({
      columns: [...columns],
      rows: rows.map((row) => [...row]),
      nextCursor: next_cursor
    })
  )
})
