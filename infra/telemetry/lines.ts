import { Cause, Layer, Logger, type LogLevel, References } from "effect"
import { oneLine } from "#domain/text/oneLine.ts"
import { logLines } from "#ports/metrics.ts"
import { Origin } from "#ports/Origin.ts"

type Line = { readonly [field: string]: unknown }

const plain = (value: unknown): unknown => (value instanceof Error ? `${value.name}: ${value.message}` : value)

/** As a person reads it: on one line, whatever the message is. */
const forPeople = ({ time, level, message, ...rest }: Line): string => {
  const fields = Object.entries(rest).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    return `${name}=${/^[\w.:/+-]+$/.test(text) ? text : JSON.stringify(text)}`
  })
  return [time, String(level).padEnd(5), oneLine(String(message).replaceAll("\r", "\n")), ...fields].join(" ")
}

const lineOf = ({ cause, date, fiber, logLevel, message }: Logger.Options<unknown>): Line => {
  const said = [message].flat().map(plain)
  const { span } = fiber.cache
  const id = fiber.getRef(Origin)?.requestId
  return {
    time: date.toISOString(),
    level: logLevel.toUpperCase(),
    message: said.every((one) => typeof one === "string") ? said.join(" ") : said.length === 1 ? said[0] : said,
    ...(id == null ? {} : { request_id: id }),
    ...fiber.getRef(References.CurrentLogAnnotations),
    ...(span?.sampled === true ? { trace_id: span.traceId } : {}),
    ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
  }
}

const inOneLine = (line: Line): string => {
  try {
    return JSON.stringify(line)
  } catch {
    const { time, level } = line
    return JSON.stringify({ time, level, message: "what was to be said can't be written down" })
  }
}

/**
 * The service's log, on standard output: one line a message, as JSON unless a terminal shows it. `write` gets a line
 * with its line break.
 */
export const layer = (
  level: LogLevel.LogLevel,
  terminal: boolean = process.stdout.isTTY === true,
  write: (text: string) => void = (text) => void process.stdout.write(text)
) => {
  const shown = terminal ? forPeople : inOneLine
  const logger = Logger.make((options) => {
    logLines(options.logLevel.toLowerCase()).updateUnsafe(1, options.fiber.context)
    write(`${shown(lineOf(options))}\n`)
  })
  return Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, level))
}
