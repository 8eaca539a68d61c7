import { APIConnectionError, APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk"
import { Predicate, Redacted } from "effect"
import { ModelFailed } from "#ports/LanguageModel.ts"
import { AnswerTooLarge } from "./bounded.ts"
import { type AnthropicSettings, defaultBaseURL } from "./settings.ts"

/** What the SDK threw, in words for the caller: which host, which model, what to do; never the key. */
export const modelFailed = (settings: AnthropicSettings, model: string, error: unknown): ModelFailed => {
  const key = Redacted.value(settings.apiKey)
  const told = (text: string) => text.replaceAll(key, "…")
  return new ModelFailed({ message: told(reason(settings, model, error)), fault: told(fault(settings, model, error)) })
}

const hostOf = ({ baseURL = defaultBaseURL }: AnthropicSettings) =>
  URL.canParse(baseURL) ? new URL(baseURL).host : "its address"

/**
 * What the operator can look into: the host, the model, the status and the API's name of the error, but none of its
 * words.
 */
const fault = (settings: AnthropicSettings, model: string, error: unknown): string => {
  const where = `the API at ${hostOf(settings)}, for the model ${quoted(model.slice(0, 128))},`
  if (error instanceof APIConnectionTimeoutError) return `${where} did not answer in time`
  if (error instanceof APIConnectionError) {
    const code = codeOf(error)
    return `${where} can't be reached${code === undefined ? "" : ` (${code})`}`
  }
  if (!(error instanceof APIError)) return `${where} gave no answer of the Messages API`
  const type = typeof error.type === "string" && /^[a-z_]{1,40}$/.test(error.type) ? ` ${error.type}` : ""
  return error.status === undefined
    ? `${where} broke off its answer${type}`
    : `${where} answered ${error.status}${type}`
}

/** The system's code at the bottom of a failed connection. */
const codeOf = (error: unknown): string | undefined => {
  for (let at = error; Predicate.isObject(at); at = at["cause"]) {
    const { code } = at
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code)) return code
  }
  return undefined
}

const reason = (settings: AnthropicSettings, model: string, error: unknown): string => {
  const host = hostOf(settings)
  if (isTooLarge(error)) return `The model's API at ${host} gave an answer that is too large to be one of a model.`
  if (error instanceof APIConnectionTimeoutError) return `The model's API at ${host} did not answer in time.`
  if (error instanceof APIConnectionError) return `The model's API at ${host} can't be reached.`
  if (!(error instanceof APIError)) return `The model's API at ${host} gave an answer that is not of the Messages API.`
  if (error.type === "overloaded_error" || error.status === 529) {
    return "The model's API is overloaded; try again later."
  }
  switch (error.status) {
    case 401:
      return "The model's API refused the key (ANTHROPIC_API_KEY)."
    case 402:
    case 403:
      return `The key (ANTHROPIC_API_KEY) may not use the model ${quoted(model)}${said(error)}.`
    case 404:
      return `The model's API at ${host} knows no model ${quoted(model)}.`
    case 413:
      return "The conversation is too large for the model's API."
    case 429:
      return "The model's API limits the rate of this key; try again later."
    case undefined:
      return `The model's API at ${host} broke off its answer${said(error)}.`
    default:
      return `The model's API answered ${error.status}${said(error)}.`
  }
}

/** Wrapped by the SDK, or as it is. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof AnswerTooLarge || (error instanceof Error && isTooLarge(error.cause))

const quoted = (model: string) => JSON.stringify(model)

const said = ({ apiMessage }: APIError) =>
  typeof apiMessage === "string" && apiMessage !== "" ? `: ${apiMessage.slice(0, 500).replace(/\.$/, "")}` : ""
