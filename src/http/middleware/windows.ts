import { Clock, Effect } from "effect"
import { Problem } from "#src/api/Problem.ts"

const minute = 60_000

/**
 * Counts requests of the last 60 seconds by name; a refused request does not count. `windows` holds the times of those
 * that still count, oldest first.
 */
export const makeWindows = (windows = new Map<string, Array<number>>()) => {
  let sweptAt = 0

  const sweep = (now: number) => {
    if (now - sweptAt < minute) return
    sweptAt = now
    for (const [name, times] of windows) if ((times.at(-1) ?? 0) <= now - minute) windows.delete(name)
  }

  /** Counts a request, or fails when it is one too many. */
  return Effect.fnUntraced(function* (name: string, limit: number) {
    if (limit === Number.POSITIVE_INFINITY) return
    const now = yield* Clock.currentTimeMillis
    sweep(now)
    const times = (windows.get(name) ?? []).filter((time) => time > now - minute)
    windows.set(name, times)
    if (times.length >= limit) {
      const retryAfter = Math.max(1, Math.ceil((times[times.length - limit]! + minute - now) / 1000))
      return yield* new Problem({
        code: "rate_limit/exceeded",
        message: `More than ${limit} requests of this kind in the last minute. Wait ${retryAfter} s, or ask the operator for a higher CAIRN_RATE_LIMITS.`,
        retryAfter
      })
    }
    times.push(now)
  })
}
