import { timeLeft } from "./deadline.ts"
import type { ServiceError } from "./errors.ts"
import { reasonOf } from "./failure.ts"
import type { Settings } from "./options.ts"
import { shortWait } from "./retry.ts"

/** What failed, and why. */
export interface FailedTry {
  /** Method and path, without the query. */
  readonly what: string
  readonly error: ServiceError
  /** Tries before it. */
  readonly tries: number
}

/**
 * Waits until a request is sent again, and tells of it. Fails with the error of the last try when it is not, also
 * because the call has no time left for that.
 */
export const waitFor = async (
  { clock, log }: Settings,
  wait: number | null,
  { what, error, tries }: FailedTry,
  signal: AbortSignal | undefined
): Promise<void> => {
  if (wait === null || wait >= timeLeft(signal)) throw error
  // who waits for long is told why by default, too
  const tell = wait <= shortWait ? log.info : log.warn
  tell(`${what} is sent again in ${Math.round(wait)} ms`, why(error, tries))
  await clock.sleep(wait, signal)
}

/** Without the service's own words, which may repeat the caller's. */
const why = (error: ServiceError, tries: number) => ({
  error: error.name,
  statusCode: error.statusCode,
  code: error.code,
  requestId: error.requestId,
  reason: error.cause === undefined ? null : reasonOf(error.cause),
  tries: tries + 1
})
