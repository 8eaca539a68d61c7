import { Flag } from "effect/cli"
import { type UsageGroup, usageGroups } from "#domain/bounded.ts"
import { table } from "./output.ts"

const day = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("DAY"),
    Flag.withDescription(description),
    Flag.filter(
      (text) => /^20\d{2}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
      () => "expected a day like 2026-11-23"
    ),
    Flag.optional
  )

/** The flags that say which usage is asked for. */
export const asked = {
  by: Flag.Literals("by", usageGroups).pipe(
    Flag.withDescription("What each line is for (default: day)"),
    Flag.withDefault("day" as const)
  ),
  since: day("since", "The first day, in UTC (default: the first of the month)"),
  until: day("until", "The last day; today unless given")
}

interface Used {
  readonly of: string
  readonly chats: number
  readonly turns: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  /** US dollars; `null`: no prices are known. */
  readonly cost: number | null
}

interface Spent {
  readonly key_id: string | null
  readonly bound: string
  readonly used: number
  readonly limit: number
  readonly resets_at: string
}

interface StorageBound {
  readonly key_id: string | null
  readonly bound: string
  readonly used: number
  readonly limit: number
}

/** A report of usage, for people. */
export interface UsageToShow {
  readonly usage: ReadonlyArray<Used>
  readonly total: Omit<Used, "of">
  readonly bounds: ReadonlyArray<Spent>
  /** Missing from an older service's answer. */
  readonly stored?: {
    readonly snippets: number
    readonly repository_bytes: number
    readonly bounds: ReadonlyArray<StorageBound>
  }
}

/** With four decimals, or with three significant digits if four decimals can't show it. */
const dollars = (cost: number | null) => {
  if (cost === null) return null
  return cost === 0 || cost >= 0.0001 ? cost.toFixed(4) : cost.toLocaleString("en", { maximumSignificantDigits: 3 })
}

/** Usage as lines of a table, with its bounds below. */
export const usageTable = (by: UsageGroup, { usage, total, bounds, stored }: UsageToShow): ReadonlyArray<string> => [
  ...table(
    [by, "chats", "turns", "input", "output", "cache read", "cache write", "US$"],
    [...usage, { of: "total", ...total }].map((row) => [
      row.of,
      row.chats,
      row.turns,
      row.input_tokens,
      row.output_tokens,
      row.cache_read_tokens,
      row.cache_write_tokens,
      dollars(row.cost)
    ])
  ),
  ...(bounds.length === 0
    ? []
    : table(
        ["key", "bound", "used", "limit", "resets at"],
        bounds.map((one) => [one.key_id ?? "(all)", one.bound, one.used, one.limit, one.resets_at])
      )),
  ...(stored === undefined
    ? []
    : [
        `${stored.snippets} snippets stored, ${stored.repository_bytes} bytes committed to workspaces`,
        ...(stored.bounds.length === 0
          ? []
          : table(
              ["key", "bound", "used", "limit"],
              stored.bounds.map((one) => [one.key_id ?? "(all)", one.bound, one.used, one.limit])
            ))
      ])
]
