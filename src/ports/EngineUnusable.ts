import { Data } from "effect"

/**
 * What an adapter stands on can't be used at the start; `message` is one line that names the variable, the host and the
 * cause, and no secret. `passes`: it may by itself.
 */
export class EngineUnusable extends Data.TaggedError("EngineUnusable")<{
  readonly message: string
  readonly passes: boolean
}> {}
