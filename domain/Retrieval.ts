import { Schema } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { text } from "#engine/Event.ts"

/** What searches answered: one stream per tenant and day. No decision depends on it; it is appended as it comes. */
export const RetrievalEvent = Schema.TaggedUnion({
  SearchAnswered: {
    home: Schema.String,
    snippets: Schema.Array(Schema.String),
    scores: Schema.Array(Schema.Finite),
    total: Schema.Int,
    cacheHit: Schema.Boolean,
    /** `query`: the task, see `keptTask`. */
    // the subject is that of the snippets found on that day; the day's own if none was found, and in older logs
    ...text({ query: Schema.String })
  },
  /** The queries of the day have expired and are gone. */
  RetrievalErased: { day: Schema.String, subject: Schema.String },
  /** Queries are gone because all snippets found for them were deleted, or because they expired. */
  SearchesErased: { cause: Schema.Literals(["deleted", "expired"]), subjects: Schema.Array(Schema.String) }
})
export type RetrievalEvent = typeof RetrievalEvent.Type

/** The most subjects that one event erases: its data has no room for more. */
export const mostErased = 300

/**
 * The subject of a query: all searches of a day that found the same snippets share one, which is erased with the last
 * of these snippets. One erasure thus covers all of them, even one that comes into the log after it.
 */
export const searchSubject = (stream: string, snippets: ReadonlyArray<string>): string =>
  snippets.length === 0 ? stream : `${stream}/${derivedId(...[...snippets].sort())}`
