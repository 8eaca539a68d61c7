import type { Held } from "./queries.ts"
import type { KeptError } from "./runs.ts"

/** Errors that are told of a function. */
const mostErrors = 20

/** An error that went through a function. */
export interface CommonError {
  readonly type: string
  /** The type, and the message where the caller may read it. */
  readonly text: string
  readonly count: number
}

/** What is known of a function, from all snippets that hold it. */
export interface Reputation {
  readonly fingerprint: string
  readonly name: string
  readonly signature: string
  /** Runs of snippets that hold it. */
  readonly executions: number
  readonly up: number
  readonly down: number
  readonly succeededAt: Date | null
  readonly failedAt: Date | null
  /** Most frequent first; of snippets outside the scope's homes, the types alone. */
  readonly errors: ReadonlyArray<CommonError>
  /** Calls that logs told of. */
  readonly calls: number
  /** Average size of what they returned; 0 without calls. */
  readonly averageSize: number
  /** 0…1: calls that returned something; 0 without calls. */
  readonly completeness: number
  /** 0…1: share of calls beyond the first of a run. */
  readonly repeatRate: number
  readonly agent: string | null
  readonly reviewed: boolean
  readonly derivedFrom: string | null
}

const latest = (times: ReadonlyArray<Date | string | null>): Date | null => {
  const known = times.flatMap((time) => (time === null ? [] : [new Date(time).getTime()]))
  return known.length === 0 ? null : new Date(known.reduce((a, b) => Math.max(a, b)))
}

const sum = (numbers: ReadonlyArray<number>): number =>
  Math.min(
    numbers.reduce((a, b) => a + b, 0),
    Number.MAX_SAFE_INTEGER
  )

const within = (ratio: number): number => Math.min(Math.max(ratio, 0), 1)

/** From logs of snippets outside the scope's homes, only the errors' types are told: a message may say anything. */
const textOf = ({ type, message }: KeptError, own: boolean): string =>
  own && message !== "" ? `${type}: ${message}` : type

const errorsOf = (held: ReadonlyArray<Held>): ReadonlyArray<CommonError> => {
  const found = new Map<string, CommonError>()
  for (const { own, record, errors } of held) {
    for (const error of [...(record?.errors ?? []), ...(errors ?? [])]) {
      const text = textOf(error, own)
      found.set(text, { type: error.type, text, count: (found.get(text)?.count ?? 0) + error.count })
    }
  }
  return [...found.values()].sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1)).slice(0, mostErrors)
}

/**
 * A function's reputation, from the snippets of a tenant that hold it, the first one first; `shown` says how it is
 * written in the snippet that is looked at. Numbers count all of them, texts only those that the caller sees.
 */
export const reputationOf = (
  held: ReadonlyArray<Held>,
  shown: Pick<Held, "fingerprint" | "name" | "signature"> = held[0]!
): Reputation => {
  const visible = held.filter(({ seen }) => seen)
  const records = held.flatMap(({ record }) => (record === null ? [] : [record]))
  const calls = sum(records.map((record) => record.calls))
  const beyond = sum(records.map((record) => Math.max(0, record.calls - record.callers)))
  const perCall = (total: number) => (calls === 0 ? 0 : total / calls)
  return {
    fingerprint: shown.fingerprint,
    name: shown.name,
    signature: shown.signature,
    executions: sum(held.map(({ executions }) => executions)),
    up: sum(held.map(({ up }) => up)),
    down: sum(held.map(({ down }) => down)),
    succeededAt: latest(held.map(({ succeeded_at }) => succeeded_at)),
    failedAt: latest(held.flatMap(({ failed_at, record }) => [failed_at, record?.failed_at ?? null])),
    errors: errorsOf(visible),
    calls,
    averageSize: perCall(sum(records.map(({ size }) => size))),
    completeness: calls === 0 ? 0 : within(1 - perCall(sum(records.map(({ empty }) => empty)))),
    repeatRate: within(perCall(beyond)),
    agent: visible[0]?.own === true ? visible[0].agent : null,
    reviewed: held.some(({ reviewed }) => reviewed),
    derivedFrom: held.find(({ derived_from }) => derived_from !== null)?.derived_from ?? null
  }
}
