import { hasReached, isAfter, latest, type Position } from "#engine/Position.ts"
import type { EventKind, StoredEvent } from "#engine/ports/EventStore.ts"

/** Tenants of which it is known what came: with more of them it begins anew. */
const mostTenants = 10_000

/**
 * What came behind a place, without a gap: whose, of which types. Fed by the subscription, and by whoever read on
 * sooner.
 */
export class Recent {
  readonly #last = new Map<string, Map<string, Position>>()
  #from: Position
  #to: Position

  constructor(from: Position) {
    this.#from = from
    this.#to = from
  }

  /** How far it knows; the last event of the log that was seen. */
  get to(): Position {
    return this.#to
  }

  /** Takes in events that follow on what it knows; what it knows already may come again. */
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

  /** What came after a place; `undefined` where it was before what is known. */
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
