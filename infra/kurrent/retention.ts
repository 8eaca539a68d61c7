import { Context, Effect } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { Kurrent } from "./client.ts"

/** How long events are kept in the streams whose names begin with `streams`. */
export interface MaxAge {
  readonly streams: string
  readonly seconds: number
}

export const MaxAges = Context.Reference<ReadonlyArray<MaxAge>>("infra/kurrent/MaxAges", { defaultValue: () => [] })

/**
 * Sets how long a new stream's events are kept. Setting the same again changes nothing, and what an operator has set
 * meanwhile stays.
 */
export const setMaxAge = Effect.fnUntraced(function* (stream: string) {
  const ages = yield* MaxAges
  const age = ages.find(({ streams }) => stream.startsWith(streams))
  if (age === undefined) return
  const { append } = yield* Kurrent
  const metadata = {
    id: derivedId("max_age", stream),
    type: "$metadata",
    contentType: "application/json",
    data: { $maxAge: age.seconds },
    metadata: undefined
  } as const
  yield* append(`$$${stream}`, -1, [metadata]).pipe(
    Effect.catchIf(
      ({ kind }) => kind === "wrong-revision",
      () => Effect.void
    )
  )
})
