import { Context, Effect, Layer } from "effect"
import { Bounds } from "#engine/ports/Bounds.ts"
import {
  type Append,
  EventStore,
  type NewEvent,
  type Page,
  type ReadStream,
  type StoredEvent,
  sizeOf,
  smallEvent
} from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { type Text, Texts } from "#engine/ports/Texts.ts"
import { Codec, type Registry } from "./codec.ts"
import { derivedId } from "./derivedId.ts"
import type { AnyEvent, Recorded } from "./Event.ts"
import { hasReached, isAfter, type Position } from "./Position.ts"
import { inSteps } from "./pages.ts"

/** A log that keeps no texts: an event store that gets its events without payloads and erases nothing. */
export class Facts extends Context.Service<Facts, EventStore["Service"]>()("engine/Facts") {}

/** The id of an event's text. `data` has its salted digest, so another try, with another salt, has another id. */
export const textIdOf = (eventId: string, data: string): string => derivedId("text", eventId, data)

/** Texts that are asked for at once. */
const some = 16

/**
 * An event store made of a log and of texts that lie elsewhere, in steps that may each be repeated: texts are stored
 * before their events, and erased after the event that erases them. A process that stops in between leaves texts
 * without an event, which are erased with their subject, or an erasure that is in the log but not done, which
 * `finishErasures` does. A store that has both in one transaction should use that instead.
 */
export const bySteps = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const facts = yield* Facts
    const texts = yield* Texts
    const most = yield* Bounds

    const withTexts = Effect.fnUntraced(function* (events: ReadonlyArray<StoredEvent>) {
      const found = yield* texts.get(events.map(({ eventId, data }) => textIdOf(eventId, data)))
      return events.map((event) => ({ ...event, payload: found.get(textIdOf(event.eventId, event.data)) ?? null }))
    })

    /** Cuts a page where its texts reach the allowed bytes. */
    const bounded = Effect.fnUntraced(function* (page: Page, { bytes = most.bytes }: ReadStream) {
      const enough = Math.min(bytes, most.bytes)
      const events: Array<StoredEvent> = []
      let sum = 0
      for (let from = 0; from < page.events.length && sum < enough; from += some) {
        for (const event of yield* withTexts(page.events.slice(from, from + some))) {
          if (sum >= enough) break
          events.push(event)
          const size = sizeOf(event)
          if (size > smallEvent) sum += size
        }
      }
      return { events, more: page.more || events.length < page.events.length || (sum >= enough && events.length > 0) }
    })

    const bare = (append: Append): Append => ({
      ...append,
      commands: append.commands.map((command) => ({
        ...command,
        events: command.events.map((event): NewEvent => ({ ...event, payload: null, erases: [] }))
      }))
    })

    const textsOf = ({ tenant, commands }: Append): ReadonlyArray<Text> =>
      commands.flatMap(({ commandId, events }) =>
        events.flatMap(({ data, payload }, place) =>
          payload === null ? [] : [{ ...payload, tenant, id: textIdOf(derivedId(commandId, place), data) }]
        )
      )

    return EventStore.of({
      ...facts,
      append: Effect.fnUntraced(function* (append) {
        const put = textsOf(append)
        if (put.length > 0) yield* texts.put(put)
        const appended = yield* facts.append(bare(append))
        const { before } = appended
        // if the log already had a command, only the events of the first time have happened
        const subjects = append.commands.flatMap(({ events }, index) =>
          events.flatMap(({ data, erases }, place) =>
            before === undefined || before[index]![place]?.data === data ? erases : []
          )
        )
        if (subjects.length > 0) yield* texts.erase(append.tenant, subjects)
        return before === undefined ? appended : { ...appended, before: yield* Effect.forEach(before, withTexts) }
      }),
      outcome: (stream, commandId) => Effect.flatMap(facts.outcome(stream, commandId), withTexts),
      readStream: (stream, after, options = {}) =>
        Effect.flatMap(facts.readStream(stream, after, options), (page) => bounded(page, options)),
      readAll: (after, options = {}) =>
        Effect.flatMap(facts.readAll(after, options), (page) =>
          options.factsOnly ? Effect.succeed(page) : bounded(page, options)
        )
    })
  })
)

/**
 * Finishes the erasures up to a position, for callers that are about to keep texts that they read. Does nothing by
 * default: then a store erases texts as it appends the event.
 */
export const Erased = Context.Reference<(to: Position) => Effect.Effect<void, unknown>>("engine/Erased", {
  defaultValue: () => () => Effect.void
})

/** The name of the reaction that finishes erasures. */
export const finishing = "finish_erasures"

/** A reaction that finishes the erasures that an append left undone, for logs whose texts lie elsewhere. */
export const finishErasures = <E extends AnyEvent>(erasures: NonNullable<Registry<E>["erasures"]>) => ({
  name: finishing,
  on: Object.keys(erasures) as ReadonlyArray<E["_tag"]>,
  handle: ({ event, tenant }: Recorded<E>) =>
    Effect.flatMap(Texts, (texts) => {
      const subjects = (erasures[event._tag as E["_tag"]] as (event: E) => ReadonlyArray<string>)(event)
      return subjects.length === 0 ? Effect.void : texts.erase(tenant, subjects)
    })
})

/** Erasing events that are read at once. */
const page = 500

/**
 * `Erased` for logs whose texts lie elsewhere: does every erasure from the checkpoint of `finishErasures` up to the
 * position, even if it was done already.
 */
export const erased = <E extends AnyEvent>(erasures: NonNullable<Registry<E>["erasures"]>) =>
  Layer.effect(
    Erased,
    Effect.gen(function* () {
      const { on, handle } = finishErasures<E>(erasures)
      const store = yield* EventStore
      const models = yield* ReadModels
      const codec = yield* Codec
      const texts = yield* Texts
      return Effect.fnUntraced(function* (to: Position) {
        let at = yield* models.reaction(finishing)
        while (!hasReached(at, to)) {
          const { events, more } = yield* store.readAll(at, { types: on, factsOnly: true, limit: page })
          for (const event of events) {
            if (isAfter(event.position, to)) return
            const decoded = (yield* inSteps(codec.decoding(event))) as Recorded<E>
            yield* Effect.provideService(handle(decoded), Texts, texts)
          }
          at = more ? events.at(-1)!.position : to
        }
      })
    })
  )
