import { Effect } from "effect"
import { fieldProblem } from "#src/api/Problem.ts"
import { readTold } from "#src/positions.ts"

/** The position that a request's field tells; one that another log has told is refused. */
export const positionIn = (field: string, text: string) =>
  Effect.mapError(readTold(text), ({ message }) =>
    fieldProblem("validation/invalid_field", field, `${field} ${message}`)
  )
