import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"

/** An event and the events that it caused. */
export interface Cause {
  readonly event: RecordedEvent
  readonly effects: ReadonlyArray<Cause>
}

/** Events of one request as trees: each below its cause. An event whose cause is not among them begins a tree. */
export const causesOf = (events: ReadonlyArray<RecordedEvent>): ReadonlyArray<Cause> => {
  const known = new Set(events.map(({ eventId }) => eventId))
  const below = new Map<string | null, Array<RecordedEvent>>()
  for (const event of events) {
    const { causationId, eventId } = event
    // an event that names itself, or none of these, as its cause begins a tree
    const cause = causationId === null || !known.has(causationId) || causationId === eventId ? null : causationId
    below.set(cause, [...(below.get(cause) ?? []), event])
  }
  const seen = new Set<string>()
  const grown = (cause: string | null): ReadonlyArray<Cause> =>
    (below.get(cause) ?? []).flatMap((event) => {
      if (seen.has(event.eventId)) return []
      seen.add(event.eventId)
      return [{ event, effects: grown(event.eventId) }]
    })
  return grown(null)
}
