import { Effect } from "effect"
import { type Position, positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { type Kept, ReadModels } from "#engine/ports/ReadModels.ts"
import { bring } from "#engine/project.ts"

/** Where the read models of a position are kept. */
export const schemaAt = (position: Position): string => `as_of_${position}`

/** The position that such a name tells of; `undefined`: it is no such name. */
export const positionIn = (schema: string): Position | undefined => {
  const [, written] = /^as_of_([0-9]{1,15})$/.exec(schema) ?? []
  return written === undefined ? undefined : positionOf(written)
}

/** Columns that nobody is shown: whoever has them can do what their owner can, or try to. */
export const secretColumns: ReadonlySet<string> = new Set(["hash", "secret"])

/** A read model as it was. */
export interface AsOf {
  readonly projection: Projection
  readonly tables: ReadonlyArray<Kept>
}

/**
 * Builds a read model from the log up to a position, as it was then but for what was erased since, into a schema that
 * nothing else uses. The live one is not touched.
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
