import { Effect } from "effect"
import { EventStore, type StoredEvent, sizeOf } from "#engine/ports/EventStore.ts"
import { big, Codec } from "./codec.ts"
import type { AnyEvent, Recorded } from "./Event.ts"

/** Milliseconds that steps may take before other work has its turn, unless the scheduler says so earlier. */
const long = 5

/**
 * Takes all steps, and lets other work have its turn whenever the fiber's scheduler says that it is time or 5 ms have
 * passed. Gives what the generator returns; dies with what it throws.
 */
export const inSteps = Effect.fnUntraced(function* <A>(steps: Generator<unknown, A>) {
  const fiber = yield* Effect.fiber
  const { scheduler } = fiber.cache
  let since = performance.now()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (!scheduler.shouldYield(fiber) && performance.now() - since < long) continue
    yield* Effect.yieldNow
    since = performance.now()
  }
})

/** Bytes of events that are taken in before other work has its turn: some 10 ms of decoding. */
const turn = 512 * 1024

/**
 * Decodes events and gives them to `take` one by one; only those of `wanted` types, if given. Other work has its turn
 * after each 512 KiB: many events, or big ones, would hold it up. Dies with `UnreadableEvent`.
 */
const inTurns = Effect.fnUntraced(function* <E extends AnyEvent>(
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

/** Decodes events, with a turn for other work after each 512 KiB. Dies with `UnreadableEvent`. */
export const decodeAll = Effect.fnUntraced(function* <E extends AnyEvent>(events: ReadonlyArray<StoredEvent>) {
  const decoded: Array<Recorded<E>> = []
  yield* inTurns<E>(events, (event) => decoded.push(event))
  return decoded
})

/**
 * Gives a stream's events after a revision (-1: from its first event) to `take`, oldest first, page by page; only those
 * of `wanted` types, if given. Fails with `StoreUnavailable`.
 */
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
