import { Schema } from "effect"

/**
 * What runs printed, apart from who says so. Nothing is decided on it. Stored for good: add a tag or a version, never
 * change the meaning of one.
 */
export const PrintedEvent = Schema.TaggedUnion({
  /** What the uploads that have this subject came with is gone: its time was over. */
  LogsErased: { subject: Schema.String }
})
export type PrintedEvent = typeof PrintedEvent.Type

/**
 * Whose text the logs of a snippet's uploads in a month (as `2026-11`) are: so they can go when their time is over,
 * before the snippet, and a deleted snippet can name all that it has.
 */
export const logsSubject = (snippet: string, month: string): string => `snippet/${snippet}/logs/${month}`

/** The month of such a subject; `undefined`: it is another kind. */
export const monthOfLogs = (subject: string): string | undefined =>
  /^snippet\/[^/]+\/logs\/(\d{4}-\d{2})$/.exec(subject)?.[1]
