import { Clock, Effect, Layer, PubSub } from "effect"
import { Bounds } from "#engine/ports/Bounds.ts"
import {
  type Append,
  type DecidedCommand,
  type Kind,
  type Page,
  type ReadStream,
  type StoredEvent,
  sizeOf,
  smallEvent,
  WrongRevision
} from "#engine/ports/EventStore.ts"
import { derivedId } from "../derivedId.ts"
import { beginning, isAfter, type Position, positionOf } from "../Position.ts"
import { bySteps, Facts } from "../texts.ts"
import * as MemoryTexts from "./Texts.ts"

/** A log whose positions are `step` apart: whoever counts on from one of them, instead of reading on, finds nothing there. */
const make = (step: number) =>
  Effect.gen(function* () {
    const most = yield* Bounds
    const log: Array<StoredEvent> = []
    const news = yield* PubSub.sliding<void>(1)

    const head = (): Position => log.at(-1)?.position ?? beginning
    const behind = (after: Position) => log.slice(Math.floor(after / step))

    const ofStream = (stream: string) => log.filter((event) => event.stream === stream)
    const ofCommand = (commandId: string) => log.filter((event) => event.commandId === commandId)

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

    const kindsOf = (events: ReadonlyArray<StoredEvent>): Array<Kind> => {
      const kinds = new Map<string, Kind>()
      for (const { tenant, type, position } of events) kinds.set(`${tenant} ${type}`, { tenant, type, last: position })
      return [...kinds.values()]
    }

    const keep = ({ tenant, stream }: Append, command: DecidedCommand, recordedAt: number) => {
      const { commandId, correlationId, causationId, actor } = command
      const next = ofStream(stream).length
      for (const [index, { type, schemaVersion, data }] of command.events.entries()) {
        const eventId = derivedId(commandId, index)
        const place = { position: positionOf((log.length + 1) * step), tenant, stream, revision: next + index, eventId }
        const cause = { actor, commandId, correlationId, causationId, recordedAt }
        log.push({ ...place, type, schemaVersion, data, ...cause, payload: null })
      }
    }

    const append = (append: Append, now: number): Effect.Effect<Array<Array<StoredEvent>>, WrongRevision> => {
      const { stream, expected, commands } = append
      const before = commands.map(({ commandId }) => ofCommand(commandId))
      if (before.every((events) => events.length > 0)) return Effect.succeed(before)
      const actual = ofStream(stream).length - 1
      const asExpected = expected === "any" || actual === (expected === "none" ? -1 : expected)
      if (!asExpected || before.some((events) => events.length > 0)) {
        return Effect.fail(new WrongRevision({ stream, expected, actual }))
      }
      for (const command of commands) keep(append, command, now)
      return Effect.as(
        PubSub.publish(news, undefined),
        commands.map(({ commandId }) => ofCommand(commandId))
      )
    }

    return Facts.of({
      append: (request) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.suspend(() => append(request, now))),
      outcome: (commandId) => Effect.sync(() => ofCommand(commandId)),
      readStream: (stream, after, options = {}) =>
        Effect.sync(() => pageOf(ofStream(stream).slice(after + 1), options)),
      readAll: (after, { types, tenant, stream, factsOnly: _facts, withoutLong: _long, ...options } = {}) =>
        Effect.sync(() =>
          pageOf(
            behind(after)
              .filter((event) => types?.includes(event.type) ?? true)
              .filter((event) => tenant === undefined || event.tenant === tenant)
              .filter((event) => stream === undefined || event.stream === stream),
            options
          )
        ),
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

/** The log in memory, its texts beside it: for unit tests and for nothing else. It keeps every promise of the port but survival. */
export const layer = bySteps.pipe(Layer.provide(Layer.merge(facts, MemoryTexts.layer)))

/** The same with room between its positions, as other engines have it. */
export const spaced = bySteps.pipe(Layer.provide(Layer.merge(Layer.effect(Facts, make(1_000)), MemoryTexts.layer)))
