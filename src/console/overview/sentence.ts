import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { href } from "../router.ts"

/** What happened, in words. A type that is not here is told by its own name. */
const words: { readonly [type: string]: string } = {
  BoundsSet: "Bounds were set",
  ChatCancelled: "A chat was told to stop",
  ChatCompleted: "A chat was completed",
  ChatFailed: "A chat failed",
  ChatRequested: "A chat was requested",
  ChatResumed: "A chat was resumed",
  CommentAdded: "A comment was added",
  CommitsPushed: "Commits were pushed",
  ExecutionRecorded: "A code run was reported",
  ExecutionReviewed: "A code run was reviewed",
  FilesChanged: "Files were changed",
  GradingFailed: "A grading failed",
  KeyCreated: "A key was created",
  KeyLimited: "A key was limited",
  KeyRevoked: "A key was revoked",
  KeyUsed: "A key was used",
  MemberAdded: "Somebody joined",
  MemberErased: "Somebody was erased",
  ModelTurned: "A model answered",
  OrganizationRegistered: "The organization was created",
  OrganizationRenamed: "The organization was renamed",
  OrganizationSlugChanged: "The organization's slug was changed",
  SearchAnswered: "A search was answered",
  SnippetDeleted: "A snippet was deleted",
  SnippetPublished: "A snippet was published",
  SnippetUploaded: "A snippet was stored",
  SnippetWithdrawn: "A public snippet was withdrawn",
  TaskAdded: "A snippet was used for another task",
  ToolsRan: "Tools ran",
  UploadReceived: "A bundle was received",
  UploadStored: "A bundle was stored",
  VoteRequested: "A grading was requested",
  VotesErased: "The texts of votes were erased",
  WorkspaceErased: "A workspace was erased",
  WorkspaceOpened: "A workspace was opened",
  WorkspaceRestored: "A workspace was restored"
}

/** `SlugTaken` → `Slug taken`. */
const spelled = (type: string): string => {
  const parts = type.match(/[A-Z][a-z]*/g) ?? [type]
  return parts.map((part, index) => (index === 0 ? part : part.toLowerCase())).join(" ")
}

/** What happened, as an event says it. */
export const sentenceOf = ({ type, data }: Pick<RecordedEvent, "type" | "data">): string => {
  if (type === "VoteCast") return data["value"] === 1 ? "A vote for a snippet" : "A vote against a snippet"
  return Object.hasOwn(words, type) ? words[type]! : spelled(type)
}

const field = (data: RecordedEvent["data"], name: string): string | undefined => {
  const value = data[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** The text of an event that best tells what it was about; "": it has none, or it was erased. */
export const hintOf = ({ data }: Pick<RecordedEvent, "data">): string => {
  const text = data["text"]
  if (typeof text !== "object" || text === null) return ""
  for (const name of ["query", "task", "prompt", "name", "slug", "message", "error", "reason"]) {
    const value = (text as { readonly [name: string]: unknown })[name]
    if (typeof value === "string" && value !== "") return value.slice(0, 200)
  }
  return ""
}

/** The page of what an event is about, if there is one. */
export const pageOf = ({ type, data }: Pick<RecordedEvent, "type" | "data">): string | undefined => {
  const [run, snippet, workspace] = ["run", "snippet", "workspace"].map((name) => field(data, name))
  if (run !== undefined) return href("run", { id: run })
  if (snippet !== undefined && type !== "SnippetDeleted") return href("snippet", { id: snippet })
  return workspace === undefined || type === "WorkspaceErased" ? undefined : href("workspace", { id: workspace })
}
