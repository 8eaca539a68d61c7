import { Schema } from "effect"
import type { Position } from "./Position.ts"

/**
 * The fields `subject` and `text` of an event's schema. `text` is what a caller typed: names, prompts, sources. It is
 * kept beside the log, under the event's `subject`, so that it can be erased while the event stays. Deciders and
 * projections see the plain fields, or `null` once the subject is erased.
 */
export const text = <F extends Schema.Struct.Fields>(fields: F) => ({
  /** Whose text it is: all of a subject's text is erased together. */
  subject: Schema.String,
  text: Schema.NullOr(Schema.Struct(fields))
})

/** An event of any type, which `_tag` names. */
export interface AnyEvent {
  readonly _tag: string
}

/**
 * Who did it: the key that was used, its user, its organization (`null`: none, or the operator at the command line).
 */
export interface Actor {
  readonly key: string | null
  readonly user: string | null
  readonly organization: string | null
}

/** Whether this key or user acted, in `tenant` if given: asking tells a caller nothing about other tenants. */
export const isBy = ({ key, user, organization }: Actor, who: string, tenant?: string): boolean =>
  (key === who || user === who) && (tenant === undefined || (organization ?? user) === tenant)

/**
 * What tells whether a request repeats an earlier one: a digest that equal requests share, how many equal ones came
 * before it and, if its caller named it, a digest of what it asked for.
 */
export interface RequestIdentity {
  readonly digest: string
  readonly n: number
  readonly fingerprint: string | null
  /** Its `X-Request-Id`, as its answer and the service's log lines have it, if it has the shape of an id. */
  readonly id?: string
  /** W3C's `traceparent` under which it was carried out, if it was traced. */
  readonly traceparent?: string
}

/** Where events come from. All events of a command have the same metadata, except for the request. */
export interface Metadata {
  readonly actor: Actor
  readonly commandId: string
  readonly correlationId: string
  readonly causationId: string | null
  /** The request that the command answers. In the log, only the command's first event has it. */
  readonly request: RequestIdentity | null
}

/** What the log knows of an event besides its own fields. */
export interface Envelope extends Metadata {
  readonly position: Position
  /** The organization or user that owns the stream. */
  readonly tenant: string
  readonly stream: string
  /** 0 for a stream's first event, then without a gap. */
  readonly revision: number
  readonly eventId: string
  readonly type: string
  readonly schemaVersion: number
  /** Milliseconds since the epoch. */
  readonly recordedAt: number
}

/** An event as it is delivered: its envelope and the decoded event. */
export interface Recorded<E> extends Envelope {
  readonly event: E
}
