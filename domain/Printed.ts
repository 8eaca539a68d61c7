import { Schema } from "effect"

/**
 * What runs printed, whoever reports it. No decision depends on it. Stored for good: add a tag or a version, never
 * change the meaning of one.
 */
export const PrintedEvent = Schema.TaggedUnion({
  /** The logs with this subject have expired and are gone. */
  LogsErased: { subject: Schema.String }
})
export type PrintedEvent = typeof PrintedEvent.Type

/**
 * The subject of the logs of a snippet's uploads in one month (as `2026-11`). They can expire before the snippet, and a
 * deleted snippet can name all its subjects.
 */
export const logsSubject = (snippet: string, month: string): string => `snippet/${snippet}/logs/${month}`

/** The month of such a subject; `undefined` for any other subject. */
export const monthOfLogs = (subject: string): string | undefined =>
  /^snippet\/[^/]+\/logs\/(\d{4}-\d{2})$/.exec(subject)?.[1]
