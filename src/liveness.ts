import { Clock, Effect } from "effect"
import type { Operation } from "#domain/access/operations.ts"
import { isPermitted } from "#domain/access/permitted.ts"
import type { Holder } from "#domain/Scope.ts"
import { fresh, longPatience } from "#engine/ask.ts"
import { holderOfKey } from "#projections/Keys/holders.ts"
import { Keys } from "#projections/Keys/tables.ts"

/**
 * Whether a key may do this operation and its holder passes `may`, for callers that ask again and again. Looks up the
 * holder anew when the keys' read model has changed; whether the key has expired is checked every time.
 */
export const liveness = (key: string, operation: Operation, may: (holder: Holder) => boolean = () => true) => {
  let checkedAt = -1
  let holder: Holder | undefined
  return Effect.gen(function* () {
    const { changed } = yield* fresh(Keys, longPatience)
    if (changed !== checkedAt) holder = yield* holderOfKey(key)
    checkedAt = changed
    return isPermitted(holder, operation, yield* Clock.currentTimeMillis) && may(holder)
  })
}
