import { Clock, Effect } from "effect"
import type { Operation } from "#domain/access/operations.ts"
import { isPermitted } from "#domain/access/permitted.ts"
import type { Holder } from "#domain/Scope.ts"
import { fresh, longPatience } from "#engine/ask.ts"
import { holderOfKey } from "#projections/Keys/holders.ts"
import { Keys } from "#projections/Keys/tables.ts"

/**
 * Whether a key may do this operation, and what else is asked of its holder, for who asks again and again: looks anew
 * whenever the keys' read model has changed; a key's time may be over at any moment.
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
