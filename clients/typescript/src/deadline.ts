/** When each signal that was made here fires, by `performance.now()`: a signal itself does not say. */
const ends = new WeakMap<AbortSignal, number>()

/**
 * A signal that ends a call after so many milliseconds, all its tries and the waits between them. A wait that would end
 * later is none: the call fails at once.
 */
export const deadline = (milliseconds: number): AbortSignal => {
  const signal = AbortSignal.timeout(milliseconds)
  ends.set(signal, performance.now() + milliseconds)
  return signal
}

/** Milliseconds that a call has left; of one whose end is not known, without end. */
export const timeLeft = (signal: AbortSignal | undefined): number => {
  const end = signal && ends.get(signal)
  return end === undefined ? Number.POSITIVE_INFINITY : end - performance.now()
}
