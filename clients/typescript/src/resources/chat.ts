import type { APIPromise } from "../APIPromise.ts"
import type { RunStream } from "../eventStream/RunStream.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** Whose workspace the agent works in, and how. */
export interface ChatParams {
  /** With `org` the name of the workspace: the same pair finds its files again. */
  readonly user: string
  /** With `user` the name of the workspace: any text, not an id of this service. */
  readonly org: string
  /** `sonnet`, `opus`, `haiku`, `local` (no language model) or a model's full id. Default: `sonnet`. */
  readonly model?: string | undefined
  /** The most turns of the agent, 1 to 100. Default: 8. */
  readonly maxTurns?: number | undefined
  /** Whether it is told what earlier chats with it came to (`.cairn/memory.md`), and adds to it. Default: no. */
  readonly memory?: boolean | undefined
}

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

/** Milliseconds: an agent may take minutes. */
const timeout = 600_000

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

/** `chat`, and what else asks for one. */
export interface Chat {
  /**
   * Lets the agent work on a task in the workspace of (`org`, `user`), and saves its files as one commit. Waits up to
   * ten minutes for it; sent again after that, or after a cut connection, it joins the run that is under way. A run
   * that fails is no error: it has `success: false`.
   */
  (query: string, params: ChatParams, options?: RequestOptions): APIPromise<ChatResponse>
  /**
   * The same, told as it goes on, up to the answer; `runs.stream` tells it of a run that is there. A `timeout` below 45 s
   * counts as 45 s, since the service is silent for up to 15 s.
   *
   * ```ts
   * for await (const event of cairn.chat.stream(query, { user, org })) if (event.type === "text") print(event.text)
   * ```
   */
  stream(query: string, params: ChatParams, options?: RequestOptions): RunStream
}

/** What asks for a chat, however its answer is to come. */
export const asking = (
  query: string,
  { user, org, model, maxTurns, memory }: ChatParams
): Omit<Call<never>, "answer" | "timeout"> => ({
  method: "POST",
  path: "/api/agent-chat",
  body: { user_query: query, user_id: user, org_id: org, model, max_turns: maxTurns, memory }
})

export const chat = (query: string, params: ChatParams): Call<ChatResponse> => ({
  ...asking(query, params),
  timeout,
  answer: json(chatResponseOf)
})
