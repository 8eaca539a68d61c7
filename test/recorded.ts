import type { DomainEvent } from "#domain/events.ts"
import type { Recorded } from "#engine/Event.ts"
import { positionOf } from "#engine/Position.ts"

/** An event as it is read from a log in which it stands at a position. */
export const recorded = (position: number, event: DomainEvent): Recorded<DomainEvent> => ({
  position: positionOf(position),
  tenant: "tenant",
  stream: "stream",
  revision: position,
  eventId: `event ${position}`,
  type: event._tag,
  schemaVersion: 1,
  actor: { key: null, user: null, organization: null },
  commandId: "command",
  correlationId: "correlation",
  causationId: null,
  request: null,
  recordedAt: 0,
  event
})
