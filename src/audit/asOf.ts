import { Effect } from "effect"
import { type Position, positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { type Kept, ReadModels } from "#engine/ports/ReadModels.ts"
import { bring } from "#engine/project.ts"

/** The name of the schema that keeps the read models as of a position. */
export const schemaAt = (position: Position): string => `as_of_${position}`

/** The position in the name of such a schema; `undefined`: it is no such name. */
export const positionIn = (schema: string): Position | undefined => {
  const [, written] = /^as_of_([0-9]{1,15})$/.exec(schema) ?? []
  return written === undefined ? undefined : positionOf(written)
}

/** Columns that nobody is shown: whoever knows them can act as their owner, or try to. */
export const secretColumns: ReadonlySet<string> = new Set(["hash", "secret"])

/** A read model as of a position, and the tables that keep it. */
export interface AsOf {
  readonly projection: Projection
  readonly tables: ReadonlyArray<Kept>
}

/**
 * Builds a read model from the log up to a position, into a schema that nothing else uses: as it was then, without what
 * was erased since. Leaves the live one as it is.
 */
export const asOf = Effect.fnUntraced(function* (
  projection: Projection,
  position: Position,
  progress: (position: Position, of: Position) => void
) {
  const models = yield* ReadModels
  const begun = yield* models.begin(projection)
  return yield* Effect.gen(function* () {
    const build = yield* bring(begun, position, (build) => Effect.sync(() => progress(build.position, position)))
    const asOf: AsOf = { projection, tables: yield* models.keep(build, schemaAt(position)) }
    return asOf
  }).pipe(Effect.onError(() => Effect.ignore(models.drop(begun))))
})
