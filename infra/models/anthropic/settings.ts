import type { Redacted } from "effect"

export interface AnthropicSettings {
  readonly apiKey: Redacted.Redacted<string>
  /** Of the API or a compatible server, without `/v1`; default: the API's own. */
  readonly baseURL?: string
  /** The variable that has the key, for the operator who has to mend it; default: ANTHROPIC_API_KEY. */
  readonly variable?: string
  /** Tokens of one response; default: 16,000. */
  readonly maxTokens?: number
  /**
   * Milliseconds for one attempt at a request, to the end of its answer; default: 10 minutes. A request has at most
   * three attempts.
   */
  readonly timeout?: number
  /** Milliseconds without a byte after which a request is given up; default: a minute. */
  readonly silence?: number
}

export const defaultBaseURL = "https://api.anthropic.com"
