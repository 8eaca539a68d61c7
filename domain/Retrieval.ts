import { Schema } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { text } from "#engine/Event.ts"

/** What searches answered, a stream a tenant and day. Nothing is decided on it: it is appended as it comes. */
export const RetrievalEvent = Schema.TaggedUnion({
  SearchAnswered: {
    home: Schema.String,
    snippets: Schema.Array(Schema.String),
    scores: Schema.Array(Schema.Finite),
    total: Schema.Int,
    cacheHit: Schema.Boolean,
    /** `query`: the task, see `keptTask`. */
    // that of the snippets found, on that day; the day's where none was found, and in older logs
    ...text({ query: Schema.String })
  },
  /** What was asked for on the day is gone: its time was over. */
  RetrievalErased: { day: Schema.String, subject: Schema.String },
  /**
   * What was asked for is gone, since no snippet that was found for it is there any more, or since its time was over.
   */
  SearchesErased: { cause: Schema.Literals(["deleted", "expired"]), subjects: Schema.Array(Schema.String) }
})
export type RetrievalEvent = typeof RetrievalEvent.Type

/** Subjects that one event erases at most: its data has room for no more. */
export const mostErased = 300

/**
 * Whose text a query is: all searches of a day that found the same snippets share a subject, whose text goes with the
 * last of these. So one erasure reaches them all, also one that comes into the log after it.
 */
export const searchSubject = (stream: string, snippets: ReadonlyArray<string>): string =>
  snippets.length === 0 ? stream : `${stream}/${derivedId(...[...snippets].sort())}`
