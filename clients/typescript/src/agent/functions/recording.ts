import { deadline } from "../../deadline.ts"
import type { RequestOptions } from "../../options.ts"

/**
 * Records that are under way, of all functions of a program: of more calls at once nothing is recorded, rather than
 * that they wait for their records.
 */
const mostAtOnce = 100
let atOnce = 0

/** A program that is done must not wait long for a service that does not answer, or asks for time. */
export const hurried = (): RequestOptions => ({ timeout: 5_000, maxRetries: 1, signal: deadline(10_000) })

/**
 * Sends a record, unless too many are under way. It must never disturb the program: nobody waits for it, and nobody
 * hears of its failure.
 */
export const sendRecord = async (send: () => PromiseLike<unknown>): Promise<void> => {
  if (atOnce >= mostAtOnce) return
  atOnce++
  try {
    await send()
  } catch {
    // the call that it tells of is over
  } finally {
    atOnce--
  }
}

/** Whether a record would be sent now: what would not need not be made either. */
export const mayRecord = (): boolean => atOnce < mostAtOnce
