import type { EventActor, RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { type Bin, totalOf } from "../overview/bins.ts"

type Data = RecordedEvent["data"]

const textOf = ({ text }: Data, name: string): string => {
  const value =
    typeof text === "object" && text !== null ? (text as { readonly [name: string]: unknown })[name] : undefined
  return typeof value === "string" ? value : ""
}

/** A vote as the log has it. */
export interface Vote {
  readonly position: string
  readonly at: string
  readonly isFor: boolean
  /** How many votes it counts as. */
  readonly count: number
  /** `grading`: the service's own; otherwise the name that its caller gave. */
  readonly source: string
  readonly by: EventActor
  /** For which task, and why; "": that was not said, or was erased. */
  readonly task: string
  readonly reason: string
}

/** The votes among a snippet's events, in their order. */
export const votesIn = (events: ReadonlyArray<RecordedEvent>): ReadonlyArray<Vote> =>
  events
    .filter(({ type }) => type === "VoteCast")
    .map(({ data, position, recordedAt, actor }) => ({
      position,
      at: recordedAt,
      isFor: data["value"] === 1,
      count: Number(data["count"]),
      source: typeof data["request"] === "string" ? "grading" : textOf(data, "origin") || String(data["source"]),
      by: actor,
      task: textOf(data, "task"),
      reason: textOf(data, "reason")
    }))

/** An AI grading that was asked for, and its result. */
export interface Grading {
  readonly position: string
  readonly at: string
  readonly count: number
  readonly is: "pending" | "for" | "against" | "failed" | "expired"
  /** The model's reason, or the fault's message; "": there is none, or it was erased. */
  readonly reason: string
}

const outcomeOf = ({ type, data }: RecordedEvent): Pick<Grading, "is" | "reason"> => {
  if (type === "GradingFailed") return { is: "failed", reason: textOf(data, "error") }
  if (type === "GradingCancelled") return { is: "expired", reason: "" }
  return { is: data["value"] === 1 ? "for" : "against", reason: textOf(data, "reason") }
}

/** The gradings among a snippet's events, in the order in which they were asked for. */
export const gradingsIn = (events: ReadonlyArray<RecordedEvent>): ReadonlyArray<Grading> => {
  const ends = new Map(
    events
      .filter(({ type, data }) => type !== "VoteRequested" && typeof data["request"] === "string")
      .map((event) => [event.data["request"], event])
  )
  return events
    .filter(({ type }) => type === "VoteRequested")
    .map(({ data, position, recordedAt }) => {
      const end = ends.get(data["request"])
      const outcome = end === undefined ? ({ is: "pending", reason: "" } as const) : outcomeOf(end)
      return { position, at: recordedAt, count: Number(data["count"]), ...outcome }
    })
}

const day = 86_400_000
/** The fewest and the most bars of a chart. With few, it begins before the first vote. */
const [fewestBins, mostBins] = [7, 30]
const label = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" })

/** Votes from the first one until now: a bar for each day, or for several days if there would be too many bars. */
export const binsOf = (votes: ReadonlyArray<Vote>, now: number): ReadonlyArray<Bin> => {
  const week = new Date(now)
  week.setDate(week.getDate() - fewestBins + 1)
  const first = new Date(Math.min(Date.parse(votes[0]?.at ?? week.toISOString()), week.getTime()))
  first.setHours(0, 0, 0, 0)
  const today = new Date(now)
  today.setHours(0, 0, 0, 0)
  // two midnights may be 23 or 25 hours apart
  const days = Math.round((today.getTime() - first.getTime()) / day) + 1
  const stretch = Math.ceil(days / mostBins)
  return Array.from({ length: Math.ceil(days / stretch) }, (_, index) => {
    const [from, end] = [new Date(first), new Date(first)]
    // by the calendar, because a day may have 23 hours
    from.setDate(first.getDate() + index * stretch)
    end.setDate(first.getDate() + (index + 1) * stretch)
    const inside = votes.filter(({ at }) => Date.parse(at) >= from.getTime() && Date.parse(at) < end.getTime())
    const sum = (isFor: boolean) =>
      inside.filter((vote) => vote.isFor === isFor).reduce((sum, { count }) => sum + count, 0)
    return {
      from,
      label: label.format(from),
      counts: { ...totalOf([]), votesFor: sum(true), votesAgainst: sum(false) }
    }
  })
}
