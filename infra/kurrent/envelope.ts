import type { EventData, RecordedEvent } from "@kurrent/kurrentdb-client"
import { derivedId } from "#engine/derivedId.ts"
import type { Actor, Envelope, RequestIdentity } from "#engine/Event.ts"
import { positionOf } from "#engine/Position.ts"
import type { DecidedCommand, StoredEvent } from "#engine/ports/EventStore.ts"

/** An event on its way to KurrentDB. */
export type Proposed = EventData

/** An event's metadata there. The server knows the meaning of the names that begin with a $. */
interface Beside {
  /** The log that it belongs to: an event with another one, or with none, is not ours. */
  readonly cairn: string
  readonly tenant: string
  readonly version: number
  readonly actor: Actor
  readonly command: string
  readonly $correlationId: string
  readonly $causationId: string | null
  readonly request: RequestIdentity | null
  /** Milliseconds since the epoch. The client's native half gives the server's own time only to the second. */
  readonly recordedAt: number
  /** The id of the try that brought it in. */
  readonly attempt: string
}

/** One try to append, which may be repeated as long as no answer was heard. */
export interface Attempt {
  readonly id: string
  readonly recordedAt: number
}

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder()

/**
 * A command's events, as they are proposed. Their data goes as bytes: the client would write JSON anew, and it would
 * come back as other text.
 */
export const proposedOf = (
  log: string,
  tenant: string,
  { commandId, correlationId, causationId, actor, request, events }: DecidedCommand,
  { id, recordedAt }: Attempt
): ReadonlyArray<Proposed> =>
  events.map(({ type, schemaVersion, data }, place) => {
    const beside: Beside = {
      cairn: log,
      tenant,
      version: schemaVersion,
      actor,
      command: commandId,
      $correlationId: correlationId,
      $causationId: causationId,
      request: place === 0 ? request : null,
      recordedAt,
      attempt: id
    }
    return {
      id: derivedId(commandId, place),
      type,
      contentType: "application/octet-stream",
      data: utf8.encode(data),
      metadata: { ...beside }
    }
  })

/** An event of another log, as it was: with its id, and its time. */
export const copyOf = (log: string, event: Envelope & { readonly data: string }): Proposed => {
  const beside: Beside = {
    cairn: log,
    tenant: event.tenant,
    version: event.schemaVersion,
    actor: event.actor,
    command: event.commandId,
    $correlationId: event.correlationId,
    $causationId: event.causationId,
    request: event.request,
    recordedAt: event.recordedAt,
    attempt: event.eventId
  }
  return {
    id: event.eventId,
    type: event.type,
    contentType: "application/octet-stream",
    data: utf8.encode(event.data),
    metadata: { ...beside }
  }
}

const besideOf = ({ metadata }: RecordedEvent): Partial<Beside> | undefined =>
  typeof metadata === "object" && !(metadata instanceof Uint8Array) ? (metadata as Partial<Beside>) : undefined

/** The try that brought an event in. */
export const attemptOf = (event: RecordedEvent): string | undefined => besideOf(event)?.attempt

/** An event as the engine knows it, without text; `undefined` if it is not of this log. */
export const storedOf = (log: string, event: RecordedEvent): StoredEvent | undefined => {
  const beside = besideOf(event) as Beside | undefined
  if (beside?.cairn !== log || event.position === undefined || event.isJson) return undefined
  return {
    position: positionOf(event.position.commit),
    tenant: beside.tenant,
    stream: event.streamId,
    revision: Number(event.revision),
    eventId: event.id,
    type: event.type,
    schemaVersion: beside.version,
    data: fromUtf8.decode(event.data as Uint8Array),
    actor: beside.actor,
    commandId: beside.command,
    correlationId: beside.$correlationId,
    causationId: beside.$causationId,
    request: beside.request,
    recordedAt: beside.recordedAt,
    payload: null
  }
}
