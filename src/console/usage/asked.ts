/** By what the usage is grouped. */
export const groups = ["day", "model", "user", "key", "workspace"] as const
export type Group = (typeof groups)[number]

export interface Asked {
  readonly by: Group
  /** Days in UTC, both included. */
  readonly since: string
  readonly until: string
}

/** Whether a text is a whole day, as addresses have it. */
export const isDay = (text: string | null): text is string => text !== null && /^20\d\d-\d\d-\d\d$/.test(text)

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** What an address asks for; by default this month, grouped by day. */
export const askedIn = (query: URLSearchParams, now: number): Asked => {
  const by = groups.find((group) => group === query.get("by")) ?? "day"
  const today = dayOf(now)
  const given = query.get("until")
  const until = isDay(given) ? given : today
  const from = query.get("since")
  return { by, since: isDay(from) && from <= until ? from : `${until.slice(0, 8)}01`, until }
}

/** The months that a click chooses: this one, and the ones before it. */
export const monthsBefore = (
  now: number,
  count: number
): ReadonlyArray<{ readonly since: string; readonly until: string }> =>
  Array.from({ length: count }, (_, index) => {
    const at = new Date(now)
    const first = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - index, 1))
    const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - index + 1, 0))
    return { since: dayOf(first.getTime()), until: index === 0 ? dayOf(now) : dayOf(last.getTime()) }
  })
