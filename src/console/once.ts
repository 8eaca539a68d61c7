import { isDecided } from "./decided.ts"
import { session } from "./session.ts"

type Ask<T> = (options: { readonly idempotencyKey: string }) => Promise<T>

/**
 * Asks for a write that is carried out once, also if it is asked for again because no answer came, or none that
 * decides: until then, the same reader's request for the same is the same request.
 */
export const once = (): (<T>(what: unknown, ask: Ask<T>) => Promise<T>) => {
  let last: { readonly what: string; readonly idempotencyKey: string } | undefined
  return async (what, ask) => {
    const text = JSON.stringify([session.value?.access.keyId, what])
    if (last?.what !== text) last = { what: text, idempotencyKey: crypto.randomUUID() }
    const own = last
    const answered = () => {
      if (last === own) last = undefined
    }
    try {
      const answer = await ask(own)
      answered()
      return answer
    } catch (error) {
      if (isDecided(error)) answered()
      throw error
    }
  }
}
