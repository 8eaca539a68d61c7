/**
 * Whether the thread that this is was given up by the one that began it. On Deno (2.9) a thread that is at work can't
 * be ended from without: it goes on until it comes back to its event loop. So what it may be at for long looks here,
 * which takes a nanosecond or two.
 */
let given: Int32Array | undefined

/** Tells this thread where it is said that it was given up: a number that is no longer 0. */
export const heed = (said: SharedArrayBuffer): void => {
  given = new Int32Array(said)
}

/** Nobody waits any more for what this thread is at. */
export class GivenUp extends Error {
  override readonly name = "GivenUp"
}

/** Whether it was; never, in a thread that heeds nothing. */
export const isGivenUp = (): boolean => given !== undefined && Atomics.load(given, 0) !== 0

/** Throws `GivenUp` where it was. */
export const unlessGivenUp = (): void => {
  if (isGivenUp()) throw new GivenUp()
}
