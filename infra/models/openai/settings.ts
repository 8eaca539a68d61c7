import type { Redacted } from "effect"

/** A server of the Chat Completions API. */
export interface OpenAiSettings {
  readonly apiKey: Redacted.Redacted<string>
  /** The variable that has the key, for the operator who has to mend it. */
  readonly variable: string
  /** Of the API or a compatible server, with its `/v1`; default: the API's own. */
  readonly baseURL?: string
  /** Tokens of one response; default: the model's own bound. */
  readonly maxTokens?: number
  /**
   * Milliseconds for one attempt at a request, to the end of its answer; default: 10 minutes. A request has at most
   * three attempts.
   */
  readonly timeout?: number
  /** Milliseconds without a byte after which a request is given up; default: a minute. */
  readonly silence?: number
}

export const defaultBaseURL = "https://api.openai.com/v1"
