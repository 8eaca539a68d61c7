/** What the client waits by. Tests give their own, and never wait. */
export interface Clock {
  /** Milliseconds since the epoch: a `Retry-After` that is a date is held against it. */
  now(): number
  /** A number from 0 up to 1, for the jitter of waits. */
  random(): number
  /** Settles after so many milliseconds; rejects with the signal's reason as soon as that is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Calls `run` after so many milliseconds, unless the function that it returns is called before. */
  timeout(milliseconds: number, run: () => void): () => void
}

/** The longest that a timer of JavaScript takes; a longer one would fire at once. */
const longest = 2 ** 31 - 1

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const stop = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(
        () => {
          signal?.removeEventListener("abort", stop)
          resolve()
        },
        Math.min(milliseconds, longest)
      )
      signal?.addEventListener("abort", stop, { once: true })
    }),
  timeout: (milliseconds, run) => {
    const timer = setTimeout(run, Math.min(milliseconds, longest))
    return () => clearTimeout(timer)
  }
}
