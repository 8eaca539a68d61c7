import { Clock, Effect } from "effect"
import { LRUCache } from "lru-cache"

/** Milliseconds in which the same fault is logged once: a server that is slow now and then would fill the log. */
const quiet = 60_000
/** How many faults are told apart: their words may have numbers in them. */
const kinds = 100

/** Whether an embedding model works, as this process knows it, and what is logged of that. */
export const makeOutage = () => {
  let fault: string | undefined
  /** What was said, and when. */
  const said = new LRUCache<string, number>({ max: kinds })
  let isSaid = false
  return {
    fault: () => fault,
    begins: (told: string) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        fault = told
        if (now - (said.get(told) ?? Number.NEGATIVE_INFINITY) < quiet) return
        said.set(told, now)
        isSaid = true
        yield* Effect.logWarning(`searches go by the table of embeddings alone: ${told}`)
      }),
    ends: Effect.suspend(() => {
      const wasSaid = isSaid && fault !== undefined
      if (fault !== undefined) isSaid = false
      fault = undefined
      return wasSaid ? Effect.logInfo("the embeddings server is back") : Effect.void
    })
  }
}

export type Outage = ReturnType<typeof makeOutage>
