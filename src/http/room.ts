import { Effect } from "effect"
import { Problem } from "#src/api/Problem.ts"

/** How many bytes of one kind may be in hand at once. */
export interface RoomSize {
  readonly all: number
  /** Of one key. */
  readonly each: number
  /** Of all that have no key, together. */
  readonly keyless: number
}

/** How long a request waits for room. */
const patience = "10 seconds"
/** The same for the rest of an answer that has begun: it can't be refused any more, only cut. */
const longPatience = "5 minutes"
/** The most requests that wait for room; the next is refused at once. */
const mostWaiting = 256

const noRoom = new Problem({
  code: "unavailable/busy",
  message:
    "The service has as many large requests and answers in hand as it takes at once, or as many of this key's. Send the same request again.",
  retryAfter: 5
})

/** Somebody's part of a room. */
export interface Stay {
  /** Waits until there is room for its bytes: for the rest of an answer that has `begun`, far longer. */
  readonly enter: (begun: boolean) => Effect.Effect<void, Problem>
  /** Takes so many bytes from now on, whether there is room or not: they are in hand already. */
  readonly hold: (bytes: number) => void
  /** Gives its bytes back, or stops waiting. Calling it again changes nothing. */
  readonly leave: () => void
}

interface Waiting {
  readonly owner: string | undefined
  readonly bytes: number
  readonly fits: () => boolean
  readonly go: () => void
}

/**
 * Bounds how much memory something takes, in sum and for each key. What finds no room waits for it, for a while; what
 * fits goes before larger stays that came earlier. A stay for more than a key may ever have gets all of that.
 */
export const makeRoom = ({ all, each, keyless }: RoomSize) => {
  const held = new Map<string | undefined, number>()
  const waiting = new Set<Waiting>()
  let sum = 0

  const ofOwner = (owner: string | undefined) => held.get(owner) ?? 0

  const add = (owner: string | undefined, bytes: number): void => {
    sum += bytes
    const own = ofOwner(owner) + bytes
    if (own === 0) held.delete(owner)
    else held.set(owner, own)
  }

  const admit = (): void => {
    for (const next of waiting) {
      if (!next.fits()) continue
      waiting.delete(next)
      next.go()
    }
  }

  /** `owner`: a key's id, or `undefined` without a key. Whoever makes a stay must leave it, also if `enter` failed. */
  const stay = (owner: string | undefined, bytes: number): Stay => {
    const most = Math.min(all, owner === undefined ? keyless : each)
    const wanted = Math.min(bytes, most)
    let mine = 0
    let left = false
    let waits: Waiting | undefined

    const hold = (bytes: number): void => {
      if (left) return
      add(owner, bytes - mine)
      const less = bytes < mine
      mine = bytes
      if (less) admit()
    }
    const fits = (): boolean => {
      if (sum + wanted > all || ofOwner(owner) + wanted > most) return false
      hold(wanted)
      return true
    }
    return {
      enter: (begun) =>
        Effect.suspend(() => {
          if (fits()) return Effect.void
          if (waiting.size >= mostWaiting && !begun) return Effect.fail(noRoom)
          return Effect.callback<void>((resume) => {
            waits = { owner, bytes: wanted, fits, go: () => resume(Effect.void) }
            waiting.add(waits)
          }).pipe(
            Effect.timeoutOrElse({
              duration: begun ? longPatience : patience,
              orElse: () => Effect.fail(noRoom)
            })
          )
        }),
      hold,
      leave: () => {
        if (waits !== undefined) waiting.delete(waits)
        hold(0)
        left = true
      }
    }
  }

  /** Runs with room for so many bytes. */
  const within = <A, E, R>(owner: string | undefined, bytes: number, run: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const { enter, leave } = stay(owner, bytes)
      return Effect.ensuring(Effect.andThen(enter(false), run), Effect.sync(leave))
    })

  /** Whether anybody waits for what this owner has. */
  const keepsOut = (owner: string | undefined): boolean => {
    for (const next of waiting) if (next.owner === owner || sum + next.bytes > all) return true
    return sum > all
  }

  return { stay, within, keepsOut, held: () => sum, waiting: () => waiting.size }
}

export type Room = ReturnType<typeof makeRoom>
