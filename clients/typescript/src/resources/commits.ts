/** A commit of a workspace. */
export interface Commit {
  readonly sha: string
  readonly parents: ReadonlyArray<string>
  readonly message: string
  readonly author: { readonly name: string; readonly email: string }
  /** ISO 8601. */
  readonly committedAt: string
  /** The chat that made it; `null` of a restore. */
  readonly sessionId: string | null
  readonly eventId: string
  readonly changes: ReadonlyArray<{
    readonly path: string
    readonly status: "created" | "modified" | "deleted"
  }>
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
  changes: wire.changes.map(({ path, status }) => ({ path, status }))
})
