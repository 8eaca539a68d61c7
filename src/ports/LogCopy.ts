import { Context, type Effect, Schema } from "effect"
import type { Envelope } from "#engine/Event.ts"
import type { Position } from "#engine/Position.ts"
import type { Payload, StoreUnavailable } from "#engine/ports/EventStore.ts"

/** An event with all that a store has of it. */
export interface WholeEvent extends Envelope {
  readonly data: string
  /** Whether it had text when it was appended. */
  readonly hasText: boolean
  /** Its text; `null` if it had none, or its subject was erased. */
  readonly text: Payload | null
  /** What the store keeps of the whole row, its position included; `null` if it keeps none. */
  readonly digest: Uint8Array | null
}

/** An event on its way into a copy. */
export interface CopiedEvent extends WholeEvent {
  /** Subjects of the tenant whose texts this event erases. */
  readonly erases: ReadonlyArray<string>
}

/** The engine of a log. Two logs in Postgres have the same positions for the same events; any other two do not. */
export type LogEngine = "postgres" | "kurrentdb"

/** Events that follow one another, as `Page` has them. */
export interface WholePage {
  readonly events: ReadonlyArray<WholeEvent>
  readonly more: boolean
}

/** A log that a copy is read from and compared with. */
export class LogSource extends Context.Service<
  LogSource,
  {
    readonly engine: LogEngine
    readonly head: Effect.Effect<Position, StoreUnavailable>
    /** A page strictly after a position, in commit order. Its texts are bounded as `EventStore.readAll` bounds them. */
    readonly page: (after: Position) => Effect.Effect<WholePage, StoreUnavailable>
    /** The id and position of a stream's event; `undefined` if there is none. */
    readonly find: (
      stream: string,
      revision: number
    ) => Effect.Effect<{ readonly eventId: string; readonly position: Position } | undefined, StoreUnavailable>
  }
>()("cairn/LogSource") {}

/** The copy can't be begun, or go on; `message` is one line that says why and what to do, without a secret. */
export class CopyRefused extends Schema.TaggedError<CopyRefused>()("CopyRefused", { message: Schema.String }) {}

/** The last event that a copy has, with its position in the source. */
export interface LastCopied {
  readonly position: Position
  readonly stream: string
  readonly revision: number
  readonly eventId: string
}

/**
 * A log that takes another log's events as they were: ids, order, revisions, times, digests and texts. What an event
 * erases is erased when the event is taken, and never kept again.
 */
export class LogIntake extends Context.Service<
  LogIntake,
  {
    readonly engine: LogEngine
    /** The last event that is in for good; `undefined` if none is. A copy that was killed goes on behind it. */
    readonly last: Effect.Effect<LastCopied | undefined, StoreUnavailable>
    /**
     * Takes the events that follow those that are in, in their order. Events that are in already, because a process was
     * killed, stay as they are. Fails with `CopyRefused` if something else stands in the place of one.
     */
    readonly take: (events: ReadonlyArray<CopiedEvent>) => Effect.Effect<void, StoreUnavailable | CopyRefused>
    /** Whether an event that is in has erased a subject's texts. */
    readonly isErased: (tenant: string, subject: string) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("cairn/LogIntake") {}

/** What was erased after a backup was made, and is to be erased again where that was restored. */
export interface ErasuresLeft {
  readonly organizations: ReadonlyArray<string>
  readonly workspaces: ReadonlyArray<{
    readonly tenant: string
    readonly workspace: string
    readonly generation: number
  }>
  /** The time up to which it is known what was erased. */
  readonly until: string
}

/** Whether a restore asks: nobody else may open a copy that has erasures left. */
export const Restoring = Context.Reference<boolean>("cairn/Restoring", { defaultValue: () => false })

/** What a database has beside its log and takes along to another. Both are Postgres, wherever their logs are. */
export class BesideLog extends Context.Service<
  BesideLog,
  {
    /** How far the source's reactions have come, by their names. */
    readonly checkpoints: Effect.Effect<ReadonlyMap<string, Position>, StoreUnavailable>
    /** Brings what is known of requests, and when keys were last seen. Another call brings what is new. */
    readonly bring: Effect.Effect<void, StoreUnavailable>
    /**
     * Sets how far the target's reactions have come, and lets the target be served; all or nothing. Where erasures are
     * left, notes them instead of that: nobody serves the target before `erased`.
     */
    readonly finish: (checkpoints: ReadonlyMap<string, Position>) => Effect.Effect<void, StoreUnavailable>
    /** The erasures that are left in the target, whose log is whole; `undefined`: none are. */
    readonly left: Effect.Effect<ErasuresLeft | undefined, StoreUnavailable>
    /** Notes that none are left any more, and lets the target be served. */
    readonly erased: Effect.Effect<void, StoreUnavailable>
  }
>()("cairn/BesideLog") {}
