import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/**
 * A parameter that is an array of elements of a type, a `PgTypes.OID`: said, because one of nulls alone has none to be
 * inferred.
 */
export const arrayOf = (values: ReadonlyArray<unknown>, element: number) =>
  Result.getOrThrow(PgTypes.array(values, element))

/** What rows have of one kind, as such a parameter. */
export const columnOf = <Row>(rows: ReadonlyArray<Row>, of: (row: Row) => unknown, element: number) =>
  arrayOf(rows.map(of), element)
