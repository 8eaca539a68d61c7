import { ValidationError } from "./errors.ts"

/** Where the client's lines go: `console` is one, and so is any logger that takes a text and an object. */
export interface Logger {
  /** Each request and its answer: `details` has headers, without what may open anything, and times. */
  debug(message: string, details?: unknown): void
  /** Each request that is sent again within ten seconds, and why. */
  info(message: string, details?: unknown): void
  /** What was left out, such as a file that was not written; and a request that is sent again only later, and why. */
  warn(message: string, details?: unknown): void
  /** Nothing by now: what fails is raised. */
  error(message: string, details?: unknown): void
}

/** The least that is logged. `info` tells of each retry, `debug` of each request; bodies are never logged. */
export type LogLevel = "off" | "error" | "warn" | "info" | "debug"

const levels: ReadonlyArray<LogLevel> = ["off", "error", "warn", "info", "debug"]

/** Standard error, at every level: standard output belongs to the program. */
const standardError: Logger = {
  debug: (...line) => console.error(...line),
  info: (...line) => console.error(...line),
  warn: (...line) => console.error(...line),
  error: (...line) => console.error(...line)
}

const isLevel = (text: string): text is LogLevel => (levels as ReadonlyArray<string>).includes(text)

const silent = (): void => {}

/** A logger that drops what is below the level: the option's, else that of `CAIRN_LOG`, else `warn`. */
export const leveled = (given: Logger | undefined, option: string | undefined, environment?: string): Logger => {
  if (option !== undefined && !isLevel(option)) {
    throw new ValidationError(`logLevel is ${option}; expected one of ${levels.join(", ")}.`, "logLevel")
  }
  const logger = given ?? standardError
  const level = option ?? (environment !== undefined && isLevel(environment) ? environment : "warn")
  const least = levels.indexOf(level)
  const at = (name: "debug" | "info" | "warn" | "error"): Logger["debug"] =>
    levels.indexOf(name) <= least ? (message, details) => logger[name](message, details) : silent
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }
  if (option === undefined && environment !== undefined && !isLevel(environment)) {
    log.warn(`CAIRN_LOG is none of ${levels.join(", ")}; warn is taken.`)
  }
  return log
}

/** Names of headers that hold no secret, whoever sets them. */
const harmless = /^(accept|content-type|idempotency-key|user-agent|x-cairn-.*)$/

/** Headers as they may be shown: the value of any other may open something, whatever its name. */
export const redacted = (headers: Headers): { [name: string]: string } =>
  Object.fromEntries([...headers.entries()].map(([name, value]) => [name, harmless.test(name) ? value : "***"]))

/** A text as it may be shown: keys of the service in it are `***`. */
export const withoutKeys = (text: string): string =>
  text.replace(/\b(cairn_[a-z]+_)[0-9A-Za-z]+/g, "$1***").replace(/\b(Bearer|Basic) +\S+/gi, "$1 ***")
