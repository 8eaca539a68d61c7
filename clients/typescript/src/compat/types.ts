import type { AgentPrompt } from "../agent/sdk.ts"
import type { LogFile } from "../resources/bulk.ts"
import type { FileWritten } from "../resources/upload.ts"
import type { RaysurferAgentOptions } from "./session.ts"

/** What JSON can say. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<JsonValue>
  | { readonly [name: string]: JsonValue }

/** What of a session's options is not the agent SDK's. */
export type RaysurferExtras = Pick<RaysurferAgentOptions, "workspaceId" | "publicSnips" | "debug" | "agentId">

/** What `query` takes. */
export interface QueryParams {
  /** What to do, or the messages of a session with many turns. */
  readonly prompt: AgentPrompt
  /** The agent SDK's, and Cairn's. */
  readonly options?: RaysurferAgentOptions | undefined
}

/** What an upload of several files says. */
export interface SubmitExecutionResultRequest {
  /** What was to be done. */
  readonly task: string
  /** What it produced. */
  readonly filesWritten: ReadonlyArray<FileWritten>
  /** Whether it went well. */
  readonly succeeded: boolean
}

/** What a bulk upload says. */
export interface BulkExecutionResultRequest {
  /** The prompts of the session, in order. */
  readonly prompts: ReadonlyArray<string>
  /** What the session produced. */
  readonly filesWritten: ReadonlyArray<FileWritten>
  /** What it printed. */
  readonly logFiles?: ReadonlyArray<LogFile> | undefined
  /** Whether the service's model grades what is stored. Default: yes. */
  readonly useRaysurferAiVoting?: boolean | undefined
  /** 1 or -1 by path or name of a file: your own votes, in place of the grading. */
  readonly userVotes?: { readonly [file: string]: number } | undefined
}
