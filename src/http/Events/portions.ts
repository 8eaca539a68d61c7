import { Effect, Stream } from "effect"
import { Unreadable } from "#engine/ask.ts"
import type { Position } from "#engine/Position.ts"
import {
  EventStore,
  type Page,
  type PageLook,
  type ReadAll,
  type StoredEvent,
  sizeOf
} from "#engine/ports/EventStore.ts"
import { slice, slight } from "#src/portions.ts"
import { Answers, copies } from "../answers.ts"
import { problemOf } from "../refusals.ts"
import type { Stay } from "../room.ts"
import { allShown, type Reader } from "./shown.ts"

type Filters = Omit<ReadAll, "limit" | "bytes">

/** How many of an answer's events are read, shown and written before its reader takes them. */
const portion = { limit: 100, bytes: slice }

/** Bytes of events after which a page ends, however many were asked for. */
const mostBytes = 4 * 1024 * 1024

const bytesOf = (stored: ReadonlyArray<StoredEvent>): number => stored.reduce((sum, event) => sum + sizeOf(event), 0)

/**
 * Reads a page of events once there is room for it; a small page needs none. A first look leaves long texts out, since
 * nobody knows how large they are, and only some looks run at once.
 */
const roomy = Effect.fnUntraced(function* <E, R>(read: (look: PageLook) => Effect.Effect<Page, E, R>) {
  const { take, looking } = yield* Answers
  const found = yield* looking(
    Effect.map(read({ withoutLong: true }), (page) => {
      const { left = 0 } = page
      const bytes = bytesOf(page.events) + left
      // a page that left anything out is read again, however small: those events would look erased
      return left === 0 && bytes <= slight ? { page } : { bytes }
    })
  )
  if ("page" in found) return { page: found.page, stay: undefined }
  const stay = yield* take(copies * found.bytes)
  return { page: yield* looking(read({})), stay }
})

/** The same for one page after another: asking for the next page gives back what the last one took. */
export const roomyInTurn = () => {
  let held: Stay | undefined
  return Effect.fnUntraced(function* <E, R>(read: (look: PageLook) => Effect.Effect<Page, E, R>) {
    held?.leave()
    const { page, stay } = yield* roomy(read)
    held = stay
    return page
  })
}

/**
 * A page of the log, portion by portion: each is read after the one before was taken. `all`: the page has all events
 * that were asked for, however large they are.
 */
export const portions = (
  reader: Reader,
  after: Position,
  limit: number,
  filters: Filters,
  how: "to be gone on" | "all" = "to be gone on"
) => {
  let at = after
  let [left, bytes] = [limit, 0]
  const reading = roomyInTurn()
  const events = Stream.unfold(undefined, () =>
    Effect.gen(function* () {
      if (left <= 0 || (how !== "all" && bytes >= mostBytes)) return undefined
      const store = yield* EventStore
      const size = { limit: Math.min(left, portion.limit), bytes: portion.bytes }
      const page = yield* reading((look) =>
        Effect.mapError(store.readAll(at, { ...filters, ...size, ...look }), () => problemOf(new Unreadable()))
      )
      if (page.events.length === 0) return undefined
      at = page.events.at(-1)!.position
      left = page.more ? left - page.events.length : 0
      bytes += bytesOf(page.events)
      const shown = yield* Effect.mapError(allShown(reader, page.events), () => problemOf(new Unreadable()))
      return [shown, undefined] as const
    })
  )
  return { events, last: () => at }
}
