import { Context, Effect, Layer, Semaphore } from "effect"
import { Bounds } from "#engine/ports/Bounds.ts"
import {
  type Append,
  EventStore,
  type NewEvent,
  type Page,
  type ReadAll,
  type ReadStream,
  type StoredEvent,
  sizeOf,
  smallEvent
} from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { type Text, Texts } from "#engine/ports/Texts.ts"
import { Codec, type EventCodec, type Registry } from "./codec.ts"
import { derivedId } from "./derivedId.ts"
import type { AnyEvent, Recorded } from "./Event.ts"
import { beginning, hasReached, isAfter, latest, type Position } from "./Position.ts"
import { inSteps } from "./pages.ts"

/** A log that keeps no texts: an event store that gets its events without payloads and erases nothing. */
export class Facts extends Context.Service<Facts, EventStore["Service"]>()("engine/Facts") {}

/** The id of an event's text. `data` has its salted digest, so another try, with another salt, has another id. */
export const textIdOf = (eventId: string, data: string): string => derivedId("text", eventId, data)

/** The events of a log that erase texts. */
export interface Erasing {
  readonly types: ReadonlyArray<string>
  /** The subjects that an event of one of these types erases. May throw if the event can't be read. */
  readonly of: (event: StoredEvent) => ReadonlyArray<string>
}

/** What the events of a log in steps erase; by default nothing. */
export const Erasures = Context.Reference<Erasing>("engine/Erasures", {
  defaultValue: () => ({ types: [], of: () => [] })
})

type ErasuresOf<E extends AnyEvent> = NonNullable<Registry<E>["erasures"]>

const subjectsOf = <E extends AnyEvent>(erasures: ErasuresOf<E>, event: E): ReadonlyArray<string> =>
  (erasures[event._tag as E["_tag"]] as (event: E) => ReadonlyArray<string>)(event)

/** The same by a registry. */
export const erasingBy = <E extends AnyEvent>(
  { decode }: Pick<EventCodec<E>, "decode">,
  erasures: ErasuresOf<E>
): Erasing => ({
  types: Object.keys(erasures),
  of: (event) => subjectsOf(erasures, decode({ ...event, payload: null }).event)
})

/** Texts that are asked for at once. */
const some = 16
/** Erasing events that are read at once. */
const page = 500
/** What bounds a page, and leaves none of its events out. */
const sizes: ReadonlySet<string> = new Set<keyof ReadAll>(["limit", "bytes", "withoutLong", "factsOnly"])

/**
 * Does the erasures of a log in their order, as far as readers of texts need them. Between an erasing event and its
 * second step, texts of its subject may still go in, behind the event: whoever kept such a text would keep it for good.
 * So nobody is given a text before all erasures up to its event are done, whichever process was to do them.
 */
const doing = Effect.gen(function* () {
  const facts = yield* Facts
  const texts = yield* Texts
  const { types, of } = yield* Erasures
  const erases = new Set(types)
  const turn = Semaphore.makeUnsafe(1)
  /** All erasures up to here are done. */
  let done = beginning
  /** Behind this position, none of them erased anything. */
  let last = beginning

  // A read model that keeps texts takes in what erases them. It stands still at an event that can't be read.
  const subjects = (event: StoredEvent): ReadonlyArray<string> => {
    try {
      return of(event)
    } catch {
      return []
    }
  }

  /** Does the erasures among events that are all there is behind `done`, up to a position. */
  const take = Effect.fnUntraced(function* (events: ReadonlyArray<StoredEvent>, to: Position) {
    const erasing = events.filter(({ type, position }) => erases.has(type) && isAfter(position, done))
    for (const [tenant, own] of Map.groupBy(erasing, ({ tenant }) => tenant)) {
      const gone = own.flatMap(subjects)
      if (gone.length > 0) yield* texts.erase(tenant, gone)
    }
    last = latest(last, erasing.at(-1)?.position ?? beginning)
    done = latest(done, to)
  })

  const finish = Effect.fnUntraced(function* (to: Position) {
    if (hasReached(done, to)) return
    const finished = yield* texts.finished
    if (isAfter(finished, done)) {
      done = finished
      last = finished
    }
    while (!hasReached(done, to)) {
      const { events, more } = yield* facts.readAll(done, { types, factsOnly: true, limit: page })
      const end = events.at(-1)?.position ?? to
      yield* take(events, more ? end : latest(to, end))
    }
  })

  return {
    done: () => done,
    /** Whether anything may have been erased behind a position. */
    since: (position: Position) => isAfter(last, position),
    /** Does all erasures up to a position. */
    upTo: (to: Position) => (types.length === 0 ? Effect.void : turn.withPermits(1)(finish(to))),
    /** Does those of a page that was read behind a position. Pages that follow one another leave nothing to be read. */
    along: (after: Position, { events }: Page, options: ReadAll) => {
      const end = events.at(-1)?.position
      const whole = Object.keys(options).every((name) => sizes.has(name))
      if (!whole || end === undefined || types.length === 0) return Effect.void
      const follows = () => hasReached(done, after) && isAfter(end, done)
      return follows()
        ? turn.withPermits(1)(Effect.suspend(() => (follows() ? take(events, end) : Effect.void)))
        : Effect.void
    }
  }
})

/**
 * An event store made of a log and of texts that lie elsewhere, in steps that may each be repeated: texts are stored
 * before their events, and erased after the event that erases them. A process that stops in between leaves texts
 * without an event, which are erased with their subject, or an erasure that is in the log but not done, which
 * `finishErasures` does; no event behind it is given with a text of its subject, for which `Erasures` says what is
 * erased. A store that has both in one transaction should use that instead.
 */
export const bySteps = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const facts = yield* Facts
    const texts = yield* Texts
    const most = yield* Bounds
    const erasures = yield* doing

    const idOf = ({ eventId, data }: StoredEvent) => textIdOf(eventId, data)

    const textsFor = Effect.fnUntraced(function* (events: ReadonlyArray<StoredEvent>) {
      const ids = events.map(idOf)
      const done = erasures.done()
      const found = yield* texts.get(ids)
      const last = events.findLast((event) => found.has(idOf(event)))
      if (last === undefined || hasReached(done, last.position)) return found
      yield* erasures.upTo(last.position)
      return erasures.since(done) ? yield* texts.get(ids) : found
    })

    const withTexts = (events: ReadonlyArray<StoredEvent>) =>
      Effect.map(textsFor(events), (found) =>
        events.map((event) => ({ ...event, payload: found.get(idOf(event)) ?? null }))
      )

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
          options.factsOnly
            ? Effect.succeed(page)
            : Effect.andThen(erasures.along(after, page, options), bounded(page, options))
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
export const finishErasures = <E extends AnyEvent>(erasures: ErasuresOf<E>) => ({
  name: finishing,
  on: Object.keys(erasures) as ReadonlyArray<E["_tag"]>,
  handle: ({ event, tenant }: Recorded<E>) =>
    Effect.flatMap(Texts, (texts) => {
      const subjects = subjectsOf(erasures, event)
      return subjects.length === 0 ? Effect.void : texts.erase(tenant, subjects)
    })
})

/**
 * `Erased` for logs whose texts lie elsewhere: does every erasure from the checkpoint of `finishErasures` up to the
 * position, even if it was done already.
 */
export const erased = <E extends AnyEvent>(erasures: ErasuresOf<E>) =>
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
