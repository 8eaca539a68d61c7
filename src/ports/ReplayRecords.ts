import { Context, type Effect } from "effect"
import type { Position } from "#engine/Position.ts"

/** How many rows of a table differ between a read model and its rebuild, as far as they were looked at. */
export interface TableDifference {
  readonly table: string
  readonly rows: number
}

/** How far a replay is. */
export interface ReplayProgress {
  /** How far the new build has taken in the log, and how far it has to; `null` before it has begun. */
  readonly position: Position | null
  readonly goal: Position | null
  /** Events that were taken in. */
  readonly events: number
}

/** How a replay ended. `done`: it was compared and, with `promote`, took the live one's place. */
export type ReplayOutcome = "done" | "cancelled" | "failed"

/** The last replay of a read model. */
export interface ReplayRecord extends ReplayProgress {
  /** New each time that the replay begins. */
  readonly id: string
  /** The read model; for read models as of a position, the name of their schema. */
  readonly name: string
  readonly promote: boolean
  /** The key that asked for it. */
  readonly key: string
  readonly startedAt: Date
  readonly endedAt: Date | null
  /** `broken_off`: no process goes on with it, and none has said why. */
  readonly state: ReplayOutcome | "running" | "broken_off"
  readonly differences: ReadonlyArray<TableDifference>
  /** Why it failed. */
  readonly fault: string | null
}

/**
 * What is known of replays, in all processes on a database: one runs at a time. Each effect fails while the database
 * can't be asked.
 */
export class ReplayRecords extends Context.Service<
  ReplayRecords,
  {
    readonly all: Effect.Effect<ReadonlyArray<ReplayRecord>, unknown>
    /** Notes that a replay begins; `false`: another one is running. */
    readonly begin: (replay: Pick<ReplayRecord, "id" | "name" | "promote" | "key">) => Effect.Effect<boolean, unknown>
    /** Notes that a replay is running, and how far it is; `false`: it must end. */
    readonly beat: (id: string, progress: ReplayProgress) => Effect.Effect<boolean, unknown>
    /**
     * Notes how a replay ended; answers whether somebody had asked it to end. Ignores a replay that has ended already,
     * or was begun anew.
     */
    readonly end: (
      id: string,
      ended: ReplayProgress & Pick<ReplayRecord, "differences" | "fault"> & { readonly outcome: ReplayOutcome }
    ) => Effect.Effect<boolean, unknown>
    /** Forgets a replay that has ended, or was broken off. */
    readonly forget: (name: string) => Effect.Effect<void, unknown>
    /** Asks a running replay to end; `false`: none is running. */
    readonly cancel: (name: string) => Effect.Effect<boolean, unknown>
  }
>()("cairn/ReplayRecords") {}
