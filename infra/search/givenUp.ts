/**
 * Not 0 once this thread was given up by the one that began it. On Deno (2.9), a thread that is at work can't be ended
 * from outside: it goes on until it comes back to its event loop. So work that may take long looks here, which takes a
 * nanosecond or two.
 */
let given: Int32Array | undefined

/** Tells this thread where it learns that it was given up: by a number that is no longer 0. */
export const heed = (said: SharedArrayBuffer): void => {
  given = new Int32Array(said)
}

/** Nobody waits any more for what this thread does. */
export class GivenUp extends Error {
  override readonly name = "GivenUp"
}

/** Whether this thread was given up; `false` if it was not told where to look. */
export const isGivenUp = (): boolean => given !== undefined && Atomics.load(given, 0) !== 0

/** Throws `GivenUp` if this thread was given up. */
export const unlessGivenUp = (): void => {
  if (isGivenUp()) throw new GivenUp()
}
