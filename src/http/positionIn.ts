import { Effect } from "effect"
import { fieldProblem } from "#src/api/Problem.ts"
import { readTold } from "#src/positions.ts"

/** The position in a request's field; refuses one that another log has told. */
export const positionIn = (field: string, text: string) =>
  Effect.mapError(readTold(text), ({ message }) =>
    fieldProblem("validation/invalid_field", field, `${field} ${message}`)
  )
