import { Context, type Effect, Schema } from "effect"
import type { Envelope } from "#engine/Event.ts"
import type { Position } from "#engine/Position.ts"
import type { Payload, StoreUnavailable } from "#engine/ports/EventStore.ts"

/** An event with all that a store has of it. */
export interface WholeEvent extends Envelope {
  readonly data: string
  /** Whether it had text when it was appended. */
  readonly hasText: boolean
  /** Its text; `null` when it had none, or its subject was erased. */
  readonly text: Payload | null
  /** What the store keeps of the whole row, its position included; `null` where it keeps none. */
  readonly digest: Uint8Array | null
}

/** The same on its way into a copy. */
export interface CopiedEvent extends WholeEvent {
  /** Subjects of the tenant whose texts go because this has happened. */
  readonly erases: ReadonlyArray<string>
}

/** Where a log lies; positions of the same event are the same in two logs in Postgres, and others anywhere else. */
export type LogEngine = "postgres" | "kurrentdb"

/** Events that follow one another, as `Page` has them. */
export interface WholePage {
  readonly events: ReadonlyArray<WholeEvent>
  readonly more: boolean
}

/** A log as a copy is read from it, and compared with it. */
export class LogSource extends Context.Service<
  LogSource,
  {
    readonly engine: LogEngine
    readonly head: Effect.Effect<Position, StoreUnavailable>
    /**
     * A page strictly after a position, in commit order, whose texts are bounded as `EventStore.readAll` bounds them.
     */
    readonly page: (after: Position) => Effect.Effect<WholePage, StoreUnavailable>
    /** The id and position of a stream's event; `undefined` when there is none. */
    readonly find: (
      stream: string,
      revision: number
    ) => Effect.Effect<{ readonly eventId: string; readonly position: Position } | undefined, StoreUnavailable>
  }
>()("cairn/LogSource") {}

/** The copy can't be begun, or go on; `message` is one line that says why and what to do, without a secret. */
export class CopyRefused extends Schema.TaggedError<CopyRefused>()("CopyRefused", { message: Schema.String }) {}

/** The last event that a copy has, and where it is in the source. */
export interface LastCopied {
  readonly position: Position
  readonly stream: string
  readonly revision: number
  readonly eventId: string
}

/**
 * A log that takes another one's events as they were: ids, order, revisions, times, digests and texts. What an event
 * erases is erased with it, and never kept again.
 */
export class LogIntake extends Context.Service<
  LogIntake,
  {
    readonly engine: LogEngine
    /** What is in for good; `undefined`: nothing. A process that was killed goes on behind it. */
    readonly last: Effect.Effect<LastCopied | undefined, StoreUnavailable>
    /**
     * Takes the events that follow on what is in, in their order. Those that are in already, because a process was
     * killed, are left as they are. Fails with `CopyRefused` where something else stands in the place of one.
     */
    readonly take: (events: ReadonlyArray<CopiedEvent>) => Effect.Effect<void, StoreUnavailable | CopyRefused>
    /** Whether an event that is in has erased a subject's texts. */
    readonly isErased: (tenant: string, subject: string) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("cairn/LogIntake") {}

/** What a database has beside its log that goes with it to another: both are Postgres, wherever their logs are. */
export class BesideLog extends Context.Service<
  BesideLog,
  {
    /** How far the source's reactions have come, by their names. */
    readonly checkpoints: Effect.Effect<ReadonlyMap<string, Position>, StoreUnavailable>
    /** Brings what is known of requests, and when keys were last seen. The same again brings what is new. */
    readonly bring: Effect.Effect<void, StoreUnavailable>
    /** Sets how far the target's reactions have come, and lets it be served; all or nothing. */
    readonly finish: (checkpoints: ReadonlyMap<string, Position>) => Effect.Effect<void, StoreUnavailable>
  }
>()("cairn/BesideLog") {}
