import { Context, type Effect, type PubSub, Schema, type Scope } from "effect"
import type { Envelope, Metadata } from "../Event.ts"
import type { Position } from "../Position.ts"

/** Text that is kept beside the log, under the subject with which it is erased. */
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
  /** Subjects of the tenant that this event erases: their payloads go, and new ones are never stored. */
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

/** Events of up to so many bytes count towards a page's number of events, but not towards its bytes. */
export const smallEvent = 2_048

/** The revision that a stream must have: that of its last event, `none` if it has no events, or `any`. */
export type Expected = number | "none" | "any"

/**
 * One command's share of an append. Its id is a UUID; appending the same id again adds nothing and gets the answer of
 * the first time.
 */
export interface DecidedCommand extends Metadata {
  /** At least one. */
  readonly events: ReadonlyArray<NewEvent>
}

/** What is appended to one stream, all or nothing: commands that were decided one after the other. */
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
  /** Of each command's last event. An engine that knows only where the whole append ended gives that for each. */
  readonly positions: ReadonlyArray<Position>
  /** Milliseconds since the epoch. */
  readonly recordedAt: number
  /**
   * If the log had all of the commands already, what each led to the first time: then nothing was appended, and the
   * other fields tell of those events.
   */
  readonly before?: ReadonlyArray<ReadonlyArray<StoredEvent>>
}

/** The stream does not have the expected revision; nothing was appended. `actual` is -1 for a stream without events. */
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
 * Events in order: at least one if there is one, however big it is, and at most as many as were asked for and as the
 * store's bounds allow. A page ends with the event that fills the bounds' bytes; events of up to `smallEvent` bytes do
 * not count towards them.
 */
export interface Page {
  readonly events: ReadonlyArray<StoredEvent>
  /** Whether more may follow the last one. A page's length does not tell; an empty page is the end. */
  readonly more: boolean
  /**
   * Bytes of the texts that a page read `withoutLong` leaves out; their events come without text. A store in memory
   * leaves out nothing.
   */
  readonly left?: number
}

/** A tenant's events of one type, and where the last of them is. */
export interface EventKind {
  readonly tenant: string
  readonly type: string
  readonly last: Position
}

export interface ReadStream {
  /** The most events to give; default: 1,000. */
  readonly limit?: number
  /** About so many bytes, if that is less than the store allows. */
  readonly bytes?: number
}

/** A look at a page, before it is read whole. */
export interface PageLook {
  /** Leaves out texts that the store reads separately: `Page.left` says how many bytes they have. */
  readonly withoutLong?: boolean
}

export interface ReadAll extends ReadStream, PageLook {
  /** Only these types; all when absent. */
  readonly types?: ReadonlyArray<string>
  /** Only this tenant's; everyone's when absent. */
  readonly tenant?: string
  readonly stream?: string
  /** Only those that this key or this person of the tenant led to: who acted in other tenants can't be asked. */
  readonly actor?: string
  /** Only those that share this correlation. */
  readonly correlation?: string
  /** Only those that have a request: the first event of each command that answers one. */
  readonly requested?: true
  /** Without their texts, as though erased: for readers that don't need them and would hold megabytes. */
  readonly factsOnly?: boolean
}

/** Which events to look for, from the log's end. */
export interface Newest extends Pick<ReadAll, "types" | "tenant" | "stream" | "actor"> {
  /** At most so many. */
  readonly limit: number
  /** Only those strictly before it; all when absent. */
  readonly before?: Position
}

/**
 * The log. Positions strictly increase in commit order; a stream's revisions have no gap; a reader that goes on from
 * the last position that it saw skips nothing and sees nothing twice.
 */
export class EventStore extends Context.Service<
  EventStore,
  {
    /**
     * Stores the commands' events durably, and gives what the caller can't know. If the stream has all of the commands
     * already, it gives what they led to the first time. If it has some of them, the others were decided too early:
     * `WrongRevision`. A command belongs to one stream; each engine decides what becomes of its id in another one.
     */
    readonly append: (append: Append) => Effect.Effect<Appended, WrongRevision | StoreUnavailable>
    /**
     * All events that a command led to in its stream; none if the stream doesn't know it (or it led to none). They are
     * not paged: they came in one request, and were appended in one call.
     */
    readonly outcome: (stream: string, commandId: string) => Effect.Effect<ReadonlyArray<StoredEvent>, StoreUnavailable>
    /** A page of one stream, oldest first, after a revision (-1: from its beginning). */
    readonly readStream: (stream: string, after: number, options?: ReadStream) => Effect.Effect<Page, StoreUnavailable>
    /** A page of all streams, in commit order, strictly after a position. */
    readonly readAll: (after: Position, options?: ReadAll) => Effect.Effect<Page, StoreUnavailable>
    /** Positions of the last events, newest first, for readers that want what lies at the log's end. */
    readonly newest: (which: Newest) => Effect.Effect<ReadonlyArray<Position>, StoreUnavailable>
    /** The id of the event at a position; `undefined`: there is none, or none any more. */
    readonly eventAt: (position: Position) => Effect.Effect<string | undefined, StoreUnavailable>
    /**
     * The position of the last event, `beginning` for an empty log. Sees every append that was acknowledged before, by
     * any process.
     */
    readonly head: Effect.Effect<Position, StoreUnavailable>
    /**
     * What lies strictly after a position: where it ends (the position itself, if nothing does), and which kinds of
     * events it has.
     */
    readonly since: (
      after: Position
    ) => Effect.Effect<{ readonly head: Position; readonly kinds: ReadonlyArray<EventKind> }, StoreUnavailable>
    /**
     * A subscription that gets a message whenever there may be news: soon after each append by anyone, and now and then
     * while the log can't be reached.
     */
    readonly hints: Effect.Effect<PubSub.Subscription<void>, never, Scope.Scope>
  }
>()("engine/EventStore") {}
