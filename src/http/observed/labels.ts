import { randomUUID } from "node:crypto"
import { Context, Effect } from "effect"
import { Origin } from "#ports/Origin.ts"

/** What a request is counted and logged by; becomes known while it is answered. */
export interface RequestLabels {
  /** The pattern of the route that took it; `other`: none of the API's. */
  route: string
  /** The id of the key that it came with. */
  key: string | undefined
}

/** The labels of the request that is being answered. */
export const Labels = Context.Reference<RequestLabels | undefined>("cairn/RequestLabels", {
  defaultValue: () => undefined
})

/** The id of the request that is being answered. */
export const requestId = Effect.map(Origin, (origin) => origin?.requestId ?? randomUUID())
