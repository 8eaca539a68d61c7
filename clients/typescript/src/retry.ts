/**
 * When a request is sent again, and after how long: 408, 409, 429, 5xx but 507, and whatever ended without an answer.
 * The wait is what `Retry-After` says, up to a minute; longer than that is for the caller to decide, so the call fails
 * at once. Without it: half a second, twice as much each time, at most 8 s, less up to a quarter of it by chance, so
 * that clients that failed together do not come back together.
 */

const first = 500
const most = 8_000
const jitter = 0.25

/** The longest `Retry-After` that is waited for, in seconds. */
export const longestRetryAfter: number = 60

/** Milliseconds: of a longer wait the log has a warning. */
export const shortWait = 10_000

/**
 * Whether the same request may get another answer than this status: what the answer's `x-should-retry` says, else by
 * the status. A conflict that the service names is decided, and stays one; another may be of two requests at the same
 * moment. A disk that is full (507) is for a person to mend, and stays so for longer than a call waits.
 */
export const isTransient = (status: number, code: string | null, shouldRetry: string | null): boolean => {
  if (shouldRetry === "true" || shouldRetry === "false") return shouldRetry === "true"
  if (status === 409) return !code?.startsWith("conflict/")
  return status === 408 || status === 429 || (status >= 500 && status !== 507)
}

/** Milliseconds to wait before the try after the one of this number, counted from 0. */
export const backoff = (attempt: number, random: number): number =>
  Math.min(first * 2 ** attempt, most) * (1 - jitter * random)

/**
 * Whole seconds of a `Retry-After`, which is a number of seconds or an HTTP date; `null` without one that can be read.
 */
export const retryAfterOf = (header: string | null, now: number): number | null => {
  const text = header?.trim() ?? ""
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null
}

/**
 * Milliseconds until the next try, or `null` when there should be none. A `Retry-After` of 0, or of a time that has
 * passed, is no permission to hammer: it is waited for as if there were none.
 */
export const waitBefore = (attempt: number, retryAfter: number | null, random: number): number | null => {
  if (retryAfter === null || retryAfter === 0) return backoff(attempt, random)
  return retryAfter > longestRetryAfter ? null : retryAfter * 1000
}
