import { Redacted } from "effect"
import { APIConnectionError, APIConnectionTimeoutError, APIError, OpenAI } from "openai"
import { fetchWithin } from "../bounded.ts"
import type { Api } from "../failure.ts"
import { defaultBaseURL, type OpenAiSettings } from "./settings.ts"

const nothing = () => {}

/**
 * The SDK's client, with these settings only: all that it would take from the environment (another base URL, an
 * organization, a project, a log level) is given here. It logs nothing.
 */
export const makeClient = ({ apiKey, baseURL = defaultBaseURL, timeout = 600_000, silence }: OpenAiSettings): OpenAI =>
  new OpenAI({
    apiKey: Redacted.value(apiKey),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL,
    timeout,
    maxRetries: 2,
    fetch: fetchWithin(timeout, silence),
    logLevel: "off",
    logger: { error: nothing, warn: nothing, info: nothing, debug: nothing }
  })

/** The API, as its failures are described. */
export const apiOf = ({ apiKey, variable, baseURL = defaultBaseURL }: OpenAiSettings): Api => ({
  name: "the Chat Completions API",
  baseURL,
  apiKey,
  variable,
  errors: { answered: APIError, unreachable: APIConnectionError, late: APIConnectionTimeoutError },
  wordsOf: (error) =>
    error instanceof APIError ? (error.error as { message?: unknown } | undefined)?.message : undefined
})
