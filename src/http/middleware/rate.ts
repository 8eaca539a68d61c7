import { Effect, Layer } from "effect"
import { Caller, Rate } from "#src/api/middleware.ts"
import type { RateClass, Rates } from "#src/rates.ts"
import { makeWindows } from "./windows.ts"

const classOf = (path: string): RateClass => {
  if (path === "/api/keys/org/create") return "keys_create"
  if (path === "/api/keys/org/list") return "keys_list"
  if (path === "/api/keys/org/revoke") return "keys_revoke"
  if (path.startsWith("/api/retrieve/")) return "search"
  if (path.startsWith("/api/store/")) return "store"
  return path === "/api/agent-chat" ? "chat" : "other"
}

/** Counts each key's requests by class. */
export const layer = (rates: Rates) =>
  Layer.sync(Rate, () => {
    const count = makeWindows()
    return ((httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const limited = classOf(endpoint.path)
        const { key } = yield* Caller
        yield* count(`${key} ${limited}`, rates[limited])
        return yield* httpEffect
      })) as Rate["Service"]
  })
