import { hasReached, isAfter, latest, type Position } from "#engine/Position.ts"
import type { EventKind, StoredEvent } from "#engine/ports/EventStore.ts"

/** The most tenants that it remembers; with more, it begins anew. */
const mostTenants = 10_000

/**
 * The tenants and types of all events behind a position. The subscription feeds it, and so do reads that are ahead of
 * that.
 */
export class Recent {
  readonly #last = new Map<string, Map<string, Position>>()
  #from: Position
  #to: Position

  constructor(from: Position) {
    this.#from = from
    this.#to = from
  }

  /** How far it knows: the position of the last event that was seen. */
  get to(): Position {
    return this.#to
  }

  /** Takes in events that follow on those it knows; known ones may come again. */
  note(events: Iterable<StoredEvent>): void {
    for (const { tenant, type, position } of events) {
      if (hasReached(this.#to, position)) continue
      const types = this.#last.get(tenant) ?? new Map<string, Position>()
      this.#last.set(tenant, types.set(type, position))
      this.#to = position
    }
    if (this.#last.size <= mostTenants) return
    this.#last.clear()
    this.#from = this.#to
  }

  /** What came behind a position; `undefined` if that is before what it knows. */
  since(after: Position): { readonly head: Position; readonly kinds: ReadonlyArray<EventKind> } | undefined {
    if (isAfter(this.#from, after)) return undefined
    const kinds: Array<EventKind> = []
    for (const [tenant, types] of this.#last) {
      for (const [type, last] of types) if (isAfter(last, after)) kinds.push({ tenant, type, last })
    }
    return { head: latest(after, this.#to), kinds }
  }
}

/** The kinds of events that were read. */
export const kindsOf = (events: Iterable<StoredEvent>): ReadonlyArray<EventKind> => {
  const kinds = new Map<string, EventKind>()
  for (const { tenant, type, position } of events)
    kinds.set(JSON.stringify([tenant, type]), { tenant, type, last: position })
  return [...kinds.values()]
}
