import type { Redacted } from "effect"

export interface AnthropicSettings {
  readonly apiKey: Redacted.Redacted<string>
  /** Of the API or a compatible server, without `/v1`; the API's own unless told. */
  readonly baseURL?: string
  /** The variable that has the key, for the operator who has to mend it; ANTHROPIC_API_KEY unless told. */
  readonly variable?: string
  /** Tokens of one response; 16,000 unless told. */
  readonly maxTokens?: number
  /** Milliseconds for one attempt at a request; 10 minutes unless told. A request has at most three attempts. */
  readonly timeout?: number
  /** Milliseconds without a byte after which a request is given up; a minute unless told. */
  readonly silence?: number
}

export const defaultBaseURL = "https://api.anthropic.com"
