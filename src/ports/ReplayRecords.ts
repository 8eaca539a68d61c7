import { Context, type Effect } from "effect"
import type { Position } from "#engine/Position.ts"

/** Rows of a table in which a read model and its rebuild differ: as many as were looked at. */
export interface TableDifference {
  readonly table: string
  readonly rows: number
}

/** How far a replay is. */
export interface ReplayProgress {
  /** Up to where the new build has taken in the log, and where it is to come; `null` before it has begun. */
  readonly position: Position | null
  readonly goal: Position | null
  /** That were taken in. */
  readonly events: number
}

/** How a replay has ended. `done`: it was compared, and with `promote` put in the live one's place. */
export type ReplayOutcome = "done" | "cancelled" | "failed"

/** The last replay of a read model. */
export interface ReplayRecord extends ReplayProgress {
  /** A new one each time that it begins. */
  readonly id: string
  /** The read model; of read models as of a position the name of their schema. */
  readonly name: string
  readonly promote: boolean
  /** Whose word it was. */
  readonly key: string
  readonly startedAt: Date
  readonly endedAt: Date | null
  /** `broken_off`: nobody goes on with it, and nobody has said why. */
  readonly state: ReplayOutcome | "running" | "broken_off"
  readonly differences: ReadonlyArray<TableDifference>
  /** Why it failed. */
  readonly fault: string | null
}

/**
 * What is known of replays, in all processes on a database: one goes on at a time. Each fails while the database can't
 * be asked.
 */
export class ReplayRecords extends Context.Service<
  ReplayRecords,
  {
    readonly all: Effect.Effect<ReadonlyArray<ReplayRecord>, unknown>
    /** Notes that a replay begins; `false`: another one goes on. */
    readonly begin: (replay: Pick<ReplayRecord, "id" | "name" | "promote" | "key">) => Effect.Effect<boolean, unknown>
    /** Says that it goes on, and how far it is; `false`: it is to end. */
    readonly beat: (id: string, progress: ReplayProgress) => Effect.Effect<boolean, unknown>
    /**
     * Notes how it has ended; answers whether somebody wanted it to. What is said of one that has ended already, or was
     * begun anew, is passed over.
     */
    readonly end: (
      id: string,
      ended: ReplayProgress & Pick<ReplayRecord, "differences" | "fault"> & { readonly outcome: ReplayOutcome }
    ) => Effect.Effect<boolean, unknown>
    /** Forgets one that has ended, or was broken off. */
    readonly forget: (name: string) => Effect.Effect<void, unknown>
    /** Asks for the end of the one that goes on; `false`: none does. */
    readonly cancel: (name: string) => Effect.Effect<boolean, unknown>
  }
>()("cairn/ReplayRecords") {}
