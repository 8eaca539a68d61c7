import type { Redacted } from "effect"

/** A server of language models: which API it speaks, where it is, and with which key. */
export interface Provider {
  readonly api: "anthropic" | "openai"
  /** Without `/v1` for `anthropic`, with it for `openai`; if absent, the API's own. */
  readonly baseURL?: string
  readonly apiKey: Redacted.Redacted<string>
  /** The variable that has the key, named to the operator who must mend it. */
  readonly variable: string
}

/** US dollars for a million tokens. Tokens read from or written to a prompt cache have prices of their own. */
export interface Prices {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** The model that a name stands for. */
export interface NamedModel {
  readonly provider: Provider
  /** The full id that the provider knows it by. */
  readonly model: string
  readonly prices: Prices | undefined
  /** Tokens that it reads and writes together; `undefined`: its API says when a talk is too long. */
  readonly context: number | undefined
}

/** Which models callers may ask for. */
export interface ModelSettings {
  /** By the names that callers use. */
  readonly models: ReadonlyMap<string, NamedModel>
  /** The provider that is asked for any other name, as a full id; `undefined`: other names are refused. */
  readonly others: Provider | undefined
}
