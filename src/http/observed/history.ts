import { hostname } from "node:os"
import { Context, Layer } from "effect"

/** How requests were answered in a minute, by what their status says. */
export interface MinuteOfRequests {
  /** Milliseconds since the epoch: when it began. */
  readonly at: number
  /** With what was asked for, or where to find it: a status below 400. */
  readonly answered: number
  /** For a fault of the request's own: 400 to 498. */
  readonly refused: number
  /** For no fault of the request's own: 500 and more. */
  readonly failed: number
  /** The client had left before the answer. */
  readonly left: number
}

/** The status of a request whose client had left (nginx's number for it). */
export const left = 499

const minute = 60_000
/** Minutes that are kept: a day. */
const kept = 1_440

type Kind = Exclude<keyof MinuteOfRequests, "at">

const kindOf = (status: number): Kind => {
  if (status < 400) return "answered"
  if (status === left) return "left"
  return status < 500 ? "refused" : "failed"
}

/** Counts a process's requests of the last day, by minute and kind. Its size is bounded, whatever comes. */
export const makeRequestHistory = (began: number) => {
  const minutes = new Map<number, { -readonly [name in keyof MinuteOfRequests]: number }>()
  /** When the day before a time begins. Counts need not come in the order of their times. */
  const since = (now: number) => Math.floor(now / minute) * minute - (kept - 1) * minute
  return {
    /** Of several processes each counts its own. */
    process: `${hostname()}:${process.pid}`,
    count: (status: number, now: number): void => {
      const at = Math.floor(now / minute) * minute
      const found = minutes.get(at) ?? { at, answered: 0, refused: 0, failed: 0, left: 0 }
      found[kindOf(status)] += 1
      minutes.set(at, found)
      if (minutes.size > kept) for (const old of minutes.keys()) if (old < since(now)) minutes.delete(old)
    },
    /** Minutes that are held. */
    size: () => minutes.size,
    /** Since when it tells, and the minutes in which a request was answered, in order. */
    told: (now: number): { readonly since: number; readonly minutes: ReadonlyArray<MinuteOfRequests> } => ({
      since: Math.max(began, since(now)),
      minutes: [...minutes.values()].filter(({ at }) => at >= since(now)).sort((one, other) => one.at - other.at)
    })
  }
}

/** What this process has answered in its last day. */
export class RequestHistory extends Context.Service<RequestHistory, ReturnType<typeof makeRequestHistory>>()(
  "cairn/RequestHistory"
) {
  static readonly layer = Layer.sync(RequestHistory, () => makeRequestHistory(Date.now()))
}
