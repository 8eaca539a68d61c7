import { randomBytes, randomUUID } from "node:crypto"
import type { Append, DecidedCommand, Expected, NewEvent, Payload, StoredEvent } from "#engine/ports/EventStore.ts"

/** A name that no other test uses. */
export const fresh = (kind = "stream"): string => `${kind}-${randomUUID()}`

export const typed = (subject: string, text: string | Uint8Array = "what a caller typed"): Payload => ({
  subject,
  salt: randomBytes(16),
  bytes: typeof text === "string" ? new TextEncoder().encode(text) : text
})

export const noted = (event: Partial<NewEvent> = {}): NewEvent => ({
  type: "Noted",
  schemaVersion: 1,
  data: '{"n":1}',
  payload: null,
  erases: [],
  ...event
})

export const command = (command: Partial<DecidedCommand> = {}): DecidedCommand => ({
  commandId: randomUUID(),
  correlationId: randomUUID(),
  causationId: null,
  actor: { key: null, user: null, organization: null },
  events: [noted()],
  request: null,
  ...command
})

/** One append: of one plain command unless told otherwise. */
export const to = (
  stream: string,
  expected: Expected = "any",
  commands: ReadonlyArray<DecidedCommand> = [command()],
  tenant = "tenant"
): Append => ({ tenant, stream, expected, commands })

/** Comparable with what another adapter gives: whatever holds the bytes, they are text here. */
export const plain = (events: ReadonlyArray<StoredEvent>) =>
  events.map((event) => ({ ...event, payload: event.payload && Buffer.from(event.payload).toString("latin1") }))

export const texts = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<string | null> =>
  events.map(({ payload }) => payload && Buffer.from(payload).toString("utf8"))

export const revisions = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<number> =>
  events.map(({ revision }) => revision)

export const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)
