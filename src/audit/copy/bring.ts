import { Effect } from "effect"
import { erasedBy } from "#domain/erasures.ts"
import { beginning, hasReached, isAfter, type Position } from "#engine/Position.ts"
import { type CopiedEvent, CopyRefused, type LogIntake, type LogSource, type WholeEvent } from "#ports/LogCopy.ts"
import * as Codec from "#src/codec.ts"

/** Hears how far a copy is, where it is to come, and how many events were brought. */
export type CopyProgress = (at: Position, of: Position, events: number) => void

/** Further subjects that an event erases when it is brought: for a backup, those that were erased since. */
export type Also = (event: WholeEvent) => ReadonlyArray<string>

/** An event with the subjects that it erases. Fails if this version does not know the event. */
const withErasures = (event: WholeEvent, also: Also): Effect.Effect<CopiedEvent, CopyRefused> =>
  Effect.try({
    try: () => ({ ...event, erases: [...erasedBy(Codec.decode({ ...event, payload: null }).event), ...also(event)] }),
    catch: () =>
      new CopyRefused({
        message: `the event at position ${event.position} (${event.type} version ${event.schemaVersion}) can't be read by this version: what it erases is not known.`
      })
  })

/**
 * Brings the events that the copy lacks, up to the source's head at the call, page by page. Answers how many they were,
 * and the position of the last. Fails with `CopyRefused` if the copy's last event is not in the source.
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
