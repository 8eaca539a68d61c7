import type { ActivityHour } from "../../../clients/typescript/src/index.ts"

/** How far back the charts go. */
export type Range = "day" | "week" | "month"

const hour = 3_600_000
const days = { day: 1, week: 7, month: 30 } as const

/** The range that an address asks for. */
export const rangeIn = (query: URLSearchParams): Range => {
  const given = query.get("range")
  return given === "week" || given === "month" ? given : "day"
}

/** When a range begins that ends at `now`. */
export const sinceOf = (range: Range, now: number): Date => {
  if (range === "day") return new Date(now - 23 * hour)
  const first = new Date(now)
  first.setHours(0, 0, 0, 0)
  first.setDate(first.getDate() - days[range] + 1)
  return first
}

export interface Bin {
  readonly from: Date
  readonly label: string
  readonly counts: Omit<ActivityHour, "at">
}

const none: Bin["counts"] = {
  searches: 0,
  uploads: 0,
  votesFor: 0,
  votesAgainst: 0,
  executions: 0,
  comments: 0,
  chats: 0,
  chatsFailed: 0
}

const added = (one: Bin["counts"], other: Bin["counts"]): Bin["counts"] =>
  Object.fromEntries(
    (Object.keys(none) as ReadonlyArray<keyof Bin["counts"]>).map((kind) => [kind, one[kind] + other[kind]])
  ) as unknown as Bin["counts"]

/** The sum of several counts. */
export const totalOf = (all: ReadonlyArray<Bin["counts"]>): Bin["counts"] => all.reduce(added, none)

const clock = new Intl.DateTimeFormat("en", { weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
const day = new Intl.DateTimeFormat("en", { weekday: "short", day: "numeric", month: "short" })

/** The hours of a day, or days in the reader's zone, with those in which nothing happened. */
export const binsOf = (range: Range, now: number, hours: ReadonlyArray<ActivityHour>): ReadonlyArray<Bin> => {
  const starts: Array<Date> = []
  const since = sinceOf(range, now)
  if (range === "day") since.setMinutes(0, 0, 0)
  for (const at = since; at.getTime() <= now; ) {
    starts.push(new Date(at))
    if (range === "day") at.setTime(at.getTime() + hour)
    else at.setDate(at.getDate() + 1)
  }
  return starts.map((from, index) => {
    const end = starts[index + 1]?.getTime() ?? Number.POSITIVE_INFINITY
    const inside = hours.filter(({ at }) => Date.parse(at) >= from.getTime() && Date.parse(at) < end)
    return { from, label: (range === "day" ? clock : day).format(from), counts: totalOf(inside) }
  })
}
