import { Effect } from "effect"
import type { Position } from "#engine/Position.ts"
import { atMost, CountedCache } from "#ports/CountedCache.ts"

/**
 * Remembers what was found until something has changed: until the given `version` differs from the last one. Never
 * remembers that nothing was found, and remembers nothing without a version.
 */
export const remembered = <A extends {}>(name: string, max: number) => {
  const known = new CountedCache<A>(name, atMost(max))
  let knownAt: Position | undefined
  return Effect.fnUntraced(function* <E, R, Found extends A | undefined>(
    version: Position | undefined,
    key: string,
    find: Effect.Effect<Found, E, R>
  ) {
    if (version !== knownAt) {
      known.clear()
      knownAt = version
    }
    const before = known.get(key)
    if (before !== undefined) return before
    const found = yield* find
    // the version may have changed meanwhile
    if (found !== undefined && version !== undefined && version === knownAt) known.set(key, found)
    return found
  })
}
