import { Clock, Effect, Layer, Schedule } from "effect"
import { RetrievalEvent } from "#domain/Retrieval.ts"
import { derivedId } from "#engine/derivedId.ts"
import { whileMine } from "#engine/ports/Claims.ts"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { saying } from "#engine/saying.ts"
import type { Config } from "#src/config/config.ts"
import { eraseSearches, noteErased } from "#src/snippets/eraseSearches.ts"
import { expire } from "./expire.ts"
import { retainExecutions } from "./retainExecutions.ts"
import { retainLogs } from "./retainLogs.ts"

const day = 86_400_000
/** The checkpoint's name: up to the checkpoint, all searches are over. */
const name = "retention"

/** The day at the end of a stream's name: `retrieval-<tenant>-<YYYY-MM-DD>`. */
const dayOf = (stream: string): string => stream.slice(-10)

/** Erases the texts under a day's own subject; the same again changes nothing. */
const erase = (tenant: string, stream: string) => {
  const event = RetrievalEvent.cases.RetrievalErased.make({ day: dayOf(stream), subject: stream })
  return noteErased({ tenant, stream }, derivedId("retrieval_erased", stream), event)
}

/** The subjects of a day's searches that still have their text, without the day's own subject. */
const subjectsIn = (searches: ReadonlyArray<StoredEvent>, stream: string): ReadonlyArray<string> => {
  const kept = searches.filter((search) => search.stream === stream && search.payload !== null)
  const subjects = new Set(kept.map(({ data }) => (JSON.parse(data) as { readonly subject: string }).subject))
  subjects.delete(stream)
  return [...subjects]
}

/** Erases the text of searches whose day was over `kept` days before `now` (milliseconds since the epoch). */
export const retain = (now: number, kept: number) =>
  expire(
    name,
    { types: ["SearchAnswered"] },
    ({ stream }) => Date.parse(dayOf(stream)) + (kept + 1) * day <= now,
    Effect.fnUntraced(function* (over) {
      const streams = new Map(over.map(({ stream, tenant }) => [stream, tenant]))
      for (const [stream, tenant] of streams) {
        yield* eraseSearches({ tenant, stream }, "expired", subjectsIn(over, stream))
        yield* erase(tenant, stream)
      }
    })
  )

/** Erases what is kept for a number of days only (`undefined`: no bound), at start and once a day. */
export const layer = ({ searches, executions, logs }: Config["retention"]) =>
  Layer.effectDiscard(
    Effect.suspend(() => {
      const { say, over } = saying()
      const all = Effect.fnUntraced(function* (now: number) {
        if (searches !== undefined) yield* retain(now, searches)
        if (executions !== undefined) yield* retainExecutions(now, executions)
        if (logs !== undefined) yield* retainLogs(now, logs)
      })
      return Effect.flatMap(Clock.currentTimeMillis, all).pipe(
        Effect.tapCause((cause) => say(cause, Effect.logWarning("what is old could not be erased", cause))),
        Effect.retry(Schedule.spaced("1 minute")),
        Effect.andThen(over(Effect.logInfo("what is old is erased again"))),
        Effect.repeat(Schedule.spaced("1 day")),
        (work) => whileMine(name, () => Effect.asVoid(work)),
        Effect.forkScoped
      )
    })
  )
