import type { RecordedEvent } from "@kurrent/kurrentdb-client"
import { Effect } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { isBy } from "#engine/Event.ts"
import { hasReached, isAfter, type Position, positionOf } from "#engine/Position.ts"
import type { Bound } from "#engine/ports/Bounds.ts"
import {
  type Newest,
  type Page,
  type ReadAll,
  type ReadStream,
  type StoredEvent,
  sizeOf,
  smallEvent
} from "#engine/ports/EventStore.ts"
import { type AllRead, Kurrent, type ReadFrom } from "./client.ts"
import type { Fault } from "./Fault.ts"
import { Log } from "./Log.ts"
import { eventFrom } from "./place.ts"
import type { Revisions } from "./Revisions.ts"
import { patience } from "./renewed.ts"

/** A pattern of the types of all but system events, which begin with a $. */
export const nobodysSystem = "^[^$]"

/** A pattern of exactly these types. */
const only = (types: ReadonlyArray<string>): string =>
  `^(?:${types.map((type) => type.replaceAll(/[^\w]/g, (sign) => `\\${sign}`)).join("|")})$`

/** Events that are asked for at once if not all of them are wanted. */
const some = 500

const within = (options: ReadStream, most: Bound) => ({
  count: Math.min(options.limit ?? 1_000, most.count),
  enough: Math.min(options.bytes ?? most.bytes, most.bytes)
})

/** What one read gave. Fewer events than it asked for: nothing is left. */
export interface Piece {
  readonly events: ReadonlyArray<RecordedEvent>
  readonly asked: number
}

/**
 * Reads everything piece by piece. The server looks for types far faster than it could send all events, but says
 * nothing before it has found one, and a read that is given up begins where it began: what nobody waited for once,
 * nobody would ever get. So behind a silence that is not `enough`, pieces have all events, and each gets on.
 */
export const piecewise = Effect.fnUntraced(function* (enough: () => boolean = () => false) {
  const { readAll } = yield* Kurrent
  let silent = false
  const each = ({ types: _, count, ...read }: AllRead) => {
    const asked = Math.max(count, some)
    return Effect.map(readAll({ ...read, count: asked }), (events): Piece => ({ events, asked }))
  }
  return (read: AllRead): Effect.Effect<Piece, Fault> => {
    // what was looked at is not given up for one fault
    if (silent) return Effect.retry(each(read), { while: ({ kind }) => kind === "passes", times: 2 })
    return Effect.map(
      readAll({ ...read, within: patience / 2 }),
      (events): Piece => ({ events, asked: read.count })
    ).pipe(
      Effect.catchIf(
        (fault) => fault.silent === true && !enough(),
        () => {
          silent = true
          return each(read)
        }
      )
    )
  }
})

/** Gathers the wanted events until a page has enough. */
class Gathering {
  readonly events: Array<StoredEvent> = []
  #bytes = 0
  readonly #count: number
  readonly #enough: number

  constructor({ count, enough }: { readonly count: number; readonly enough: number }) {
    this.#count = count
    this.#enough = enough
  }

  get left(): number {
    return this.#count - this.events.length
  }

  get full(): boolean {
    return this.left <= 0 || this.#bytes >= this.#enough
  }

  add(event: StoredEvent): void {
    this.events.push(event)
    const size = sizeOf(event)
    if (size > smallEvent) this.#bytes += size
  }
}

/**
 * Reads piece by piece, each from the last event of the one before, until a page is full or nothing is left. Where a
 * piece fails, what has come so far is a page, too: the next one begins behind it, and not where this one did.
 */
const gather = Effect.fnUntraced(function* <ReadFrom, R>(
  page: Gathering,
  from: ReadFrom,
  read: (from: ReadFrom, enough: (event: RecordedEvent) => boolean) => Effect.Effect<Piece, Fault, R>,
  take: (event: RecordedEvent) => StoredEvent | undefined,
  next: (last: RecordedEvent) => ReadFrom
) {
  for (let at = from; ; ) {
    const piece = yield* Effect.catchIf(
      read(at, (event) => {
        const stored = take(event)
        if (stored !== undefined && !page.full) page.add(stored)
        return page.full
      }),
      ({ kind }) => kind === "passes" && page.events.length > 0,
      () => Effect.succeed(undefined)
    )
    if (piece === undefined) return { events: page.events, more: true } satisfies Page
    const { events, asked } = piece
    if (page.full) return { events: page.events, more: page.events.length > 0 } satisfies Page
    if (events.length < asked) return { events: page.events, more: false } satisfies Page
    at = next(events.at(-1)!)
  }
})

const wantedBy = ({ types, tenant, actor, correlation, requested }: ReadAll) => {
  const named = types === undefined ? undefined : new Set(types)
  return (event: StoredEvent): boolean =>
    (named?.has(event.type) ?? true) &&
    (tenant === undefined || event.tenant === tenant) &&
    (actor === undefined || isBy(event.actor, actor, tenant)) &&
    (correlation === undefined || event.correlationId === correlation) &&
    (requested === undefined || event.request !== null)
}

const ofStream = Effect.fnUntraced(function* (stream: string, after: number, options: ReadAll, most: Bound) {
  const { readStream } = yield* Kurrent
  const log = yield* Log
  const wanted = wantedBy(options)
  const page = new Gathering(within(options, most))
  return yield* gather(
    page,
    after + 1,
    (from, enough) => {
      // a read that gives fewer events than asked for tells that the stream ends there
      const count = Math.min(page.left, some)
      return Effect.map(readStream(stream, { from, count, enough }), (events) => ({ events, asked: count }))
    },
    (event) => {
      const stored = log.stored(event)
      return stored !== undefined && wanted(stored) ? stored : undefined
    },
    ({ revision }) => Number(revision) + 1
  )
})

