import { Effect } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import { isOfVoters } from "#domain/Snippet/votes.ts"
import type { Recorded } from "#engine/Event.ts"
import type { Position } from "#engine/Position.ts"
import { decodeAll } from "#engine/pages.ts"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { external, isShownTo, shownActor } from "#src/actor.ts"
import type { RecordedEvent } from "#src/api/Events.ts"
import { requestIn } from "#src/audit/requestIn.ts"
import { deletedIn, withoutDeleted } from "#src/audit/withoutDeleted.ts"
import { withoutSecrets } from "#src/audit/withoutSecrets.ts"
import { positionWriter } from "#src/positions.ts"

/** Fields that identify whoever voted or commented on a public snippet; not told if they are of another tenant. */
const telling = new Set(["voter", "author", "home"])

type Fields = { readonly [field: string]: unknown }

/** Whose log is shown, and whether it may show strangers' words. */
export interface Reader {
  readonly tenant: string
  readonly includePublic: boolean
}

/** A text without the name of the agent that wrote it. */
const unnamed = (words: Fields | null): Fields | null =>
  words === null || words["agent"] == null ? words : { ...words, agent: external }

const veiled = (data: Fields, words: boolean): Fields =>
  Object.fromEntries(
    Object.entries(data).map(([field, value]) => {
      const hidden = telling.has(field) || (field === "text" && value !== null && !words)
      if (field === "text" && !hidden) return [field, unnamed(value as Fields | null)]
      return [field, hidden ? external : value]
    })
  )

/** The subject of what strangers typed with their votes identifies them, so it is not told. */
const withoutVoters = (data: Fields): Fields => {
  const { subject } = data
  return typeof subject === "string" && isOfVoters(subject) ? { ...data, subject: external } : data
}

const shown = (
  { tenant, includePublic }: Reader,
  stored: Recorded<DomainEvent>,
  deleted: ReadonlySet<string>,
  tell: (position: Position) => string
): RecordedEvent => {
  const data = withoutVoters(withoutSecrets(withoutDeleted(stored.event, deleted)))
  const own = isShownTo(tenant, stored.actor)
  return {
    position: tell(stored.position),
    stream: stored.stream,
    revision: stored.revision,
    event_id: stored.eventId,
    type: stored.type,
    schema_version: stored.schemaVersion,
    data: own ? data : veiled(data, includePublic),
    actor: shownActor(tenant, stored.actor),
    command_id: stored.commandId,
    correlation_id: stored.correlationId,
    causation_id: stored.causationId,
    ...requestIn(own ? stored.request : null),
    recorded_at: new Date(stored.recordedAt).toISOString()
  }
}

/** Events as the API tells them to a reader. */
export const allShown = Effect.fnUntraced(function* (reader: Reader, stored: ReadonlyArray<StoredEvent>) {
  const recorded = yield* decodeAll<DomainEvent>(stored)
  const deleted = yield* deletedIn(recorded.map(({ event }) => event))
  const tell = yield* positionWriter
  return recorded.map((one) => shown(reader, one, deleted, tell))
})
