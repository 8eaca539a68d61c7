import {
  Anthropic,
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  type ClientOptions
} from "@anthropic-ai/sdk"
import { Redacted } from "effect"
import { fetchWithin } from "../bounded.ts"
import type { Api } from "../failure.ts"
import { type AnthropicSettings, defaultBaseURL } from "./settings.ts"

const nothing = () => {}

/**
 * The SDK's client, with these settings only: all that it would take from the environment (another base URL, tokens,
 * profiles, a log level, headers, tracing) is given here. It logs nothing.
 */
export const makeClient = ({
  apiKey,
  baseURL = defaultBaseURL,
  timeout = 600_000,
  silence
}: AnthropicSettings): Anthropic => {
  const key = Redacted.value(apiKey)
  const client = new Anthropic({
    apiKey: key,
    baseURL,
    webhookKey: null,
    timeout,
    maxRetries: 2,
    fetch: fetchWithin(timeout, silence),
    logLevel: "off",
    logger: { error: nothing, warn: nothing, info: nothing, debug: nothing },
    openTelemetry: false
  })
  // No option keeps ANTHROPIC_CUSTOM_HEADERS out. The SDK sends the key as a bearer token; servers that are merely
  // compatible may know it only as x-api-key.
  const internal = client as unknown as { readonly _options: ClientOptions }
  internal._options.defaultHeaders = baseURL === defaultBaseURL ? {} : { "x-api-key": key }
  return client
}

/** The API, as its failures are described. */
export const apiOf = ({
  apiKey,
  baseURL = defaultBaseURL,
  variable = "ANTHROPIC_API_KEY"
}: AnthropicSettings): Api => ({
  name: "the Messages API",
  baseURL,
  apiKey,
  variable,
  errors: { answered: APIError, unreachable: APIConnectionError, late: APIConnectionTimeoutError },
  wordsOf: (error) => (error instanceof APIError ? error.apiMessage : undefined)
})
