import { Effect, Layer } from "effect"
import { Caller, Rate, RequestRates } from "#src/api/middleware.ts"
import type { RateClass, Rates } from "#src/config/rates.ts"
import { counting } from "./counting.ts"

const classOf = (path: string): RateClass => {
  if (path === "/api/keys/org/create") return "keys_create"
  if (path === "/api/keys/org/list") return "keys_list"
  if (path === "/api/keys/org/revoke") return "keys_revoke"
  if (path.startsWith("/api/retrieve/")) return "search"
  if (path.startsWith("/api/store/")) return "store"
  return path === "/api/agent-chat" ? "chat" : "other"
}

const counter = (rates: Rates) =>
  Layer.effect(
    RequestRates,
    Effect.map(counting, (count) =>
      RequestRates.of({
        rates,
        count: Effect.fnUntraced(function* (path) {
          const limited = classOf(path)
          const { key } = yield* Caller
          yield* count(`key ${key} ${limited}`, rates[limited])
        })
      })
    )
  )

const middleware = Layer.effect(
  Rate,
  Effect.map(
    RequestRates,
    ({ count }) => ((httpEffect, { endpoint }) => Effect.andThen(count(endpoint.path), httpEffect)) as Rate["Service"]
  )
)

/** Counts each key's requests by class. The middleware counts those of routes; other handlers count their own. */
export const layer = (rates: Rates) => Layer.provideMerge(middleware, counter(rates))
