import { Effect } from "effect"
import { EventStore, type ReadAll, type StoredEvent } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"

const page = 500

/**
 * Gives `erase` the events whose time is over, page by page, up to the first one whose time is not. Goes on from the
 * checkpoint of this name: each event is given once, or again if `erase` did not end.
 */
export const expire = Effect.fnUntraced(function* <E, R>(
  name: string,
  events: ReadAll,
  isOver: (event: StoredEvent) => boolean,
  erase: (events: ReadonlyArray<StoredEvent>) => Effect.Effect<void, E, R>
) {
  const store = yield* EventStore
  const models = yield* ReadModels
  for (;;) {
    const from = yield* models.reaction(name)
    const { events: found, more } = yield* store.readAll(from, { ...events, limit: page })
    const first = found.findIndex((event) => !isOver(event))
    const over = first === -1 ? found : found.slice(0, first)
    yield* erase(over)
    if (over.length > 0) yield* models.advance(name, from, over.at(-1)!.position)
    if (first !== -1 || !more) return
  }
})
