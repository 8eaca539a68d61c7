import { parseJson } from "#engine/parseJson.ts"
import { atOnce } from "#engine/steps.ts"
import type { Telemetry } from "../Snippet/events.ts"

/** The most functions that are kept, and the most characters of their names. */
const mostFunctions = 200
const longestName = 200
/** The most reports that are read in one text: a process writes one when it ends. */
const mostReports = 1_000
/** The most characters that are read of one report, and of all of them. */
const longestReport = 200_000
const looked = 1_000_000
/** The most calls, and the largest average size of a value, that can be a measurement. */
const mostCalls = 1_000_000_000
const largest = 1e12

const marker = /--- (?:RAYSURFER|CAIRN)_TELEMETRY_(START|END) ---/g

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parsed = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const inRange = (value: unknown, most: number): value is number =>
  typeof value === "number" && value >= 0 && value <= most

/** One function's entry as it was logged; `undefined` if it isn't one. A missing size or rate is 0. */
const entryOf = (name: string, value: unknown): Telemetry | undefined => {
  if (name === "" || name.length > longestName || name === "__proto__" || !isObject(value)) return undefined
  const { call_count: calls, avg_value_size: averageSize = 0, empty_rate: emptyRate = 0 } = value
  if (!Number.isSafeInteger(calls) || !inRange(calls, mostCalls) || calls === 0) return undefined
  if (!inRange(averageSize, largest) || !inRange(emptyRate, 1)) return undefined
  return { name, calls, averageSize, emptyRate }
}

/** The place behind the closing quote of the JSON string that begins at `from`; -1 if it doesn't end. */
const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === '"') return at + 1
  }
  return -1
}

const endOfObject = (text: string, from: number): number => {
  let depth = 0
  for (let at = from; at < text.length; ) {
    const one = text[at]
    if (one === '"') {
      at = endOfString(text, at)
      if (at < 0) return -1
      continue
    }
    if (one === "{") depth++
    if (one === "}" && --depth === 0) return at + 1
    at++
  }
  return -1
}

const head = /^\s*\{\s*"(?:raysurfer|cairn)_telemetry"\s*:\s*\{\s*(?:"version"\s*:\s*1\s*,\s*)?"functions"\s*:\s*\{/
const comma = /[\s,]*/y
const colon = /\s*:\s*(?=\{)/y

/** The entries of a truncated report, up to the last whole one. */
const wholeEntries = (text: string): ReadonlyArray<readonly [string, unknown]> => {
  const entries: Array<readonly [string, unknown]> = []
  let at = head.exec(text.slice(0, 1_000))?.[0].length ?? text.length
  while (at < text.length && entries.length < mostFunctions) {
    comma.lastIndex = at
    at += comma.exec(text)?.[0].length ?? 0
    if (text[at] !== '"') break
    const endOfName = endOfString(text, at)
    if (endOfName < 0) break
    colon.lastIndex = endOfName
    const from = endOfName + (colon.exec(text)?.[0].length ?? text.length)
    const end = from >= text.length ? -1 : endOfObject(text, from)
    if (end < 0) break
    const name = parsed(text.slice(at, endOfName))
    const value = parsed(text.slice(from, end))
    if (typeof name !== "string" || value === undefined) break
    entries.push([name, value])
    at = end
  }
  return entries
}

const entriesOf = (block: string): ReadonlyArray<readonly [string, unknown]> => {
  if (!/^\s*\{/.test(block)) return []
  const report = block.length > longestReport ? undefined : parsed(block)
  if (report === undefined) return wholeEntries(block.slice(0, longestReport))
  if (!isObject(report)) return []
  const telemetry = report["raysurfer_telemetry"] ?? report["cairn_telemetry"]
  if (!isObject(telemetry) || (telemetry["version"] ?? 1) !== 1 || !isObject(telemetry["functions"])) return []
  return Object.entries(telemetry["functions"])
}

const together = (one: Telemetry, other: Telemetry): Telemetry => {
  const calls = Math.min(mostCalls, one.calls + other.calls)
  const share = one.calls / (one.calls + other.calls)
  const mean = (first: number, second: number) => second + (first - second) * share
  return {
    name: one.name,
    calls,
    averageSize: mean(one.averageSize, other.averageSize),
    emptyRate: Math.min(1, Math.max(0, mean(one.emptyRate, other.emptyRate)))
  }
}

/** Characters that are searched for marks in one step. Two stretches share more than a mark's length. */
const stretch = 262_144
const overlap = 64

interface Mark {
  readonly isStart: boolean
  readonly from: number
  readonly to: number
}

/** The marks in a text; `undefined` after each stretch of it. */
function* marksIn(text: string): Generator<Mark | undefined, undefined> {
  let behind = 0
  for (let from = 0; from < text.length; from += stretch) {
    for (const found of text.slice(from, from + stretch + overlap).matchAll(marker)) {
      const at = from + found.index
      // found already, in the overlap
      if (at < behind) continue
      behind = at + found[0].length
      yield { isStart: found[1] === "START", from: at, to: behind }
    }
    yield undefined
  }
  return undefined
}

/** `telemetryIn` in steps, so that other work can run between them. */
export function* telemetryInSteps(texts: ReadonlyArray<string>): Generator<void, ReadonlyArray<Telemetry>> {
  const found = new Map<string, Telemetry>()
  let left = looked
  let reports = 0
  const take = (block: string) => {
    reports++
    left -= Math.min(block.length, longestReport)
    for (const [name, value] of entriesOf(block)) {
      const entry = entryOf(name, value)
      const before = found.get(name)
      if (entry === undefined || (before === undefined && found.size >= mostFunctions)) continue
      found.set(name, before === undefined ? entry : together(before, entry))
    }
  }
  for (const text of texts) {
    reports = 0
    let open: number | undefined
    for (const mark of marksIn(text)) {
      if (reports >= mostReports || left <= 0) break
      if (mark === undefined) {
        yield
        continue
      }
      if (open !== undefined && mark.from > open) {
        take(text.slice(open, mark.from))
        yield
      }
      open = mark.isStart ? mark.to : undefined
    }
    if (open !== undefined && open < text.length && reports < mostReports && left > 0) take(text.slice(open))
  }
  return [...found.values()]
}

/**
 * What functions reported of their calls, by name; `__module__` is a file's top level. Reports stand between markers
 * anywhere in a log, and several reports of a function are added up. A truncated report counts up to its last whole
 * entry, and up to 200,000 characters. What has the wrong type or an impossible number doesn't count. Takes linear
 * time.
 */
export const telemetryIn = (texts: ReadonlyArray<string>): ReadonlyArray<Telemetry> => atOnce(telemetryInSteps(texts))