/** `EventStore.readStream`: a page of a stream's events behind a revision. */
export const readStream = (stream: string, after: number, options: ReadStream, most: Bound) =>
  ofStream(stream, after, options, most)

/** A stream's last revision at a position or before it; -1: none. Binary search, one event a read. */
const revisionAt = Effect.fnUntraced(function* (stream: string, position: Position) {
  const { readStream } = yield* Kurrent
  const [last] = yield* readStream(stream, { from: "end", backwards: true, count: 1 })
  const placeOf = (event: RecordedEvent) => positionOf(event.position!.commit)
  if (last === undefined) return -1
  if (hasReached(position, placeOf(last))) return Number(last.revision)
  let low = -1
  let high = Number(last.revision)
  // all up to `low` lie before the position, or are not there any more; what is at `high` lies behind it
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const [event] = yield* readStream(stream, { from: middle, count: 1 })
    if (event !== undefined && isAfter(placeOf(event), position)) high = Math.min(high, middle)
    else low = event === undefined ? high - 1 : Math.max(middle, Math.min(Number(event.revision), high - 1))
  }
  return low
})

const everything = Effect.fnUntraced(function* (after: Position, options: ReadAll, most: Bound) {
  const log = yield* Log
  const { types, tenant, actor, correlation, requested } = options
  const picks = [tenant, actor, correlation, requested].some((one) => one !== undefined)
  const wanted = wantedBy(options)
  const page = new Gathering(within(options, most))
  const read = yield* piecewise(() => page.events.length > 0)
  return yield* gather(
    page,
    (after === 0 ? "start" : after) as ReadFrom,
    (from, enough) => {
      // one more, because a forward read begins with the event at the place, which was seen already
      const count = (picks ? some : Math.min(page.left, most.count)) + 1
      const pattern = types === undefined ? nobodysSystem : only(types)
      return read({ from, count, types: pattern, enough })
    },
    (event) => {
      if (hasReached(after, positionOf(event.position!.commit))) return undefined
      if (page.events.length > 0 && hasReached(page.events.at(-1)!.position, positionOf(event.position!.commit)))
        return undefined
      const stored = log.stored(event)
      return stored !== undefined && wanted(stored) ? stored : undefined
    },
    (last): ReadFrom => Number(last.position!.commit)
  )
})

/** `EventStore.readAll`; if a stream is asked for, it reads that alone. */
export const readAll = Effect.fnUntraced(function* (
  after: Position,
  options: ReadAll,
  most: Bound,
  revisions: Revisions
) {
  const { stream, types } = options
  if (types?.length === 0) return { events: [], more: false } satisfies Page
  if (stream === undefined) return yield* everything(after, options, most)
  const from = after === 0 ? -1 : (revisions.at(stream, after) ?? (yield* revisionAt(stream, after)))
  const page = yield* ofStream(stream, from, options, most)
  const last = page.events.at(-1)
  if (last !== undefined) revisions.noteAt(stream, last.position, last.revision)
  return page
})

/** `EventStore.newest`: reads piece by piece from the end of the log, or of the stream. */
export const newest = Effect.fnUntraced(function* ({ limit, before, ...options }: Newest) {
  const { readStream } = yield* Kurrent
  const log = yield* Log
  const { stream, types } = options
  if (types?.length === 0) return []
  const read = yield* piecewise()
  const wanted = wantedBy(options)
  const found: Array<Position> = []
  for (
    let at: { readonly all: ReadFrom; readonly ofStream: number | "end" } = { all: before ?? "end", ofStream: "end" };
    ;
  ) {
    const all = stream === undefined && options.tenant === undefined && options.actor === undefined
    const count = all ? Math.min(limit, some) : some
    const { events, asked }: Piece =
      stream === undefined
        ? yield* read({
            from: at.all,
            backwards: true,
            count,
            types: types === undefined ? nobodysSystem : only(types)
          })
        : {
            events: yield* readStream(stream, { from: at.ofStream, backwards: true, count }),
            asked: count
          }
    for (const event of events) {
      const stored = log.stored(event)
      if (stored === undefined || !wanted(stored)) continue
      if (before === undefined || isAfter(before, stored.position)) found.push(stored.position)
      if (found.length === limit) return found
    }
    const last = events.at(-1)
    if (last === undefined || events.length < asked || (stream !== undefined && last.revision === 0n)) return found
    at = { all: Number(last.position!.commit), ofStream: Number(last.revision) - 1 }
  }
})

/** `EventStore.eventAt`: a forward read begins with the event at the position. */
export const eventAt = Effect.fnUntraced(function* (position: Position) {
  if (position === 0) return undefined
  const { stored } = yield* Log
  const event = yield* eventFrom(position as ReadFrom, 5)
  return event === undefined || positionOf(event.position!.commit) !== position ? undefined : stored(event)?.eventId
})

/** A command's events, which begin at a revision of its stream; none if it did not go in there. */
export const commandAt = Effect.fnUntraced(function* (stream: string, commandId: string, revision: number) {
  const { readStream } = yield* Kurrent
  const log = yield* Log
  const found: Array<StoredEvent> = []
  for (;;) {
    const from = revision + found.length
    let ended = false
    const events = yield* readStream(stream, {
      from,
      count: 64,
      enough: (event) => {
        const stored = log.stored(event)
        const place = found.length
        if (stored?.revision === revision + place && stored.eventId === derivedId(commandId, place)) found.push(stored)
        else ended = true
        return ended
      }
    })
    if (ended || events.length < 64) return found
  }
})
