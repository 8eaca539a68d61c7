import { Context, type Effect, type PubSub, Schema, type Scope } from "effect"
import type { Envelope, Metadata } from "../Event.ts"
import type { Position } from "../Position.ts"

/** Text that is kept beside the log, under the subject that it can be erased with. */
export interface Payload {
  readonly subject: string
  /** Random; keeps the digest in the log from giving away a short text. */
  readonly salt: Uint8Array
  readonly bytes: Uint8Array
}

/** An event on its way into the log; `data` is JSON of at most 64 KiB that holds no text of a caller. */
export interface NewEvent {
  readonly type: string
  readonly schemaVersion: number
  readonly data: string
  readonly payload: Payload | null
  /** Subjects of the tenant whose payloads go because this has happened, and are never stored again. */
  readonly erases: ReadonlyArray<string>
}

/** An event in the log; `payload` is `null` when it has none or when its subject was erased. */
export interface StoredEvent extends Envelope {
  readonly data: string
  readonly payload: Uint8Array | null
}

/** Bytes of an event's data and text. */
export const sizeOf = ({ data, payload }: Pick<StoredEvent, "data" | "payload">): number =>
  data.length + (payload?.length ?? 0)

/** Events of up to so many bytes count by their number alone. */
export const smallEvent = 2_048

/** The revision that a stream must have: that of its last event, or none at all; or whatever it has. */
export type Expected = number | "none" | "any"

/**
 * One command's share of an append: its id is a UUID, and the same one again appends nothing and is answered as the
 * first time.
 */
export interface DecidedCommand extends Metadata {
  /** At least one. */
  readonly events: ReadonlyArray<NewEvent>
}

/** What goes to one stream at once, all or nothing: commands that were decided one after the other. */
export interface Append {
  readonly tenant: string
  readonly stream: string
  readonly expected: Expected
  readonly commands: ReadonlyArray<DecidedCommand>
}

/** Where an append ended. */
export interface Appended {
  /** Of its last event. */
  readonly revision: number
  /** Of each command's last event; an engine that tells only where the whole append ended says that of each. */
  readonly positions: ReadonlyArray<Position>
  /** Milliseconds since the epoch. */
  readonly recordedAt: number
  /**
   * What each command led to the first time, where the log had all of them already: then nothing was appended, and the
   * rest tells of these.
   */
  readonly before?: ReadonlyArray<ReadonlyArray<StoredEvent>>
}

/** The stream is not where the command thought; nothing was appended. `actual` is -1 for a stream without events. */
export class WrongRevision extends Schema.TaggedError<WrongRevision>()("WrongRevision", {
  stream: Schema.String,
  expected: Schema.Union([Schema.Int, Schema.Literals(["none", "any"])]),
  actual: Schema.Int
}) {}

/** The log can't be reached, or did not say whether it has the events. Repeating the same command is safe. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  message: Schema.String
}) {}

/**
 * Events that follow one another. At least one when there is one, however big it is; at most as many as were asked for
 * and as the store's bounds allow; and none behind the one that brought the data and text of those that are not small
 * to the bounds' bytes.
 */
export interface Page {
  readonly events: ReadonlyArray<StoredEvent>
  /** Whether there may be more behind the last one: a short page does not tell, and an empty one is the end. */
  readonly more: boolean
  /**
   * Bytes of texts that are left out of it, where it was read `withoutLong`; their events have none. A store in memory
   * leaves out nothing.
   */
  readonly left?: number
}

/** Whose events there are, of which type, and where the last of them is. */
export interface EventKind {
  readonly tenant: string
  readonly type: string
  readonly last: Position
}

export interface ReadStream {
  /** At most so many events; 1,000 unless told. */
  readonly limit?: number
  /** About so many bytes, where that is less than what the store allows. */
  readonly bytes?: number
}

/** A look at a page, before it is read whole. */
export interface PageLook {
  /** Without texts that the store reads by themselves: `Page.left` tells how much they have. */
  readonly withoutLong?: boolean
}

export interface ReadAll extends ReadStream, PageLook {
  /** Only these types; all when absent. */
  readonly types?: ReadonlyArray<string>
  /** Only this tenant's; everyone's when absent. */
  readonly tenant?: string
  readonly stream?: string
  /** Only those that this key or this person of the tenant led to; nobody else's doing is looked for by who it was. */
  readonly actor?: string
  /** Only those that share this correlation. */
  readonly correlation?: string
  /** Only those that a request led to, one a command. */
  readonly requested?: true
  /** Without their texts, as though these were erased: for who has no use of them, and would hold megabytes. */
  readonly factsOnly?: boolean
}

/** Which events are looked for from the log's end. */
export interface Newest extends Pick<ReadAll, "types" | "tenant" | "stream" | "actor"> {
  /** At most so many. */
  readonly limit: number
  /** Only those strictly before it; all when absent. */
  readonly before?: Position
}

/**
 * The log. Positions strictly increase in commit order; a stream's revisions have no gap;
 * whoever reads on from the last position that they saw skips nothing and sees nothing twice.
 */
export class EventStore extends Context.Service<
  EventStore,
  {
    /**
     * Stores the commands' events durably, and answers with what the caller can't know. When the stream has all of
     * these commands already, with what they led to the first time; when it has some of them, the others were decided
     * too early: `WrongRevision`. A command is one stream's: what becomes of its id in another one is each engine's
     * own.
     */
    readonly append: (append: Append) => Effect.Effect<Appended, WrongRevision | StoreUnavailable>
    /**
     * The events that a command led to in its stream, none when it is unknown there (or led to none). Whole: they came
     * in one request, and were appended in one call.
     */
    readonly outcome: (stream: string, commandId: string) => Effect.Effect<ReadonlyArray<StoredEvent>, StoreUnavailable>
    /** A page of one stream, oldest first, after a revision (-1: from its beginning). */
    readonly readStream: (stream: string, after: number, options?: ReadStream) => Effect.Effect<Page, StoreUnavailable>
    /** A page of every stream, in commit order, strictly after a position. */
    readonly readAll: (after: Position, options?: ReadAll) => Effect.Effect<Page, StoreUnavailable>
    /** Where the last events are, the newest first: to read from there on, whoever wants what lies at the log's end. */
    readonly newest: (which: Newest) => Effect.Effect<ReadonlyArray<Position>, StoreUnavailable>
    /** The id of the event at a position; `undefined`: there is none at it, or no more. */
    readonly eventAt: (position: Position) => Effect.Effect<string | undefined, StoreUnavailable>
    /**
     * The position of the last event, `beginning` for an empty log. Sees every append that was acknowledged before,
     * anywhere.
     */
    readonly head: Effect.Effect<Position, StoreUnavailable>
    /**
     * Of all that lies strictly after a position: where it ends (the position itself, when there is nothing), and what
     * it is.
     */
    readonly since: (
      after: Position
    ) => Effect.Effect<{ readonly head: Position; readonly kinds: ReadonlyArray<EventKind> }, StoreUnavailable>
    /**
     * Gets a message whenever there may be something new: soon after each append by anyone. While the log can't be
     * reached, now and then.
     */
    readonly hints: Effect.Effect<PubSub.Subscription<void>, never, Scope.Scope>
  }
>()("cairn/EventStore") {}
