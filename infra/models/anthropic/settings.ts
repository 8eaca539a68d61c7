import type { Redacted } from "effect"

export interface AnthropicSettings {
  readonly apiKey: Redacted.Redacted<string>
  /** Of the API or a compatible server, without `/v1`; the API's own unless told. */
  readonly baseURL?: string
  /** Full model ids by alias; any other name is a full id itself. */
  readonly aliases?: { readonly [alias: string]: string }
  /** Tokens of one response; 16,000 unless told. */
  readonly maxTokens?: number
  /** Milliseconds for one attempt at a request; 10 minutes unless told. Each is tried three times at most. */
  readonly timeout?: number
}

export const defaultBaseURL = "https://api.anthropic.com"

export const defaultAliases: { readonly [alias: string]: string } = {
  sonnet: "claude-sonnet-5-5",
  opus: "claude-opus-5-5",
  haiku: "claude-haiku-5-5"
}

/** The full id of the model that a caller names: an alias stands for one, any other name is one itself. */
export const modelOf = ({ aliases }: AnthropicSettings, name: string): string =>
  new Map(Object.entries({ ...defaultAliases, ...aliases })).get(name) ?? name
