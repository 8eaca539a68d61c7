import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { hasReached, type Position } from "#engine/Position.ts"
import { type Append, EventStore, type Page, type ReadAll, type StoredEvent } from "#engine/ports/EventStore.ts"

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

/** Appends, and gives what each command led to as the log has it. The answer has to say where that is. */
const adding = (store: EventStore["Service"]) =>
  Effect.fnUntraced(function* (append: Append) {
    const answer = yield* store.append(append)
    const outcomes = Effect.forEach(append.commands, ({ commandId }) => store.outcome(append.stream, commandId))
    const events = answer.before ?? (yield* outcomes)
    const lasts = events.map((led) => led.at(-1)!)
    const end = lasts.at(-1)!
    assert.deepStrictEqual([answer.revision, answer.recordedAt], [end.revision, end.recordedAt])
    assert.strictEqual(answer.positions.at(-1), end.position)
    assert.lengthOf(answer.positions, lasts.length)
    for (const [index, { position }] of lasts.entries()) {
      assert.isTrue(hasReached(answer.positions[index]!, position))
      assert.isTrue(hasReached(end.position, answer.positions[index]!))
    }
    return events
  })

/** The event store, which gives whole what it reads: page by page, as each of its readers has to; `add` appends. */
export const whole = Effect.map(EventStore, (store) => ({
  ...store,
  add: adding(store),
  readStream: (stream: string, after: number) =>
    gathered(1_000_000, (last, limit) => store.readStream(stream, last?.revision ?? after, { limit })),
  readAll: (after: Position, options: ReadAll = {}) =>
    gathered(options.limit ?? 1_000_000, (last, limit) => store.readAll(last?.position ?? after, { ...options, limit }))
}))
