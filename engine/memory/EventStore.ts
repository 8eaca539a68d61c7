import { Clock, Effect, Layer, PubSub } from "effect"
import { Bounds } from "#engine/ports/Bounds.ts"
import {
  type Append,
  type Appended,
  type DecidedCommand,
  type EventKind,
  type Page,
  type ReadAll,
  type ReadStream,
  type StoredEvent,
  sizeOf,
  smallEvent,
  WrongRevision
} from "#engine/ports/EventStore.ts"
import { derivedId } from "../derivedId.ts"
import { isBy } from "../Event.ts"
import { beginning, isAfter, type Position, positionOf } from "../Position.ts"
import { bySteps, Facts } from "../texts.ts"
import * as MemoryTexts from "./Texts.ts"

/** The answer to an append of commands that are in the log, from their events. */
const endOf = (commands: ReadonlyArray<ReadonlyArray<StoredEvent>>): Appended => {
  const { revision, recordedAt } = commands.at(-1)!.at(-1)!
  return { revision, recordedAt, positions: commands.map((events) => events.at(-1)!.position) }
}

const wantedBy =
  ({ types, tenant, stream, actor, correlation, requested }: ReadAll) =>
  (event: StoredEvent): boolean =>
    (types?.includes(event.type) ?? true) &&
    (tenant === undefined || event.tenant === tenant) &&
    (stream === undefined || event.stream === stream) &&
    (actor === undefined || isBy(event.actor, actor, tenant)) &&
    (correlation === undefined || event.correlationId === correlation) &&
    (requested === undefined || event.request !== null)

/**
 * A log whose positions are `step` apart: code that counts on from a position, instead of reading on, finds nothing
 * there. A `coarse` log knows of an append only where it ended.
 */
const make = (step: number, coarse = false) =>
  Effect.gen(function* () {
    const most = yield* Bounds
    const log: Array<StoredEvent> = []
    const news = yield* PubSub.sliding<void>(1)

    const head = (): Position => log.at(-1)?.position ?? beginning
    const behind = (after: Position) => log.slice(Math.floor(after / step))

    const ofStream = (stream: string) => log.filter((event) => event.stream === stream)
    const ofCommand = (stream: string, commandId: string) =>
      ofStream(stream).filter((event) => event.commandId === commandId)

    const pageOf = (all: ReadonlyArray<StoredEvent>, options: ReadStream): Page => {
      const count = Math.min(options.limit ?? 1000, most.count)
      const enough = Math.min(options.bytes ?? most.bytes, most.bytes)
      let bytes = 0
      let next = 0
      while (next < Math.min(all.length, count) && bytes < enough) {
        const size = sizeOf(all[next++]!)
        if (size > smallEvent) bytes += size
      }
      return { events: all.slice(0, next), more: next > 0 && (next === count || bytes >= enough) }
    }

    const kindsOf = (events: ReadonlyArray<StoredEvent>): Array<EventKind> => {
      const kinds = new Map<string, EventKind>()
      for (const { tenant, type, position } of events) kinds.set(`${tenant} ${type}`, { tenant, type, last: position })
      return [...kinds.values()]
    }

    const keep = ({ tenant, stream }: Append, command: DecidedCommand, recordedAt: number) => {
      const { commandId, correlationId, causationId, actor, request } = command
      const next = ofStream(stream).length
      for (const [index, { type, schemaVersion, data }] of command.events.entries()) {
        const eventId = derivedId(commandId, index)
        const place = { position: positionOf((log.length + 1) * step), tenant, stream, revision: next + index, eventId }
        const first = index === 0 ? request : null
        const cause = { actor, commandId, correlationId, causationId, request: first, recordedAt }
        log.push({ ...place, type, schemaVersion, data, ...cause, payload: null })
      }
    }

    const append = (append: Append, now: number): Effect.Effect<Appended, WrongRevision> => {
      const { stream, expected, commands } = append
      const before = commands.map(({ commandId }) => ofCommand(stream, commandId))
      if (before.every((events) => events.length > 0)) return Effect.succeed({ ...endOf(before), before })
      const actual = ofStream(stream).length - 1
      const asExpected = expected === "any" || actual === (expected === "none" ? -1 : expected)
      if (!asExpected || before.some((events) => events.length > 0)) {
        return Effect.fail(new WrongRevision({ stream, expected, actual }))
      }
      for (const command of commands) keep(append, command, now)
      const after = endOf(commands.map(({ commandId }) => ofCommand(stream, commandId)))
      // a coarse log knows no more of each command than where the whole append ended
      const positions = coarse ? after.positions.map(() => head()) : after.positions
      return Effect.as(PubSub.publish(news, undefined), { ...after, positions })
    }

    return Facts.of({
      append: (request) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.suspend(() => append(request, now))),
      outcome: (stream, commandId) => Effect.sync(() => ofCommand(stream, commandId)),
      readStream: (stream, after, options = {}) =>
        Effect.sync(() => pageOf(ofStream(stream).slice(after + 1), options)),
      readAll: (after, options = {}) => Effect.sync(() => pageOf(behind(after).filter(wantedBy(options)), options)),
      newest: ({ limit, before, ...which }) =>
        Effect.sync(() =>
          log
            .filter(wantedBy(which))
            .map(({ position }) => position)
            .filter((position) => before === undefined || isAfter(before, position))
            .slice(-limit)
            .reverse()
        ),
      eventAt: (position) => Effect.sync(() => log.find((event) => event.position === position)?.eventId),
      head: Effect.sync(head),
      since: (after) =>
        Effect.sync(() => ({
          head: isAfter(after, head()) ? after : head(),
          kinds: kindsOf(behind(after))
        })),
      hints: PubSub.subscribe(news)
    })
  })

/** The log in memory, without texts. */
export const facts = Layer.effect(Facts, make(1))

/**
 * The log in memory, its texts beside it: for unit tests and the example only. It keeps every promise of the port
 * except durability.
 */
export const layer = bySteps.pipe(Layer.provide(Layer.merge(facts, MemoryTexts.layer)))

/** The same with gaps between its positions, and knowing less of an append, as other engines have it. */
export const spaced = bySteps.pipe(
  Layer.provide(Layer.merge(Layer.effect(Facts, make(1_000, true)), MemoryTexts.layer))
)
