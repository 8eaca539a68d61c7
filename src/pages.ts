import { Effect } from "effect"
import type { Recorded } from "#domain/Event.ts"
import type { DomainEvent } from "#domain/events.ts"
import { EventStore, type StoredEvent, sizeOf } from "#ports/EventStore.ts"
import * as Codec from "./codec.ts"

/** Bytes of events that are taken in before others have a turn: some 10 ms of decoding. */
const turn = 512 * 1024

/** Takes events in one after the other, and lets others have their turn in between: many, or big ones, would hold up all. */
export const inTurns = Effect.fnUntraced(function* (
  events: ReadonlyArray<StoredEvent>,
  take: (event: StoredEvent) => void
) {
  let bytes = 0
  for (const event of events) {
    const size = sizeOf(event)
    if (bytes > 0 && bytes + size > turn) {
      yield* Effect.yieldNow
      bytes = 0
    }
    bytes += size
    take(event)
  }
})

/** The events, decoded in turns. */
export const decodeAll = Effect.fnUntraced(function* (events: ReadonlyArray<StoredEvent>) {
  const decoded: Array<Recorded<DomainEvent>> = []
  yield* inTurns(events, (event) => decoded.push(Codec.decode(event)))
  return decoded
})

/** Takes in all of a stream behind a revision, page by page. */
export const eachOfStream = Effect.fnUntraced(function* (
  stream: string,
  after: number,
  take: (event: StoredEvent) => void
) {
  const store = yield* EventStore
  for (let last = after; ; ) {
    const { events, more } = yield* store.readStream(stream, last)
    yield* inTurns(events, take)
    if (!more) return
    last = events.at(-1)!.revision
  }
})
