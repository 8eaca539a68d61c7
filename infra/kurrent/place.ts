import { Effect } from "effect"
import { Kurrent, type ReadFrom } from "./client.ts"
import type { Fault } from "./Fault.ts"

/** Milliseconds before the second try; each pause is twice as long as the one before. */
const pause = 20

const mayBeRefusal = ({ kind, way, silent }: Fault): boolean =>
  kind === "other" || (kind === "passes" && way !== "elsewhere" && silent !== true)

/**
 * The first event at a position or behind it, of those with a pattern of types if one is given; none if nothing is
 * there, or the server refuses the position as none of its own. It does so in words that the client loses: a refusal
 * looks like a server that is away for a moment. So a position counts as refused where the server answers another read
 * each time and this one never, in so many tries.
 */
export const eventFrom = Effect.fnUntraced(function* (place: ReadFrom, tries: number, types?: string) {
  const { readAll } = yield* Kurrent
  const reading = readAll({ from: place, count: 1, ...(types !== undefined && { types }) })
  for (let left = tries, wait = pause; ; wait *= 2) {
    const found = yield* Effect.catchIf(reading, mayBeRefusal, () => Effect.succeed(undefined))
    if (found !== undefined) return found[0]
    yield* readAll({ from: "end", backwards: true, count: 1 })
    left -= 1
    if (left === 0) return undefined
    yield* Effect.sleep(wait)
  }
})
