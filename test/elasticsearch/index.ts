import { Effect, Layer } from "effect"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Lenience } from "#infra/search/elastic/Engine.ts"
import { layer } from "#infra/search/elastic/layer.ts"
import { Installation } from "#ports/Installation.ts"
import { embeddings } from "#test/embeddings.ts"

let count = 0

/** As much of a log as an index looks at: events of a name, up to the last one. */
export const aLog = (name = "event", last = Number.POSITIVE_INFINITY) =>
  Layer.mock(EventStore, { eventAt: (at) => Effect.succeed(at > last ? undefined : `${name} ${at}`) })

/** A name that no index of this run has yet. */
export const newName = () => `cairn-test-${process.pid}-${count++}`

/** The adapter on an index; another installation is another Cairn. */
export const indexAt = (urls: string, index: string, installation = "one", log: Layer.Layer<EventStore> = aLog()) =>
  layer({ urls: urls.split(","), auth: undefined, caFile: undefined, index }).pipe(
    Layer.provideMerge(Layer.mergeAll(embeddings, log, Layer.succeed(Installation, { secret: installation })))
  )

/** The adapter on an index that nobody has used: another one each time it is built. */
export const newIndex = (urls: string) =>
  Layer.unwrap(Effect.sync(() => indexAt(urls, newName()))).pipe(
    // what it finds is looked at, and not how soon
    Layer.provide(Layer.succeed(Lenience, 10))
  )
