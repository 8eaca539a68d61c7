import { Clock, Effect, Layer } from "effect"
import { Caller, Rate } from "#src/api/middleware.ts"
import { Problem } from "#src/api/Problem.ts"
import type { RateClass, Rates } from "#src/rates.ts"

const classOf = (path: string): RateClass => {
  if (path === "/api/keys/org/create") return "keys_create"
  if (path === "/api/keys/org/list") return "keys_list"
  if (path === "/api/keys/org/revoke") return "keys_revoke"
  if (path.startsWith("/api/retrieve/")) return "search"
  if (path.startsWith("/api/store/")) return "store"
  return path === "/api/agent-chat" ? "chat" : "other"
}

const minute = 60_000

/** Counts each key's requests of the last 60 seconds; a refused request does not count. */
export const layer = (rates: Rates) =>
  Layer.sync(Rate, () => {
    // times of the requests that still count, oldest first
    const windows = new Map<string, Array<number>>()
    let sweptAt = 0

    const sweep = (now: number) => {
      if (now - sweptAt < minute) return
      sweptAt = now
      for (const [name, times] of windows) if ((times.at(-1) ?? 0) <= now - minute) windows.delete(name)
    }

    return ((httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const limited = classOf(endpoint.path)
        const limit = rates[limited]
        if (limit === Number.POSITIVE_INFINITY) return yield* httpEffect
        const { key } = yield* Caller
        const now = yield* Clock.currentTimeMillis
        sweep(now)
        const name = `${key} ${limited}`
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
        return yield* httpEffect
      })) as Rate["Service"]
  })
