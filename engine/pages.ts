import { Effect } from "effect"
import { EventStore, type StoredEvent, sizeOf } from "#engine/ports/EventStore.ts"
import { big, Codec } from "./codec.ts"
import type { AnyEvent, Recorded } from "./Event.ts"

/** Milliseconds that steps may take before others have a turn. */
const long = 5

/** Does what comes in steps, and lets others have their turn when some of them have taken long. */
export const inSteps = Effect.fnUntraced(function* <A>(steps: Generator<unknown, A>) {
  let since = performance.now()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (performance.now() - since < long) continue
    yield* Effect.yieldNow
    since = performance.now()
  }
})

/** Bytes of events that are taken in before others have a turn: some 10 ms of decoding. */
const turn = 512 * 1024

/** Takes events in one after the other, and lets others have their turn in between: many, or big ones, would hold up all. */
export const inTurns = Effect.fnUntraced(function* <E extends AnyEvent>(
  events: ReadonlyArray<StoredEvent>,
  take: (event: Recorded<E>) => void,
  wanted?: ReadonlySet<string>
) {
  const codec = yield* Codec
  let bytes = 0
  for (const event of events) {
    if (wanted?.has(event.type) === false) continue
    const size = sizeOf(event)
    if (bytes > 0 && bytes + size > turn) {
      yield* Effect.yieldNow
      bytes = 0
    }
    bytes += size
    take((size < big ? codec.decode(event) : yield* inSteps(codec.decoding(event))) as Recorded<E>)
  }
})

/** The events, decoded in turns. */
export const decodeAll = Effect.fnUntraced(function* <E extends AnyEvent>(events: ReadonlyArray<StoredEvent>) {
  const decoded: Array<Recorded<E>> = []
  yield* inTurns<E>(events, (event) => decoded.push(event))
  return decoded
})

/** Takes in all of a stream behind a revision, page by page; only the `wanted` types, when they are given. */
export const eachOfStream = Effect.fnUntraced(function* <E extends AnyEvent>(
  stream: string,
  after: number,
  take: (event: Recorded<E>) => void,
  wanted?: ReadonlySet<string>
) {
  const store = yield* EventStore
  for (let last = after; ; ) {
    const { events, more } = yield* store.readStream(stream, last)
    yield* inTurns(events, take, wanted)
    if (!more) return
    last = events.at(-1)!.revision
  }
})
