import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Projection, schemaOf } from "#engine/Projection.ts"

/**
 * Where read models stand, as a text that changes as soon as one of them moves or is replaced: one statement, for
 * callers that would otherwise read them only to find nothing new.
 */
export const standsOf = (projections: ReadonlyArray<Projection>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ stands: string | null }>(
        `SELECT string_agg(concat_ws(' ', name, version, build, position), ',' ORDER BY name, version) AS stands
         FROM read_models WHERE live AND name || '_v' || version = ANY ($1::text[])`,
        [projections.map(schemaOf)]
      ),
      ([row]) => row?.stands ?? ""
    )
  )

/** Whether read models have moved since this was last asked; `true` the first time. */
export const haveMoved = <E, R>(stands: Effect.Effect<string, E, R>) => {
  let before: string | undefined
  return Effect.map(stands, (now) => {
    const moved = now !== before
    before = now
    return moved
  })
}
