import { Context, type Effect, Schema } from "effect"
import type { Envelope } from "#engine/Event.ts"
import type { Position } from "#engine/Position.ts"

/** An event as it is stored, with what shows whether it is still what was appended. */
export interface AuditedEvent extends Envelope {
  readonly data: string
  /** Whether it had text when it was appended. */
  readonly hasText: boolean
  /** Whether all of it is as it was appended; `null` if no digest of it was kept. */
  readonly intact: boolean | null
  /** The position of the event before it in its stream, if there is one. */
  readonly before: Position | null
  /** Its text beside the log: tenant and subject, and the salted digest of its bytes. */
  readonly text: { readonly tenant: string; readonly subject: string; readonly digest: string } | null
  /** The position at which the subject of its text was erased; `unknown` if that is not kept. */
  readonly erasedAt: Position | "unknown" | null
}

/** Events that the log must have had and that are missing. */
export interface Gap {
  readonly first: Position
  readonly last: Position
  readonly count: number
}

/** The log's tables can't be read at the moment. */
export class AuditUnavailable extends Schema.TaggedError<AuditUnavailable>()("AuditUnavailable", {
  message: Schema.String
}) {}

/** The log's own tables, read directly. */
export class LogAudit extends Context.Service<
  LogAudit,
  {
    /** Events strictly after a position, oldest first, each read with its text as of one moment. */
    readonly read: (after: Position, limit: number) => Effect.Effect<ReadonlyArray<AuditedEvent>, AuditUnavailable>
    /**
     * What is missing between two events that were read one after the other. A store whose positions have gaps can't
     * tell.
     */
    readonly missingBetween: (before: Position, next: Position) => Gap | undefined
    /** What is missing after the last event, of a log that had come to `to`. */
    readonly missingUpTo: (last: Position, to: Position) => Gap | undefined
    /**
     * The position of the last event before the first one that was recorded after a time (milliseconds since the
     * epoch); `beginning` if there is none.
     */
    readonly at: (time: number) => Effect.Effect<Position, AuditUnavailable>
    /** Behind this position one clock has stamped all events, so that times never go back; `undefined`: nowhere. */
    readonly oneClockBehind: Effect.Effect<Position | undefined, AuditUnavailable>
    /** How many texts no event has; there should be none. */
    readonly strays: Effect.Effect<number, AuditUnavailable>
  }
>()("cairn/LogAudit") {}
