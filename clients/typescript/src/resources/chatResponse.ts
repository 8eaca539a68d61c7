import type { Result } from "../Result.ts"

/**
 * What `chat` gives. A run that failed has `success: false` and says why in `error`; its files are saved all the same.
 */
export interface ChatResponse extends Result {
  /** Whether the run came to its end. */
  readonly success: boolean
  /** What the agent says. */
  readonly output: string
  /** `""` when all went well. */
  readonly error: string
  /** Paths that were created or modified. */
  readonly changedFiles: ReadonlyArray<string>
  /** All paths in the workspace. */
  readonly workspaceFiles: ReadonlyArray<string>
  /** Milliseconds from the request to the end of the run. */
  readonly durationMs: number
  /** The run. */
  readonly sessionId: string
  /** For `workspaces`. */
  readonly workspaceId: string
  /** The SHA of the commit that holds the files. */
  readonly commit: string
}

export interface ChatWire {
  readonly success: boolean
  readonly output: string
  readonly error: string
  readonly session_id: string
  readonly duration_ms: number
  readonly changed_files: ReadonlyArray<string>
  readonly workspace_files: ReadonlyArray<string>
  readonly workspace_id: string
  readonly commit: string
}

export const chatResponseOf = (wire: ChatWire): ChatResponse => ({
  success: wire.success,
  output: wire.output,
  error: wire.error,
  changedFiles: wire.changed_files,
  workspaceFiles: wire.workspace_files,
  durationMs: wire.duration_ms,
  sessionId: wire.session_id,
  workspaceId: wire.workspace_id,
  commit: wire.commit
})
