import { Clock, Effect } from "effect"

/** Milliseconds in which the same is said once: a server that is slow now and then would fill the log. */
const quiet = 60_000

/** Whether an embedding model does what it should, as this process knows it, and what is said of that. */
export const makeOutage = () => {
  let fault: string | undefined
  let said: { readonly told: string; readonly at: number } | undefined
  let isSaid = false
  return {
    fault: () => fault,
    begins: (told: string) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const isNew = said === undefined || said.told !== told || now - said.at >= quiet
        fault = told
        if (!isNew) return
        said = { told, at: now }
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
