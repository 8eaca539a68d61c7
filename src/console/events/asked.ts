import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"

/** Which events are shown, as the page's address says it; "": any. */
export interface Asked {
  readonly type: string
  readonly stream: string
  /** A key's id, or a person's. */
  readonly actor: string
  /** A position or a time; "": the log's end, followed as it grows. */
  readonly asOf: string
  /** Whether they are shown from the log's beginning, and not from its end backwards. */
  readonly oldest: boolean
}

/** The events that an address asks for. */
export const askedIn = (query: URLSearchParams): Asked => {
  const given = (name: string) => query.get(name)?.trim() ?? ""
  return {
    type: given("type"),
    stream: given("stream"),
    actor: given("actor"),
    asOf: given("as_of"),
    oldest: query.get("order") === "oldest"
  }
}

/** The query of an address that asks for these events. */
export const queryOf = ({ type, stream, actor, asOf, oldest }: Asked) => ({
  type,
  stream,
  actor,
  as_of: asOf,
  order: oldest ? "oldest" : ""
})

/** Whether a new event is one of those that are shown. */
export const isAsked = ({ type, stream, actor }: Asked, event: RecordedEvent): boolean =>
  (type === "" || event.type === type) &&
  (stream === "" || event.stream === stream) &&
  (actor === "" || event.actor.keyId === actor || event.actor.userId === actor)

/**
 * Where to jump, as the service takes it: a position, or a time. A time without a zone is in the reader's.
 */
export const placeIn = (given: string): string => {
  const text = given.trim()
  if (/^(?:[a-z]{4}-)?\d{1,15}$/.test(text) || !/^\d{4}-\d\d-\d\d/.test(text)) return text
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return new Date(`${text}T00:00:00`).toISOString()
  const time = new Date(text.replace(" ", "T"))
  return Number.isNaN(time.getTime()) ? text : time.toISOString()
}
