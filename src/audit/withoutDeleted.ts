import { Effect } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import { fresh } from "#engine/ask.ts"
import { deletedAmong } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"

const foundBy = (event: DomainEvent) => (event._tag === "SearchAnswered" ? event.snippets : [])

/** Which of the snippets that these events say were found have been deleted since. */
export const deletedIn = Effect.fnUntraced(function* (events: ReadonlyArray<DomainEvent>) {
  const found = new Set(events.flatMap(foundBy))
  if (found.size === 0) return new Set<string>()
  yield* Effect.ignore(fresh(Snippets))
  return new Set((yield* deletedAmong([...found])).map(({ id }) => id))
})

type Fields = { readonly [field: string]: unknown }

/** An event as it may be shown: a search names a snippet that it found only as long as the snippet is there. */
export const withoutDeleted = (event: DomainEvent, deleted: ReadonlySet<string>): Fields => {
  if (event._tag !== "SearchAnswered" || !event.snippets.some((id) => deleted.has(id))) return event
  return {
    ...event,
    snippets: event.snippets.map((id) => (deleted.has(id) ? "deleted" : id)),
    scores: event.scores.map((score, index) => (deleted.has(event.snippets[index]!) ? null : score))
  }
}
