import { Effect } from "effect"
import { mayTakeAway } from "#domain/access/reach.ts"
import type { Holder } from "#domain/Scope.ts"
import { Unreadable } from "#engine/ask.ts"
import { EventStore } from "#engine/ports/EventStore.ts"

/** Whether the caller may delete a snippet. The first event of its stream says who stored it. */
export const mayDelete = Effect.fnUntraced(function* (holder: Holder, snippet: string) {
  if (holder.limits.actsFor === "any") return true
  const reading = (yield* EventStore).readStream(`snippet-${snippet}`, -1, { limit: 1 })
  const { events } = yield* Effect.mapError(reading, () => new Unreadable())
  return mayTakeAway(holder, events[0]?.actor.user ?? null)
})
