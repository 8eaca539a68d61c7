import type { Clock } from "./clock.ts"

/**
 * What a connection is held by whose steps may each take so long, and that lasts no longer than its caller wants it.
 */
export interface Patience {
  /** For the request: aborted when a step took too long, the caller's signal was, or `end` was called. */
  readonly signal: AbortSignal
  /**
   * Waits for a step; rejects as soon as the signal is aborted, since a fetch that does not listen to it must not
   * outlast it.
   */
  readonly inTime: <A>(step: Promise<A>) => Promise<A>
  /** Whether a step took too long. */
  readonly late: () => boolean
  /** Ends the connection, and hears of the caller's signal no more. */
  readonly end: () => void
}

/** `silence`: milliseconds that a step may take. */
export const patience = (clock: Clock, silence: number, caller: AbortSignal | undefined): Patience => {
  const controller = new AbortController()
  const stop = () => controller.abort(caller?.reason)
  caller?.addEventListener("abort", stop, { once: true })
  let late = false
  return {
    signal: controller.signal,
    inTime: async (step) => {
      const { signal } = controller
      let giveUp = () => {}
      // of this step alone: a promise that outlasts it would hold what each step has brought
      const stopped = new Promise<never>((_, reject) => {
        giveUp = () => reject(signal.reason)
      })
      if (signal.aborted) giveUp()
      else signal.addEventListener("abort", giveUp)
      const cancel = clock.timeout(silence, () => {
        late = true
        controller.abort()
      })
      try {
        return await Promise.race([step, stopped])
      } finally {
        cancel()
        signal.removeEventListener("abort", giveUp)
      }
    },
    late: () => late,
    end: () => {
      caller?.removeEventListener("abort", stop)
      controller.abort()
    }
  }
}
