/** A hook's event as far as it is read here: the agent SDK's own types are its peer's, and not always there. */
export interface HookEvent {
  /** What happened, such as `PostToolUse`. */
  readonly hook_event_name: string
  /** The session in which it happened. */
  readonly session_id: string
  /** The session's folder at this moment: that of a command's event is the folder that it left behind. */
  readonly cwd: string
  /** The subagent in which it happened. */
  readonly agent_id?: string
  /** Of a prompt: its text. */
  readonly prompt?: string
  /** Who wrote the prompt; a person or the program unless it says otherwise. */
  readonly source?: string
  /** Of a tool: its name, such as `Bash`. */
  readonly tool_name?: string
  /** What a tool was told. */
  readonly tool_input?: unknown
  /** What a tool gave. */
  readonly tool_response?: unknown
  /** How long a tool ran: milliseconds, without waiting for leave. */
  readonly duration_ms?: number
  /** Why a tool or the model failed. */
  readonly error?: unknown
  /** Whether the user stopped it. */
  readonly is_interrupt?: boolean
  /** At the end of a turn: what still runs. */
  readonly background_tasks?: unknown
}

/** What a hook answers: nothing, context for the model, or leave to read. */
export interface HookOutput {
  /** Nothing where it is left out. */
  readonly hookSpecificOutput?: PromptContext | ReadPermission
}

/** Context for the model, to a prompt. */
export interface PromptContext {
  /** What it answers. */
  readonly hookEventName: "UserPromptSubmit"
  /** Which files the session is offered. */
  readonly additionalContext: string
}

/** Leave to read a file that was offered. */
export interface ReadPermission {
  /** What it answers. */
  readonly hookEventName: "PreToolUse"
  /** The user is not asked. */
  readonly permissionDecision: "allow"
  /** Why not. */
  readonly permissionDecisionReason: string
}

/** A part of a value that may be anything. */
const partOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as { [name: string]: unknown })[name] : undefined

/** A text inside a value that may be anything. */
export const textOf = (value: unknown, name: string): string | undefined => {
  const part = partOf(value, name)
  return typeof part === "string" ? part : undefined
}

/** The file that a tool is about, as the tool was told it. */
export const fileOf = ({ tool_input }: HookEvent): string | undefined =>
  textOf(tool_input, "file_path") ?? textOf(tool_input, "notebook_path")

/** The command that a tool was told to run. */
export const commandOf = ({ tool_name, tool_input }: HookEvent): string | undefined =>
  tool_name === "Bash" ? textOf(tool_input, "command") : undefined

/** Whether a tool goes on when its event says that it has ended. */
export const goesOn = ({ tool_input, tool_response }: HookEvent): boolean =>
  partOf(tool_input, "run_in_background") === true || textOf(tool_response, "backgroundTaskId") !== undefined

/** Exit codes of what was not found, may not be run, or was stopped from outside: they say nothing of the program. */
const stopped = new Set(["124", "126", "127", "130", "137", "143"])

/** How a command ended, where that says something of what it ran. */
export const endOf = (event: HookEvent, succeeded: boolean): "worked" | "failed" | "unknown" => {
  if (goesOn(event) || event.is_interrupt === true || partOf(event.tool_response, "interrupted") === true)
    return "unknown"
  if (succeeded) return "worked"
  const code = /^Exit code (\d+)/.exec(String(event.error ?? ""))?.[1]
  return code === undefined || stopped.has(code) ? "unknown" : "failed"
}

/** Whether a prompt is a person's or a program's, and not one of the machine's own, such as that a task has ended. */
export const isAsked = ({ prompt = "", source }: HookEvent): boolean =>
  (source === undefined || source === "user" || source === "sdk") &&
  !prompt.trimStart().startsWith("<task-notification>")
