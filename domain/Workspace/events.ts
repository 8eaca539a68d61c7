import { Schema } from "effect"
import { text } from "#engine/Event.ts"

const Sha = Schema.String
const headFields = {
  workspace: Schema.String,
  commit: Sha,
  parent: Schema.NullOr(Sha),
  tree: Sha
}
/** How much a commit brought. Commits from before this was counted do not say it. */
const Brought = {
  /**
   * The size of the files that it created or modified, each counted whole, or of the pack that it was pushed in, if
   * that is more.
   */
  bytes: Schema.optionalKey(Schema.Int)
}
const Outcome = {
  run: Schema.String,
  ...headFields,
  ...Brought,
  created: Schema.Int,
  modified: Schema.Int,
  deleted: Schema.Int,
  /** Files in the workspace after the run. */
  files: Schema.Int,
  turns: Schema.Int,
  inputTokens: Schema.Int,
  outputTokens: Schema.Int
}

/** Why a run ended without success. */
export const ChatFailure = Schema.Literals(["model", "max_turns", "interrupted", "revoked", "bound", "cancelled"])
export type ChatFailure = typeof ChatFailure.Type

/** Stored for good: add a tag or a version, never change the meaning of one. */
export const WorkspaceEvent = Schema.TaggedUnion({
  /** Comes with the first event that moves the ref. */
  WorkspaceOpened: {
    workspace: Schema.String,
    /** How often it was erased before. */
    generation: Schema.Int,
    ...text({ org: Schema.String, user: Schema.String })
  },
  ChatCompleted: { ...Outcome, ...text({ output: Schema.String }) },
  ChatFailed: { ...Outcome, code: ChatFailure, ...text({ output: Schema.String, error: Schema.String }) },
  /** A new commit with the files of an earlier one. */
  WorkspaceRestored: {
    ...headFields,
    /** The commit whose files these are. */
    restored: Sha,
    /** Files in the workspace now. */
    files: Schema.Int
  },
  /** A caller changed files itself, without an agent. */
  FilesChanged: {
    ...headFields,
    ...Brought,
    /** `opened`: the workspace was made, with an empty commit. */
    how: Schema.Literals(["opened", "put", "deleted", "archive"]),
    created: Schema.Int,
    modified: Schema.Int,
    deleted: Schema.Int,
    /** Files in the workspace now. */
    files: Schema.Int
  },
  /** Commits that a caller made with git were pushed on top of the head. */
  CommitsPushed: {
    ...headFields,
    ...Brought,
    /** How many commits are new; `commit` is the last of them. */
    commits: Schema.Int,
    created: Schema.Int,
    modified: Schema.Int,
    deleted: Schema.Int,
    /** Files in the workspace now. */
    files: Schema.Int
  },
  /** Erases its subject: the text of the workspace and of its chats. The next chat opens it anew, without a past. */
  WorkspaceErased: {
    workspace: Schema.String,
    /** The generation that was erased; the next one is one more. */
    generation: Schema.Int,
    subject: Schema.String,
    commits: Schema.Int,
    chats: Schema.Int,
    /** Files in the workspace when it was erased. */
    files: Schema.Int
  }
})
export type WorkspaceEvent = typeof WorkspaceEvent.Type
export const {
  WorkspaceOpened,
  ChatCompleted,
  ChatFailed,
  WorkspaceRestored,
  FilesChanged,
  CommitsPushed,
  WorkspaceErased
} = WorkspaceEvent.cases

/** A change before it is decided on. How many files there are afterwards follows from how many there were. */
export type FilesChange = Omit<typeof FilesChanged.Type, "_tag" | "files">
export type Push = Omit<typeof CommitsPushed.Type, "_tag" | "files">
