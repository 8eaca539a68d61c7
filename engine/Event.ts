import { Schema } from "effect"
import type { Position } from "./Position.ts"

/** What stands in the place of an event's text once its subject was erased. */
export const Erased = null
export type Erased = typeof Erased

/**
 * The fields `subject` and `text` of an event's schema. `text` is what a caller typed: names, prompts, sources. It is
 * kept beside the log, under the event's `subject`, so that it can be erased while the event stays. Deciders and
 * projections see the plain fields, or `Erased`.
 */
export const text = <F extends Schema.Struct.Fields>(fields: F) => ({
  /** Whose text it is: all of a subject's text is erased together. */
  subject: Schema.String,
  text: Schema.NullOr(Schema.Struct(fields))
})

/** An event of any kind: what it is called, beside its fields. */
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

/** Whether it was this key or this person, of a tenant where one is given: who others are is not told by asking. */
export const isBy = ({ key, user, organization }: Actor, who: string, tenant?: string): boolean =>
  (key === who || user === who) && (tenant === undefined || (organization ?? user) === tenant)

/**
 * A request as it is known again when it is repeated: a digest that equal ones have, how many of those came before it,
 * and the digest of what it asked for, where its caller named it.
 */
export interface RequestIdentity {
  readonly digest: string
  readonly n: number
  readonly fingerprint: string | null
  /** How its answer's `X-Request-Id` began the log's lines of it, where that is an id by its shape. */
  readonly id?: string
  /** W3C's `traceparent` under which it was carried out, where somebody traced it. */
  readonly traceparent?: string
}

/** Where events come from: of all that one command led to, but for the request. */
export interface Metadata {
  readonly actor: Actor
  readonly commandId: string
  readonly correlationId: string
  readonly causationId: string | null
  /** The request that the command answers: on the first of its events. */
  readonly request: RequestIdentity | null
}

/** What the log knows of an event beside its own fields. */
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

/** An event as it is delivered: its envelope and, decoded, itself. */
export interface Recorded<E> extends Envelope {
  readonly event: E
}
