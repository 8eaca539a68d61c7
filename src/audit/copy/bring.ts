import { Effect } from "effect"
import { erasedBy } from "#domain/erasures.ts"
import { beginning, hasReached, isAfter, type Position } from "#engine/Position.ts"
import { type CopiedEvent, CopyRefused, type LogIntake, type LogSource, type WholeEvent } from "#ports/LogCopy.ts"
import * as Codec from "#src/codec.ts"

/** Told as it goes on: how far of what, and how many events were brought. */
export type CopyProgress = (at: Position, of: Position, events: number) => void

/** What of an event's own is erased with it besides: of a backup, what was erased since. */
export type Also = (event: WholeEvent) => ReadonlyArray<string>

/** An event with what it erases, which this version has to know. */
const withErasures = (event: WholeEvent, also: Also): Effect.Effect<CopiedEvent, CopyRefused> =>
  Effect.try({
    try: () => ({ ...event, erases: [...erasedBy(Codec.decode({ ...event, payload: null }).event), ...also(event)] }),
    catch: () =>
      new CopyRefused({
        message: `the event at position ${event.position} (${event.type} version ${event.schemaVersion}) can't be read by this version: what it erases is not known.`
      })
  })

/**
 * Brings what the source has and the copy has not, up to the source's head of this moment, page by page; answers with
 * how many events that were, and where it came to. Fails with `CopyRefused` where the copy's last event is not the
 * source's.
 */
export const bring = Effect.fnUntraced(function* (
  source: LogSource["Service"],
  intake: LogIntake["Service"],
  progress: CopyProgress,
  also: Also = () => []
) {
  const head = yield* source.head
  const last = yield* intake.last
  if (last !== undefined) {
    const found = yield* source.find(last.stream, last.revision)
    if (found?.eventId !== last.eventId || found.position !== last.position) {
      return yield* new CopyRefused({
        message:
          "the target has events that the source has not: it is a copy of another log, or of one that was restored since. Empty it."
      })
    }
  }
  let at = last?.position ?? beginning
  let events = 0
  while (isAfter(head, at)) {
    const page = (yield* source.page(at)).events.filter(({ position }) => hasReached(head, position))
    if (page.length === 0) break
    yield* intake.take(yield* Effect.forEach(page, (event) => withErasures(event, also)))
    at = page.at(-1)!.position
    events += page.length
    progress(at, head, events)
  }
  return { events, at }
})
