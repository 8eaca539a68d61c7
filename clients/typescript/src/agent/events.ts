/** A hook's event as far as it is read here: the agent SDK's own types are its peer's, and not always there. */
export interface HookEvent {
  readonly hook_event_name: string
  readonly session_id: string
  /** The session's folder at this moment. */
  readonly cwd: string
  readonly prompt?: string
  /** Who wrote the prompt; a person or the program unless it says otherwise. */
  readonly source?: string
  readonly tool_name?: string
  readonly tool_input?: unknown
  readonly tool_response?: unknown
  /** Why a tool or the model failed. */
  readonly error?: unknown
  readonly is_interrupt?: boolean
}

/** What a hook answers: nothing, context for the model, or leave to read. */
export interface HookOutput {
  readonly hookSpecificOutput?:
    | { readonly hookEventName: "UserPromptSubmit"; readonly additionalContext: string }
    | {
        readonly hookEventName: "PreToolUse"
        readonly permissionDecision: "allow"
        readonly permissionDecisionReason: string
      }
}

/** A part of a value that may be anything. */
export const textOf = (value: unknown, name: string): string | undefined => {
  const part = typeof value === "object" && value !== null ? (value as { [name: string]: unknown })[name] : undefined
  return typeof part === "string" ? part : undefined
}

/** The file that a tool is about, as the tool was told it. */
export const fileOf = ({ tool_input }: HookEvent): string | undefined =>
  textOf(tool_input, "file_path") ?? textOf(tool_input, "notebook_path")
