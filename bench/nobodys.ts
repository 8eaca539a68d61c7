import type { DecidedCommand, NewEvent } from "#engine/ports/EventStore.ts"

/** A command that nobody gave, and that led to these events. */
export const nobodys = (commandId: string, events: ReadonlyArray<NewEvent>): DecidedCommand => ({
  commandId,
  correlationId: commandId,
  causationId: null,
  request: null,
  actor: { key: null, user: null, organization: null },
  events
})
