import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/** An array as a parameter, with its element type, a `PgTypes.OID`: no type can be inferred from an array of nulls. */
export const arrayOf = (values: ReadonlyArray<unknown>, element: number) =>
  Result.getOrThrow(PgTypes.array(values, element))

/** One value of each row, as such a parameter. */
export const columnOf = <Row>(rows: ReadonlyArray<Row>, of: (row: Row) => unknown, element: number) =>
  arrayOf(rows.map(of), element)
