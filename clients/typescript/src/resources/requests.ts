import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** Requests that were answered in a minute. */
export interface RequestMinute {
  /** ISO 8601: when it began. */
  readonly at: string
  /** With a status below 400. */
  readonly answered: number
  /** For something of their own: 400 to 498. */
  readonly refused: number
  /** For nothing of their own: 500 and more. */
  readonly failed: number
  /** Whose caller had left before. */
  readonly left: number
}

/** How many requests a process has answered, and how. Times are ISO 8601. */
export interface RequestHistory extends Result {
  /** The process that has counted them, of several: its machine's name and its number there. */
  readonly process: string
  /** The process's start, or a day before `until`. */
  readonly since: string
  /** When it was asked. */
  readonly until: string
  /** Those in which one was answered, in their order. */
  readonly minutes: ReadonlyArray<RequestMinute>
}

export const requests: Call<RequestHistory> = {
  method: "GET",
  path: "/api/admin/requests",
  answer: json(({ process, since, until, minutes }: RequestHistory) => ({
    process,
    since,
    until,
    minutes: minutes.map(({ at, answered, refused, failed, left }) => ({ at, answered, refused, failed, left }))
  }))
}
