import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** Which time is counted. */
export interface ActivityParams {
  /** ISO 8601. Default: a day before `until`. */
  readonly since?: string | undefined
  /** ISO 8601. Default: now. */
  readonly until?: string | undefined
}

/** What happened in an hour. */
export interface ActivityHour {
  /** ISO 8601: when it began. */
  readonly at: string
  /** Searches that were answered. */
  readonly searches: number
  /** Snippets that were stored. */
  readonly uploads: number
  /** Votes for snippets. */
  readonly votesFor: number
  /** Votes against snippets. */
  readonly votesAgainst: number
  /** Runs of code that agents told of. */
  readonly executions: number
  /** Comments that were added. */
  readonly comments: number
  /** Chats that were asked for. */
  readonly chats: number
  /** Also those that were stopped. */
  readonly chatsFailed: number
}

/** How much happened in the organization. */
export interface Activity extends Result {
  /** ISO 8601: the beginning of the first hour that is counted. */
  readonly since: string
  /** ISO 8601. */
  readonly until: string
  /** Those in which something happened, in their order. */
  readonly hours: ReadonlyArray<ActivityHour>
  /** Gradings that were asked for and are not done yet. */
  readonly pendingGradings: number
}

interface Wire {
  readonly since: string
  readonly until: string
  readonly hours: ReadonlyArray<{
    readonly at: string
    readonly searches: number
    readonly uploads: number
    readonly votes_for: number
    readonly votes_against: number
    readonly executions: number
    readonly comments: number
    readonly chats: number
    readonly chats_failed: number
  }>
  readonly pending_gradings: number
}

export const activity = ({ since, until }: ActivityParams): Call<Activity> => ({
  method: "GET",
  path: "/api/activity",
  query: { since, until },
  answer: json((wire: Wire) => ({
    since: wire.since,
    until: wire.until,
    hours: wire.hours.map((hour) => ({
      at: hour.at,
      searches: hour.searches,
      uploads: hour.uploads,
      votesFor: hour.votes_for,
      votesAgainst: hour.votes_against,
      executions: hour.executions,
      comments: hour.comments,
      chats: hour.chats,
      chatsFailed: hour.chats_failed
    })),
    pendingGradings: wire.pending_gradings
  }))
})
