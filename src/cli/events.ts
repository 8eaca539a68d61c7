import { Effect, Option, PubSub, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { type DomainEvent, type EventType, eventSchemas } from "#domain/events.ts"
import { toldPosition } from "#domain/toldPosition.ts"
import type { Recorded } from "#engine/Event.ts"
import type { Position } from "#engine/Position.ts"
import { decodeAll } from "#engine/pages.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { requestIn } from "#src/audit/requestIn.ts"
import { deletedIn, withoutDeleted } from "#src/audit/withoutDeleted.ts"
import { withoutSecrets } from "#src/audit/withoutSecrets.ts"
import { positionWriter, readTold } from "#src/positions.ts"
import { Failed } from "./failure.ts"
import { onLog, upToDate } from "./log.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { Json, plain, write } from "./output.ts"

const shown = (
  { event, ...stored }: Recorded<DomainEvent>,
  deleted: ReadonlySet<string>,
  tell: (position: Position) => string
) => ({
  position: tell(stored.position),
  tenant: stored.tenant,
  stream: stored.stream,
  revision: stored.revision,
  event_id: stored.eventId,
  type: stored.type,
  schema_version: stored.schemaVersion,
  data: withoutSecrets(withoutDeleted(event, deleted)),
  actor: { key_id: stored.actor.key, user_id: stored.actor.user, organization_id: stored.actor.organization },
  command_id: stored.commandId,
  correlation_id: stored.correlationId,
  causation_id: stored.causationId,
  ...requestIn(stored.request),
  recorded_at: new Date(stored.recordedAt).toISOString()
})

const line = ({ position, recorded_at, type, stream, data }: ReturnType<typeof shown>) => {
  const facts = plain(JSON.stringify(data))
  return `${position.padStart(8)}  ${recorded_at}  ${type.padEnd(22)}  ${stream}  ${facts.length > 160 ? `${facts.slice(0, 160)}…` : facts}`
}

const types = Object.keys(eventSchemas) as ReadonlyArray<EventType>

export const command = Command.make(
  "events",
  {
    after: Flag.String("after").pipe(
      Flag.withMetavar("POSITION"),
      Flag.withDescription("Only events after this position: the next_after of an answer"),
      Flag.withSchema(Schema.String.check(Schema.isPattern(toldPosition, { message: "is no position" }))),
      Flag.withDefault("0")
    ),
    type: Flag.Literals("type", types).pipe(Flag.withDescription("Only events of this type"), Flag.optional),
    stream: Flag.String("stream").pipe(Flag.withDescription("Only events of this stream"), Flag.optional),
    org: orgFlag,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("How many at most, 1 to 10000 (default: 100)"),
      Flag.filter(
        (limit) => limit >= 1 && limit <= 10_000,
        () => "expected a number from 1 to 10000"
      ),
      Flag.optional
    ),
    follow: Flag.Boolean("follow").pipe(
      Flag.withAlias("f"),
      Flag.withDescription("Go on with new events until stopped; with --json, one object a line"),
      Flag.withDefault(false)
    )
  },
  ({ after, type, stream, org, limit: given, follow }) =>
    onLog(
      Effect.gen(function* () {
        if (follow && Option.isSome(given))
          return yield* new Failed({ message: "--limit goes with no --follow, which goes on until it is stopped." })
        const limit = Option.getOrElse(given, () => 100)
        const json = yield* Json
        const store = yield* EventStore
        const tell = yield* positionWriter
        const filters = {
          ...(Option.isSome(org) ? { tenant: (yield* organizationOf(org)).id } : {}),
          ...(Option.isSome(type) ? { types: [type.value] } : {}),
          ...(Option.isSome(stream) ? { stream: stream.value } : {})
        }
        const read = Effect.fnUntraced(function* (from: Position, limit: number) {
          const { events: stored, more } = yield* store.readAll(from, { ...filters, limit })
          const recorded = yield* decodeAll<DomainEvent>(stored)
          if (recorded.some(({ type }) => type === "SearchAnswered")) yield* upToDate(Snippets)
          const deleted = yield* deletedIn(recorded.map(({ event }) => event))
          const last = stored.at(-1)?.position ?? from
          return { events: recorded.map((one) => shown(one, deleted, tell)), more, last }
        })
        let from = yield* Effect.mapError(
          readTold(after),
          ({ message }) => new Failed({ message: `${after} ${message}` })
        )
        if (!follow) {
          if (json) yield* write('{"events":[')
          for (let [left, more] = [limit, true]; more && left > 0; ) {
            const page = yield* read(from, left)
            const before = json && left < limit && page.events.length > 0 ? "," : ""
            const texts = page.events.map((event) => (json ? JSON.stringify(event) : `${line(event)}\n`))
            yield* write(before + texts.join(json ? "," : ""))
            from = page.last
            left -= page.events.length
            more = page.more
          }
          if (json) yield* write(`],"next_after":${JSON.stringify(tell(from))}}\n`)
          return
        }
        const hints = yield* store.hints
        while (true) {
          const { events, more, last } = yield* read(from, limit)
          yield* write(events.map((event) => `${json ? JSON.stringify(event) : line(event)}\n`).join(""))
          from = last
          if (!more) yield* PubSub.takeAll(hints)
        }
      }).pipe(Effect.scoped)
    )
).pipe(Command.withDescription("Print the log, oldest first"))
