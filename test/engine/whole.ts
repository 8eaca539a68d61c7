import { Effect } from "effect"
import type { Position } from "#engine/Position.ts"
import { EventStore, type Page, type ReadAll, type StoredEvent } from "#engine/ports/EventStore.ts"

/** All pages one after the other, of `limit` events at the most. */
const gathered = Effect.fnUntraced(function* <E>(
  limit: number,
  read: (last: StoredEvent | undefined, limit: number) => Effect.Effect<Page, E>
) {
  const events: Array<StoredEvent> = []
  for (;;) {
    const page = yield* read(events.at(-1), limit - events.length)
    events.push(...page.events)
    if (!page.more || events.length === limit) return events
  }
})

/** The event store, which gives whole what it reads: page by page, as each of its readers has to. */
export const whole = Effect.map(EventStore, (store) => ({
  ...store,
  readStream: (stream: string, after: number) =>
    gathered(1_000_000, (last, limit) => store.readStream(stream, last?.revision ?? after, { limit })),
  readAll: (after: Position, options: ReadAll = {}) =>
    gathered(options.limit ?? 1_000_000, (last, limit) => store.readAll(last?.position ?? after, { ...options, limit }))
}))
