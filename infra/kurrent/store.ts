import { Layer, type Redacted } from "effect"
import * as Belonging from "./belonging.ts"
import { Kurrent } from "./client.ts"
import * as KurrentEventStore from "./layer.ts"
import { type MaxAge, MaxAges } from "./retention.ts"
import { check } from "./version.ts"

/**
 * The log on the server at a URL, which is checked first; `maxAges` are those of the streams that it keeps only for a
 * time.
 */
export const layer = (url: Redacted.Redacted, maxAges: ReadonlyArray<MaxAge>) => {
  const server = Layer.effectDiscard(check).pipe(Layer.provideMerge(Kurrent.layer(url)))
  return KurrentEventStore.layer.pipe(
    Layer.provide(Layer.succeed(MaxAges, maxAges)),
    Layer.provide(Layer.provideMerge(Belonging.layer, server))
  )
}
