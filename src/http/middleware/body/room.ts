import { Effect } from "effect"
import { Problem } from "#src/api/Problem.ts"

/** How many bytes of bodies may be in hand at once. */
export interface Room {
  readonly all: number
  /** Of one key. */
  readonly each: number
  /** Of all that have no key, together. */
  readonly keyless: number
}

/** Bodies of most requests. Large ones never keep these waiting. */
export const forSmall: Room = { all: 16 * 1024 * 1024, each: 4 * 1024 * 1024, keyless: 2 * 1024 * 1024 }
export const forLarge: Room = { all: 64 * 1024 * 1024, each: 32 * 1024 * 1024, keyless: 0 }

/** How long a body waits for room. */
const patience = "10 seconds"

const noRoom = new Problem({
  code: "unavailable/busy",
  message:
    "The service has as many large requests in hand as it takes at once, or as many of this key's. Send the same request again.",
  retryAfter: 5
})

interface Place {
  readonly owner: string | undefined
  readonly bytes: number
  held: boolean
  go: () => void
}

/**
 * Bounds what bodies take of the memory, in sum and for each key. `owner` is a key's id, `undefined` without one. What finds no room
 * waits for it, for a while; what fits goes before larger ones that came earlier.
 */
export const makeRoom = ({ all, each, keyless }: Room) => {
  const held = new Map<string | undefined, number>()
  const waiting = new Set<Place>()
  let sum = 0

  /** Gives a place its bytes, when there is room for them. */
  const entered = (place: Place): boolean => {
    const { owner, bytes } = place
    const own = (held.get(owner) ?? 0) + bytes
    if (sum + bytes > all || own > (owner === undefined ? keyless : each)) return false
    sum += bytes
    held.set(owner, own)
    place.held = true
    return true
  }

  const leave = (place: Place): void => {
    waiting.delete(place)
    if (!place.held) return
    const { owner, bytes } = place
    sum -= bytes
    const own = held.get(owner)! - bytes
    if (own === 0) held.delete(owner)
    else held.set(owner, own)
    for (const next of waiting) {
      if (!entered(next)) continue
      waiting.delete(next)
      next.go()
    }
  }

  const enter = (place: Place): Effect.Effect<void, Problem> =>
    Effect.callback<void>((resume) => {
      place.go = () => resume(Effect.void)
      if (entered(place)) place.go()
      else waiting.add(place)
    }).pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(noRoom) }))

  /** Runs with room for so many bytes. */
  const within = <A, E, R>(owner: string | undefined, bytes: number, run: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const place: Place = { owner, bytes, held: false, go: () => undefined }
      return Effect.ensuring(
        Effect.andThen(enter(place), run),
        Effect.sync(() => leave(place))
      )
    })

  return { within, held: () => sum, waiting: () => waiting.size }
}
