import { Deferred, Effect, Layer, Logger } from "effect"
import { Dispatcher } from "#engine/dispatch.ts"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as Codec from "#src/codec.ts"

type Store = EventStore["Service"]

/** A dispatcher on a store in memory, some of whose operations a test replaces. */
export const on = (change: (store: Store) => Partial<Store>) =>
  Dispatcher.layer.pipe(
    Layer.provideMerge(
      Layer.effect(
        EventStore,
        Effect.map(EventStore, (store) => ({ ...store, ...change(store) }))
      )
    ),
    Layer.provide(MemoryEventStore.layer),
    Layer.provideMerge(Codec.layer),
    // commands that can't be decided are logged
    Layer.provideMerge(Logger.layer([]))
  )

/** What the dispatcher decides together: commands that come while it waits for the stream to be read. */
export const waiting = () => {
  const open = Deferred.makeUnsafe<void>()
  let first = true
  const readStream =
    (store: Store): Store["readStream"] =>
    (stream, after) =>
      Effect.suspend(() => {
        const wait = first ? Deferred.await(open) : Effect.void
        first = false
        return Effect.andThen(wait, store.readStream(stream, after))
      })
  const release = Deferred.succeed(open, undefined)
  return { readStream, release }
}
