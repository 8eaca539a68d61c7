import { filesOf, logFilesOf } from "./Bundle.ts"
import { monthSubject } from "./Execution.ts"
import type { EventOf, EventType } from "./events.ts"
import { logsSubject } from "./Printed.ts"
import { commentSubject } from "./Snippet/comments.ts"

/** The subjects that each type of event erases for good, with all their text in the log of the event's tenant. */
export const erasures: { readonly [T in EventType]?: (event: EventOf<T>) => ReadonlyArray<string> } = {
  MemberErased: ({ subject }) => [subject],
  OrganizationSlugChanged: ({ former }) => (former === null ? [] : [former]),
  SlugFreed: ({ subject }) => [subject],
  OrganizationErased: ({ subject }) => [subject],
  UserErased: ({ subject }) => [subject],
  TextErased: ({ subjects }) => subjects,
  CommentDeleted: ({ subject }) => [subject],
  VotesErased: ({ subject }) => [subject],
  SnippetDeleted: ({ subject, snippet, comments, executions, logs }) => [
    subject,
    ...comments.map((comment) => commentSubject(snippet, comment)),
    ...executions.map((month) => monthSubject(snippet, month)),
    ...logs.map((month) => logsSubject(snippet, month))
  ],
  // the snippets now hold what was sent
  UploadStored: ({ upload }) => [filesOf(upload)],
  UploadErased: ({ upload, subject, logs }) => [subject, ...(logs ? [logFilesOf(upload)] : [])],
  WorkspaceErased: ({ subject }) => [subject],
  SearchesErased: ({ subjects }) => subjects,
  RetrievalErased: ({ subject }) => [subject],
  ExecutionsErased: ({ subject }) => [subject],
  LogsErased: ({ subject }) => [subject]
}

/** Subjects whose text an event erases. */
export const erasedBy = (event: { readonly _tag: EventType }): ReadonlyArray<string> =>
  (erasures[event._tag] as ((event: unknown) => ReadonlyArray<string>) | undefined)?.(event) ?? []
