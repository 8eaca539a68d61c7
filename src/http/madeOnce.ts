import { Effect } from "effect"

/**
 * Makes a value when it is first asked for, once for all callers. After a failure, the next caller has it made again.
 */
export const madeOnce = <Of extends ReadonlyArray<unknown>, A>(
  make: (...of: Of) => Promise<A>
): ((...of: Of) => Effect.Effect<A>) => {
  let made: Promise<A> | undefined
  const failed = (error: unknown): never => {
    made = undefined
    throw error
  }
  return (...of) => Effect.promise(() => (made ??= make(...of).catch(failed)))
}
