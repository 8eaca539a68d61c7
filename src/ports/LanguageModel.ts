import { Context, type Effect, Schema } from "effect"
import type { Prices, Provider } from "./ModelSettings.ts"

/** Fields that mean something to the model alone (the signature of a thought): JSON that goes back to it as it came. */
export interface OwnFields {
  readonly [key: string]: unknown
}

/** A call of a tool. `id` is of this call alone; `input` is the JSON that the model wrote, or text that is none. */
export interface ToolCall {
  readonly _tag: "ToolCall"
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly own: OwnFields
}

/** One thing that a model says: text for the caller, a call of a tool, or what it says only to itself. */
export type Saying =
  | { readonly _tag: "Text"; readonly text: string; readonly own: OwnFields }
  | ToolCall
  | { readonly _tag: "Own"; readonly own: OwnFields }

/**
 * How a turn ends. `calls`: the model waits for the results of its tools. `paused`: it goes on by itself when it is
 * asked again. `declined`: it won't do the task. `cut`: its answer reached the limit of one turn. `full`: the talk is
 * longer than it reads.
 */
export type TurnEnd = "done" | "calls" | "paused" | "declined" | "cut" | "full"

/** Tokens of a turn. Those read from and written to the provider's prompt cache count as input, too. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}

/** What a model said in one turn. It is plain JSON: storing it and giving it back loses nothing. */
export interface ModelTurn {
  /** The full name of the model that answered, whatever alias was asked for; `null` if it is not known. */
  readonly model: string | null
  /** In the order in which the model said it. */
  readonly says: ReadonlyArray<Saying>
  readonly end: TurnEnd
  readonly usage: Usage
}

export interface ToolResult {
  /** The call's `id`. */
  readonly toolUseId: string
  readonly content: string
  readonly isError: boolean
}

/** A turn, and the results of its tools once they ran. */
export interface Exchange {
  readonly turn: ModelTurn
  readonly results: ReadonlyArray<ToolResult> | undefined
}

/** What a model can fill in: a tool that it may call, or the answer to a question. */
export interface Form {
  readonly name: string
  readonly description: string
  /** A zod object schema. */
  readonly schema: unknown
}

/** Takes a piece of what a model is saying. */
export type Heard = (text: string) => void

/** All that a model knows when it is asked for its next turn. */
export interface Talk {
  /** Alias or full id. */
  readonly model: string
  readonly system: string
  readonly prompt: string
  readonly tools: ReadonlyArray<Form>
  /** Oldest first. The last one has results, or was `paused`. */
  readonly history: ReadonlyArray<Exchange>
}

/**
 * The model can't be reached, or refused. `message` is fit for the caller, without secrets, but may quote the API,
 * which may quote what it was sent. `fault` says the same for the service's log, in words that are all our own.
 */
export class ModelFailed extends Schema.TaggedError<ModelFailed>()("ModelFailed", {
  message: Schema.String,
  fault: Schema.String
}) {}

/** One question that is answered by filling in a form, never by free text. */
export interface Question {
  /** Alias or full id. */
  readonly model: string
  readonly system: string
  readonly prompt: string
  /** The form that the model must fill in. */
  readonly form: Form
}

/** Takes the usage of an answer, and the full name of the model that gave it; `null` if that is not known. */
export type OnSpent = (usage: Usage, model: string | null) => void

/** A model that callers may name. */
export interface ModelChoice {
  readonly name: string
  /** The full id that its provider knows it by. */
  readonly model: string
  readonly api: Provider["api"] | "local"
  readonly prices: Prices | undefined
  /** Tokens that it reads and writes together, if the operator has said so. */
  readonly context: number | undefined
}

/** Models by their names. They remember nothing: an answer follows from what they are given. */
export class LanguageModel extends Context.Service<
  LanguageModel,
  {
    /**
     * The model's next turn. An adapter keeps its own deadline, retries what passes, and gives up with `ModelFailed`,
     * also on an answer that makes no sense. When interrupted, it ends its request. If the provider streams, `heard` is
     * called with each piece of the turn's text as it comes; a blank line stands between two texts.
     */
    readonly next: (talk: Talk, heard?: Heard) => Effect.Effect<ModelTurn, ModelFailed>
    /**
     * The models that callers may name, whether any other name is taken for a full id, and further names that `local`
     * answers for.
     */
    readonly choices: {
      readonly named: ReadonlyArray<ModelChoice>
      readonly others: boolean
      readonly locally: ReadonlyArray<string>
    }
    /** Whether there is a language model that can be asked for judgements (`haiku`); `local` can't. */
    readonly canBeAsked: boolean
    /**
     * The form as the model filled it in, valid by its schema. Makes one attempt; the caller may ask again. `spent` is
     * told the usage of an answer, even of one that is of no use.
     */
    readonly ask: (question: Question, spent?: OnSpent) => Effect.Effect<unknown, ModelFailed>
  }
>()("cairn/LanguageModel") {}
