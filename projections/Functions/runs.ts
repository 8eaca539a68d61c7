import { meanings, type NamedFunction } from "#domain/functions/attribution.ts"
import type { Observed } from "#domain/Snippet/commands.ts"
import type { FoundFunction } from "#domain/Snippet/events.ts"

/** An error from logs, as it is kept: on one line. */
export interface KeptError {
  readonly type: string
  readonly message: string
  readonly count: number
}

/** What the runs of a snippet tell of one of its functions. */
export interface FunctionRecord extends NamedFunction {
  /** Calls that logs told of. */
  readonly calls: number
  /** Size of what all of them together returned. */
  readonly size: number
  /** Calls that returned nothing; a sum of rates, so not always a whole number. */
  readonly empty: number
  /** Runs that called it. */
  readonly callers: number
  /** ISO 8601: the last failed run whose errors went through it. */
  readonly failed_at: string | null
  readonly errors: ReadonlyArray<KeptError>
}

/** One run, as people are shown it. */
export interface KeptRun {
  /** ISO 8601. */
  readonly at: string
  readonly succeeded: boolean
  /** Calls of each function that the logs told of, by its fingerprint. */
  readonly calls: { readonly [fingerprint: string]: number }
  readonly errors: ReadonlyArray<Omit<KeptError, "count"> & { readonly functions: ReadonlyArray<string> }>
}

/** What the runs of a snippet tell of its functions. */
export interface RunsRow {
  readonly id: string
  readonly executions: number
  readonly succeeded_at: string | null
  /** The last failed run whose errors went through none of the functions. */
  readonly failed_at: string | null
  readonly functions: { readonly [fingerprint: string]: FunctionRecord }
  /** Errors that went through none of the functions. */
  readonly errors: ReadonlyArray<KeptError>
  /** The latest runs, oldest first. */
  readonly recent: ReadonlyArray<KeptRun>
}

/** Errors that are kept of one function, and of all functions of a snippet together: at least one of each. */
const errorsKept = 20
const errorsOfAll = 1_000
const runsKept = 10
const errorsOfRun = 5
/** Characters of an error's message. */
const longest = 300

/** A text from a log on one line, without invisible characters. */
const oneLine = (text: string, length: number): string =>
  text
    .slice(0, 4 * length)
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, length)
    .toWellFormed()

/** Keeps a sum a safe number: a log may claim any size. */
const bounded = (value: number): number =>
  Number.isNaN(value) ? 0 : Math.min(Math.max(value, 0), Number.MAX_SAFE_INTEGER)

/** The row of a snippet whose functions are known and that nobody has run. */
export const noRuns = (id: string, functions: ReadonlyArray<FoundFunction>): RunsRow => ({
  id,
  executions: 0,
  succeeded_at: null,
  failed_at: null,
  errors: [],
  recent: [],
  functions: Object.fromEntries(
    functions.map(({ fingerprint, name, signature }) => [
      fingerprint,
      // a whole file is not declared anywhere: its name is its signature
      {
        fingerprint,
        name,
        isFile: signature === name,
        calls: 0,
        size: 0,
        empty: 0,
        callers: 0,
        failed_at: null,
        errors: []
      }
    ])
  )
})

/** Counts an error once more. If too many are kept, the rarest goes; of several, the one that was seen longest ago. */
const withError = (
  errors: ReadonlyArray<KeptError>,
  { type, message }: Omit<KeptError, "count">,
  most: number = errorsKept
) => {
  const known = errors.find((one) => one.type === type && one.message === message)
  const others = errors.filter((one) => one !== known)
  if (others.length >= most) {
    const fewest = Math.min(...others.map(({ count }) => count))
    others.splice(
      others.findIndex(({ count }) => count === fewest),
      1
    )
  }
  return [...others, { type, message, count: bounded((known?.count ?? 0) + 1) }]
}

/** Adds a run to what is known. */
export const withRun = (row: RunsRow, at: string, succeeded: boolean, { telemetry, errors }: Observed): RunsRow => {
  const records = new Map(Object.entries(row.functions))
  const meant = meanings([...records.values()])
  const each = Math.max(1, Math.min(errorsKept, Math.floor(errorsOfAll / records.size)))

  const calls = new Map<string, { calls: number; size: number; empty: number }>()
  for (const told of telemetry) {
    const { averageSize, emptyRate } = told
    const count = Math.floor(bounded(told.calls))
    if (count === 0) continue
    for (const { fingerprint } of meant(told.name)) {
      const sum = calls.get(fingerprint) ?? { calls: 0, size: 0, empty: 0 }
      sum.calls += count
      sum.size += bounded(count * averageSize)
      sum.empty += count * Math.min(bounded(emptyRate), 1)
      calls.set(fingerprint, sum)
    }
  }
  for (const [fingerprint, sum] of calls) {
    const record = records.get(fingerprint)!
    records.set(fingerprint, {
      ...record,
      calls: bounded(record.calls + sum.calls),
      size: bounded(record.size + sum.size),
      empty: bounded(record.empty + sum.empty),
      callers: record.callers + 1
    })
  }

  let loose = row.errors
  const blamed = new Set<string>()
  const told: Array<KeptRun["errors"][number]> = []
  for (const { type, message, functions } of errors) {
    const error = { type: oneLine(type, 100) || "Error", message: oneLine(message, longest) }
    const through = new Set(functions.flatMap((name) => meant(name).map(({ fingerprint }) => fingerprint)))
    if (through.size === 0) loose = withError(loose, error)
    for (const fingerprint of through) {
      blamed.add(fingerprint)
      const record = records.get(fingerprint)!
      records.set(fingerprint, { ...record, errors: withError(record.errors, error, each) })
    }
    if (told.length < errorsOfRun) told.push({ ...error, functions: [...through] })
  }
  if (!succeeded) {
    for (const fingerprint of blamed) records.set(fingerprint, { ...records.get(fingerprint)!, failed_at: at })
  }

  const run: KeptRun = {
    at,
    succeeded,
    errors: told,
    calls: Object.fromEntries([...calls].map(([fingerprint, sum]) => [fingerprint, bounded(sum.calls)]))
  }
  return {
    id: row.id,
    executions: row.executions + 1,
    succeeded_at: succeeded ? at : row.succeeded_at,
    failed_at: !succeeded && blamed.size === 0 ? at : row.failed_at,
    functions: Object.fromEntries(records),
    errors: loose,
    recent: [...row.recent, run].slice(-runsKept)
  }
}
