import { Context, type Effect, type PubSub, Schema, type Scope } from "effect"
import type { AnyEvent, Recorded } from "../Event.ts"
import type { Position } from "../Position.ts"
import type { Projection } from "../Projection.ts"

/** One build of a projection's tables, and how far it has come. */
export interface Build {
  readonly projection: Projection
  /** Its number among the builds of the projection, from 1. */
  readonly build: number
  readonly position: Position
  /** Whether it was the live build, which is the one that is read. A change of this counts as a move. */
  readonly live: boolean
}

/** How far a live read model has come: up to `position`. No event after `changed` has changed a row. */
export interface Checkpoint {
  readonly position: Position
  readonly changed: Position
}

/** Another process has moved the read model, or put another build in its place: look again. */
export class BuildMoved extends Schema.TaggedError<BuildMoved>()("BuildMoved", { name: Schema.String }) {}

/** The read models can't be reached, or one of them was replaced just now. Asking again may help. */
export class ReadModelsUnavailable extends Schema.TaggedError<ReadModelsUnavailable>()("ReadModelsUnavailable", {
  message: Schema.String
}) {}

/** A read model of a projection that this code doesn't have: it belongs to an earlier or a later version. */
export interface Other {
  readonly name: string
  readonly version: number
  readonly position: Position
}

/**
 * A row in which two builds differ, as JSON from each; `null`: the build does not have it. Rows that would make the
 * answer too big come as their ids alone.
 */
export interface Difference {
  readonly table: string
  readonly id: string
  readonly live: string | null
  readonly rebuilt: string | null
}

/** A kept copy of a read model's table. */
export interface Kept {
  readonly table: string
  /** Its name in SQL, with the schema. */
  readonly name: string
  readonly rows: number
}

/** Two builds at one position. */
export interface Met {
  readonly live: Build
  readonly rebuilt: Build
}

/** How far a reaction is to be moved on. */
export interface Advance {
  readonly name: string
  readonly from: Position
  readonly to: Position
}

/** Where read models are kept. A build's rows and its position move in one transaction. */
export class ReadModels extends Context.Service<
  ReadModels,
  {
    /** The live build; an empty one is made if there is none. */
    readonly live: (projection: Projection) => Effect.Effect<Build, ReadModelsUnavailable>
    /** A new, empty build beside the live one; any other build is dropped. */
    readonly begin: (projection: Projection) => Effect.Effect<Build, ReadModelsUnavailable>
    /**
     * Applies events to builds that stand at one position, and moves them all to `to`: all or nothing, and nothing if
     * one of them stands elsewhere. A crash may lose rows and move together: then both are done again.
     */
    readonly apply: (
      builds: ReadonlyArray<Build>,
      events: ReadonlyArray<Recorded<AnyEvent>>,
      to: Position
    ) => Effect.Effect<ReadonlyArray<Build>, BuildMoved | ReadModelsUnavailable>
    /**
     * Holds the live build where it is until `bring` has brought another one to its position, then compares both in one
     * snapshot. Gives the first differences, at most `limit` per table. The live build waits for `bring` only, and
     * readers never wait.
     */
    readonly compare: <E, R>(
      projection: Projection,
      bring: (live: Build) => Effect.Effect<Build, E, R>,
      limit: number
    ) => Effect.Effect<Met & { readonly differences: ReadonlyArray<Difference> }, E | ReadModelsUnavailable, R>
    /** Likewise, but puts the other build in the live one's place; readers of the old one go on until it is dropped. */
    readonly promote: <E, R>(
      projection: Projection,
      bring: (live: Build) => Effect.Effect<Build, E, R>
    ) => Effect.Effect<Met, E | ReadModelsUnavailable, R>
    /**
     * Copies the tables of a build that is not live to `<model>_<table>` in a schema of their own, and removes the
     * build. Tables of an earlier copy are replaced.
     */
    readonly keep: (
      build: Build,
      schema: string
    ) => Effect.Effect<ReadonlyArray<Kept>, BuildMoved | ReadModelsUnavailable>
    /** Removes such a schema; `false` when there is none. */
    readonly forget: (schema: string) => Effect.Effect<boolean, ReadModelsUnavailable>
    /**
     * The builds that are not live: those that somebody makes, and those that a process has left which was killed while
     * it made them. Their projections have no tables.
     */
    readonly unfinished: Effect.Effect<ReadonlyArray<Build>, ReadModelsUnavailable>
    /** Removes a build that is not live. */
    readonly drop: (build: Build) => Effect.Effect<void, ReadModelsUnavailable>
    /**
     * How far the live builds of projections have come, by schema name, all in one look; a build that was never made is
     * absent.
     */
    readonly checkpoints: (
      projections: ReadonlyArray<Projection>
    ) => Effect.Effect<ReadonlyMap<string, Checkpoint>, ReadModelsUnavailable>
    /** The read models that belong to none of these projections. */
    readonly others: (
      projections: ReadonlyArray<Projection>
    ) => Effect.Effect<ReadonlyArray<Other>, ReadModelsUnavailable>
    /** Removes such a read model with its rows; `false` if it stands elsewhere by now: a process moves it on. */
    readonly retire: (other: Other) => Effect.Effect<boolean, ReadModelsUnavailable>
    /** How far a reaction has come: `beginning` for a new one. */
    readonly reaction: (name: string) => Effect.Effect<Position, ReadModelsUnavailable>
    /** Moves a reaction on; `false` when it does not stand at `from`. */
    readonly advance: (name: string, from: Position, to: Position) => Effect.Effect<boolean, ReadModelsUnavailable>
    /** The same for several, in one go; gives the names of those that stood at `from`. */
    readonly advanceAll: (advances: ReadonlyArray<Advance>) => Effect.Effect<ReadonlySet<string>, ReadModelsUnavailable>
    /**
     * Tells other processes, if there are any, which read models this one has moved on, by schema name. A message may
     * be lost.
     */
    readonly tell: (names: ReadonlyArray<string>) => Effect.Effect<void>
    /** A subscription to what other processes tell, one name per message. */
    readonly told: Effect.Effect<PubSub.Subscription<string>, never, Scope.Scope>
  }
>()("engine/ReadModels") {}
