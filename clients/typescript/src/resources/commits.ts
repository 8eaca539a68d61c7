/** Who made a commit. */
export interface CommitAuthor {
  /** The `user` of the chat. */
  readonly name: string
  /** Made of the workspace's id. */
  readonly email: string
}

/** A file that a commit changed. */
export interface FileChange {
  /** Relative to the workspace. */
  readonly path: string
  /** What happened to it. */
  readonly status: "created" | "modified" | "deleted"
  /** Of its blob, as it is then; of a deleted one as it was. A created one with the same was renamed. */
  readonly sha: string
}

/** A commit of a workspace. */
export interface Commit {
  /** 40 hexadecimal digits. */
  readonly sha: string
  /** SHAs; none of the first commit. */
  readonly parents: ReadonlyArray<string>
  /** The task in its first line; trailers name the event and the run. */
  readonly message: string
  /** The `user` of the chat, with an e-mail address that is made of the workspace's id. */
  readonly author: CommitAuthor
  /** ISO 8601. */
  readonly committedAt: string
  /** The chat that made it; `null`: none did. */
  readonly sessionId: string | null
  /** The event in the log that says so. */
  readonly eventId: string
  /** Against its first parent. */
  readonly changes: ReadonlyArray<FileChange>
}

export interface CommitWire {
  readonly sha: string
  readonly parents: ReadonlyArray<string>
  readonly message: string
  readonly author: { readonly name: string; readonly email: string }
  readonly committed_at: string
  readonly session_id: string | null
  readonly event_id: string
  readonly changes: Commit["changes"]
}

export const commitOf = (wire: CommitWire): Commit => ({
  sha: wire.sha,
  parents: wire.parents,
  message: wire.message,
  author: { name: wire.author.name, email: wire.author.email },
  committedAt: wire.committed_at,
  sessionId: wire.session_id,
  eventId: wire.event_id,
  changes: wire.changes.map(({ path, status, sha }) => ({ path, status, sha }))
})
