import { Data, Effect, Predicate, Redacted } from "effect"
import { beginningOf } from "#domain/text/beginningOf.ts"
import { ModelFailed, type ModelTurn } from "#ports/LanguageModel.ts"
import { noTokens } from "./answer.ts"
import { AnswerTooLarge, Late, Silent } from "./bounded.ts"
import { whenAgain } from "./pause.ts"

type Class<E> = abstract new (...args: never) => E

/** What it takes to describe a provider's failures: where its API is, whose key it takes, and what its SDK throws. */
export interface Api {
  /** As people know it: "the Messages API". */
  readonly name: string
  readonly baseURL: string
  readonly apiKey: Redacted.Redacted<string>
  /** The variable that has the key. */
  readonly variable: string
  readonly errors: {
    /** It answered with a status, or broke off its answer. */
    readonly answered: Class<{
      readonly status: number | undefined
      readonly type?: string | null | undefined
      readonly code?: string | null | undefined
      readonly headers?: Headers | undefined
    }>
    readonly unreachable: Class<Error>
    /** An `unreachable` that took too long. */
    readonly late: Class<Error>
  }
  /** What the API said of an error in words, if anything. */
  readonly wordsOf: (error: unknown) => unknown
}

/** What the SDK threw, in words for the caller: which host, which model, what to do; never the key. */
export const modelFailed = (api: Api, model: string, error: unknown): ModelFailed => {
  const key = Redacted.value(api.apiKey)
  const told = (text: string) => (key === "" ? text : text.replaceAll(key, "…"))
  return new ModelFailed({ message: told(reason(api, model, error)), fault: told(fault(api, model, error)) })
}

/** How servers say that a talk is longer than their model reads; the Messages API can also end a turn so. */
const tooLong =
  /context_length_exceeded|exceed_context_size|maximum context length|context (size|window|length)|prompt is too long/i

/** What the SDK threw, whatever it is. */
export class Refused extends Data.TaggedError("Refused")<{ readonly error: unknown }> {}

/** The outcome of a request for a turn that threw: the end of a talk that is too long, or a failure. */
export const refusedTurn = (api: Api, model: string, error: unknown): Effect.Effect<ModelTurn, ModelFailed> => {
  const full: ModelTurn = { model, says: [], end: "full", usage: noTokens }
  return saysTooLong(api, error) ? Effect.succeed(full) : Effect.fail(modelFailed(api, model, error))
}

const saysTooLong = (api: Api, error: unknown): boolean => {
  if (!(error instanceof api.errors.answered)) return false
  if (error.status === 413) return true
  return error.status === 400 && [error.code, error.type, api.wordsOf(error)].some((said) => tooLong.test(`${said}`))
}

const hostOf = ({ baseURL }: Api) => (URL.canParse(baseURL) ? new URL(baseURL).host : "its address")

/**
 * What helps the operator to find the cause: the host, the model, the status and the API's name of the error, but none
 * of its words.
 */
const fault = (api: Api, model: string, error: unknown): string => {
  const { errors } = api
  const where = `the API at ${hostOf(api)}, for the model ${quoted(model.slice(0, 128))},`
  if (isOf(error, Silent)) return `${where} fell silent`
  if (isLate(api, error)) return `${where} did not answer in time`
  if (error instanceof errors.unreachable) {
    const code = codeOf(error)
    return `${where} can't be reached${code === undefined ? "" : ` (${code})`}`
  }
  if (!(error instanceof errors.answered)) return `${where} gave no answer of ${api.name}`
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

const reason = (api: Api, model: string, error: unknown): string => {
  const { errors, variable } = api
  const host = hostOf(api)
  const said = wordsIn(api.wordsOf(error))
  if (isOf(error, AnswerTooLarge))
    return `The model's API at ${host} gave an answer that is too large to be one of a model.`
  if (isOf(error, Silent)) return `The model's API at ${host} fell silent, and was given up.`
  if (isLate(api, error)) return `The model's API at ${host} did not answer in time.`
  if (error instanceof errors.unreachable) return `The model's API at ${host} can't be reached.`
  if (!(error instanceof errors.answered))
    return `The model's API at ${host} gave an answer that is not of ${api.name}.`
  if (error.type === "overloaded_error" || error.status === 529 || error.status === 503) {
    return `The model's API is overloaded; try again ${whenAgain(error.headers)}.`
  }
  switch (error.status) {
    case 401:
      return `The model's API refused the key (${variable}).`
    case 402:
    case 403:
      return `The key (${variable}) may not use the model ${quoted(model)}${said}.`
    case 404:
      return `The model's API at ${host} knows no model ${quoted(model)}.`
    case 413:
      return "The conversation is too large for the model's API."
    case 429:
      return `The model's API limits the rate of this key; try again ${whenAgain(error.headers)}.`
    case undefined:
      return `The model's API at ${host} broke off its answer${said}.`
    default:
      return `The model's API answered ${error.status}${said}.`
  }
}

/** Whether an error is of a type, or wraps one that is, as the SDK does. */
const isOf = (error: unknown, type: Class<Error>): boolean =>
  error instanceof type || (error instanceof Error && isOf(error.cause, type))

/** Whether an answer did not begin, or did not end, in time. */
const isLate = ({ errors }: Api, error: unknown): boolean => error instanceof errors.late || isOf(error, Late)

const quoted = (model: string) => JSON.stringify(model)

const wordsIn = (words: unknown) =>
  typeof words === "string" && words !== "" ? `: ${beginningOf(words, 500).replace(/\.$/, "")}` : ""
