import { Layer, type Redacted } from "effect"
import { type Erasing, Erasures } from "#engine/texts.ts"
import * as Belonging from "./belonging.ts"
import { Kurrent } from "./client.ts"
import * as KurrentEventStore from "./layer.ts"
import { type MaxAge, MaxAges } from "./retention.ts"
import { check } from "./version.ts"

/**
 * The log on the server at a URL, which is checked first; `maxAges` are those of the streams that it keeps only for a
 * time, `erasing` are its events that erase texts.
 */
export const layer = (url: Redacted.Redacted, maxAges: ReadonlyArray<MaxAge>, erasing: Erasing) => {
  const server = Layer.effectDiscard(check).pipe(Layer.provideMerge(Kurrent.layer(url)))
  return KurrentEventStore.layer.pipe(
    Layer.provide(Layer.merge(Layer.succeed(MaxAges, maxAges), Layer.succeed(Erasures, erasing))),
    Layer.provide(Layer.provideMerge(Belonging.layer, server))
  )
}
