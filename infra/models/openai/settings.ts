import type { Redacted } from "effect"

/** A server of the Chat Completions API. */
export interface OpenAiSettings {
  readonly apiKey: Redacted.Redacted<string>
  /** The variable that has the key, for the operator who has to mend it. */
  readonly variable: string
  /** Of the API or a compatible server, with its `/v1`; the API's own unless told. */
  readonly baseURL?: string
  /** Tokens of one response; the model's own bound unless told. */
  readonly maxTokens?: number
  /** Milliseconds for one attempt at a request; 10 minutes unless told. A request has at most three attempts. */
  readonly timeout?: number
  /** Milliseconds without a byte after which a request is given up; a minute unless told. */
  readonly silence?: number
}

export const defaultBaseURL = "https://api.openai.com/v1"
