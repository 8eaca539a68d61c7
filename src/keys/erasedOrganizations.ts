import { Effect } from "effect"
import { beginning, isAfter, type Position } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Tail } from "#engine/tail.ts"

interface Known {
  at: Position
  /** The position of each one's erasure. */
  readonly organizations: Map<string, Position>
}

const types = ["OrganizationErased"]

/** What is known of a log, by its store. */
const known = new WeakMap<object, Known>()

/**
 * The organizations that were erased, as far as the log was looked at, with the position of each erasure. Remembered:
 * each event of a reaction asks, and there is hardly ever a new one.
 */
export const erasedOrganizations = Effect.gen(function* () {
  const store = yield* EventStore
  const tail = yield* Tail
  const found = known.get(store) ?? { at: beginning, organizations: new Map<string, Position>() }
  known.set(store, found)
  const to = tail.reached()
  while (tail.concerns(found.at, { types })) {
    const { events, more } = yield* store.readAll(found.at, { types, factsOnly: true })
    for (const { tenant, position } of events) found.organizations.set(tenant, position)
    const last = events.at(-1)?.position ?? found.at
    if (isAfter(last, found.at)) found.at = last
    if (!more) break
  }
  if (isAfter(to, found.at)) found.at = to
  return found.organizations
})
