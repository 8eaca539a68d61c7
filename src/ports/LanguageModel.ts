import { Context, type Effect, Schema } from "effect"

/** What a model said in one response, and the content blocks exactly as they must be sent back to it. */
export interface ModelTurn {
  /** The full name of the model that answered, whatever alias was asked for; `null`: it is not known. */
  readonly model: string | null
  /** Content blocks of the assistant's message as the Messages API gives them (text, tool_use, thinking, …). */
  readonly content: ReadonlyArray<ContentBlock>
  /** As the Messages API names them: `tool_use`, `end_turn`, `pause_turn`, `refusal`, `max_tokens`, … */
  readonly stopReason: string
  /** Tokens; those read from and written to a prompt cache count as input. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

export type ContentBlock = { readonly type: string } & { readonly [key: string]: unknown }

export interface ToolResult {
  readonly toolUseId: string
  readonly content: string
  readonly isError: boolean
}

/** One tool that a model may call. `input` is the JSON object that the model wrote; it is checked against `schema`. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** A zod object schema. */
  readonly schema: unknown
  /** Never fails: an error is a result that the model reads. */
  readonly run: (input: unknown) => Effect.Effect<{ readonly content: string; readonly isError: boolean }>
}

/** What happened so far in a run, oldest first: each turn, and the results of its tools once they ran. */
export interface Exchange {
  readonly turn: ModelTurn
  readonly results: ReadonlyArray<ToolResult> | undefined
}

export interface Conversation {
  /** Alias or full id. */
  readonly model: string
  readonly system: string
  readonly prompt: string
  readonly tools: ReadonlyArray<ToolDefinition>
  readonly maxTurns: number
  /** Non-empty when a run resumes; the last exchange's tools run first when they have no results yet. */
  readonly history: ReadonlyArray<Exchange>
  /** Turns count from 1. Called before each request to the model; its failure ends the conversation. */
  readonly beforeTurn: (turn: number) => Effect.Effect<void, ConversationStopped>
  /** Makes a turn durable before its tools run; the conversation goes on from what it answers. */
  readonly onTurn: (turn: number, said: ModelTurn) => Effect.Effect<ModelTurn, ConversationStopped>
  /** Makes the results of a turn's tools durable; the conversation goes on from what it answers. */
  readonly onTools: (
    turn: number,
    results: ReadonlyArray<ToolResult>
  ) => Effect.Effect<ReadonlyArray<ToolResult>, ConversationStopped>
}

export interface ConversationResult {
  /** The text of the last turn. */
  readonly output: string
  /** Turns of the whole run, those of `history` too. */
  readonly turns: number
  /**
   * `max_turns`: the last turn asked for tools, they ran, and no turn is left.
   * `failed`: the model answered and could not do the task (it declined, or its answer was cut off).
   */
  readonly ended: "done" | "max_turns" | "failed"
  /** Why it did not end well, fit for the caller; `""` when `done`. */
  readonly error: string
}

/**
 * The model can't be had or refused: `message` is fit for the caller, without secrets. It may quote what the API said, and that
 * may quote what it was sent: `fault` says the same for the service's log, in words that are all our own.
 */
export class ModelFailed extends Schema.TaggedError<ModelFailed>()("ModelFailed", {
  message: Schema.String,
  fault: Schema.String
}) {}

/** The run was stopped from outside (its key was revoked, its workspace erased, the process is going down). */
export class ConversationStopped extends Schema.TaggedError<ConversationStopped>()("ConversationStopped", {
  reason: Schema.String
}) {}

/** One question that is answered by filling in a form, never by talk. */
export interface Question {
  /** Alias or full id. */
  readonly model: string
  readonly system: string
  readonly prompt: string
  /** The tool that the model is forced to call, and the zod object schema of its input. */
  readonly form: { readonly name: string; readonly description: string; readonly schema: unknown }
}

/** Holds the agent loop: ask the model, run its tools one after another, until it is done or out of turns. */
export class LanguageModel extends Context.Service<
  LanguageModel,
  {
    readonly converse: (
      conversation: Conversation
    ) => Effect.Effect<ConversationResult, ModelFailed | ConversationStopped>
    /** Whether there is a language model that can be asked; `local` is none. */
    readonly canBeAsked: boolean
    /** The form as the model filled it in, valid by its schema. One attempt at an answer: whoever asks may ask again. */
    readonly ask: (question: Question) => Effect.Effect<unknown, ModelFailed>
  }
>()("cairn/LanguageModel") {}
