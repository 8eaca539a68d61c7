import { Schema } from "effect"
import { text } from "./Event.ts"

/** What searches answered, a stream a tenant and day. Nothing is decided on it: it is appended as it comes. */
export const RetrievalEvent = Schema.TaggedUnion({
  SearchAnswered: {
    home: Schema.String,
    snippets: Schema.Array(Schema.String),
    scores: Schema.Array(Schema.Finite),
    total: Schema.Int,
    cacheHit: Schema.Boolean,
    ...text({ query: Schema.String })
  },
  /** What was asked for on the day is gone: its time was over. */
  RetrievalErased: { day: Schema.String, subject: Schema.String }
})
export type RetrievalEvent = typeof RetrievalEvent.Type
