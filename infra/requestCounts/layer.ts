import { Clock, Effect, Layer } from "effect"
import { RequestCounts } from "#ports/RequestCounts.ts"

const minute = 60_000

/** Counts in this process's memory. `windows` has, by name, the times of requests that still count, oldest first. */
export const makeWindows = (windows = new Map<string, Array<number>>()) => {
  let sweptAt = 0

  const sweep = (now: number) => {
    if (now - sweptAt < minute) return
    sweptAt = now
    for (const [name, times] of windows) if ((times.at(-1) ?? 0) <= now - minute) windows.delete(name)
  }

  return Effect.fnUntraced(function* (name: string, limit: number) {
    const now = yield* Clock.currentTimeMillis
    sweep(now)
    const times = (windows.get(name) ?? []).filter((time) => time > now - minute)
    windows.set(name, times)
    if (times.length >= limit) return times[times.length - limit]! + minute - now
    times.push(now)
    return 0
  })
}

/** Request counts for a service that is one process. */
export const layer = Layer.sync(RequestCounts, () => RequestCounts.of({ count: makeWindows() }))
