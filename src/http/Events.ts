import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminKeyRequired } from "#domain/Organization.ts"
import { EventStore, type StoredEvent } from "#ports/EventStore.ts"
import { Api } from "#src/api/Api.ts"
import type { RecordedEvent } from "#src/api/Events.ts"
import { Caller } from "#src/api/middleware.ts"
import { Unreadable } from "#src/ask.ts"
import * as Codec from "#src/codec.ts"
import { withoutSecrets } from "#src/withoutSecrets.ts"
import { problemOf } from "./refusals.ts"

/** Someone of another tenant, who voted on a public snippet. */
const external = "external"

const shown = (tenant: string, stored: StoredEvent): RecordedEvent => {
  const { _tag, ...data } = Codec.decode(stored).event as unknown as {
    readonly _tag: string
    readonly [field: string]: unknown
  }
  const { key, user, organization } = stored.actor
  const own = key === null || (organization ?? user) === tenant
  return {
    position: String(stored.position),
    stream: stored.stream,
    revision: stored.revision,
    event_id: stored.eventId,
    type: stored.type,
    schema_version: stored.schemaVersion,
    data: withoutSecrets(own || !("voter" in data) ? data : { ...data, voter: external }),
    actor: own
      ? { key_id: key, user_id: user, organization_id: organization }
      : { key_id: external, user_id: external, organization_id: external },
    command_id: stored.commandId,
    correlation_id: stored.correlationId,
    causation_id: stored.causationId,
    recorded_at: new Date(stored.recordedAt).toISOString()
  }
}

export const layer = HttpApiBuilder.group(Api, "events", (handlers) =>
  handlers.handle("events", ({ query }) =>
    Effect.gen(function* () {
      const { tenant, role } = yield* Caller
      if (role === "member") return yield* problemOf(new AdminKeyRequired({ role }))
      const store = yield* EventStore
      const { after = "0", limit = 100, type, stream } = query
      const stored = yield* store
        .readAll(Number(after), {
          ...{ tenant, limit },
          ...(type === undefined ? {} : { types: [type] }),
          ...(stream === undefined ? {} : { stream })
        })
        .pipe(Effect.mapError(() => problemOf(new Unreadable())))
      const events = stored.map((event) => shown(tenant, event))
      return { events, next_after: events.at(-1)?.position ?? after }
    })
  )
)
