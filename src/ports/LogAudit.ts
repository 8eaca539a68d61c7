import { Context, type Effect, Schema } from "effect"
import type { Envelope } from "#engine/Event.ts"
import type { Position } from "#engine/Position.ts"

/** An event as it is stored, with what tells whether it still is what was appended. */
export interface AuditedEvent extends Envelope {
  readonly data: string
  /** Whether it had text when it was appended. */
  readonly hasText: boolean
  /** Whether all of it is as it was appended; `null` when no digest was kept of it. */
  readonly intact: boolean | null
  /** The position of the event before it in its stream, when there is one. */
  readonly before: Position | null
  /** Its text as it lies beside the log: whose it is, and the salted digest of its bytes. */
  readonly text: { readonly tenant: string; readonly subject: string; readonly digest: string } | null
  /** The position at which the subject of its text was erased; `unknown` where that is not kept. */
  readonly erasedAt: Position | "unknown" | null
}

/** Events that the log must have had. */
export interface Gap {
  readonly first: Position
  readonly last: Position
  readonly count: number
}

/** The log's tables can't be read at the moment. */
export class AuditUnavailable extends Schema.TaggedError<AuditUnavailable>()("AuditUnavailable", {
  message: Schema.String
}) {}

/** The log's own tables, looked at from below. */
export class LogAudit extends Context.Service<
  LogAudit,
  {
    /** Events strictly after a position, oldest first, each as of one moment with its text. */
    readonly read: (after: Position, limit: number) => Effect.Effect<ReadonlyArray<AuditedEvent>, AuditUnavailable>
    /**
     * What is missing between two events that follow one another as they are read; a store whose positions have gaps
     * can't tell.
     */
    readonly missingBetween: (before: Position, next: Position) => Gap | undefined
    /** Likewise behind the last one, of a log that had come to a position. */
    readonly missingUpTo: (last: Position, to: Position) => Gap | undefined
    /**
     * The position of the last event that was recorded at a time (milliseconds since the epoch) or before; the
     * `beginning` for none. The log's time never goes back.
     */
    readonly at: (time: number) => Effect.Effect<Position, AuditUnavailable>
    /** Whether all events are of one clock, so that times never go back. */
    readonly oneClock: boolean
    /** Texts that no event has, and that are not to be there. */
    readonly strays: Effect.Effect<number, AuditUnavailable>
  }
>()("cairn/LogAudit") {}
