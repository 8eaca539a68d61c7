import { Effect } from "effect"

/**
 * What is made when it is first asked for, once for all who ask; when that failed, who asks next has it made again.
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
