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
  /** Whether it was the one that is read. A build that has become the live one, or was, has moved. */
  readonly live: boolean
}

/**
 * How far a live read model has come: `position` has been taken in; `changed` was the last event that changed a row.
 */
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

/** A read model of a projection that this code doesn't have: an earlier version's, or a later one's. */
export interface Other {
  readonly name: string
  readonly version: number
  readonly position: Position
}

/**
 * A row that one of two builds has and the other has not (or has otherwise): JSON, and `null` where it is not. Of those
 * that would make an answer too big, the ids alone.
 */
export interface Difference {
  readonly table: string
  readonly id: string
  readonly live: string | null
  readonly rebuilt: string | null
}

/** A table of a read model as it was. */
export interface Kept {
  readonly table: string
  /** With its schema, as SQL has it. */
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
    /** The live build, made empty when there is none. */
    readonly live: (projection: Projection) => Effect.Effect<Build, ReadModelsUnavailable>
    /** A new, empty build beside the live one; others that never went live are dropped. */
    readonly begin: (projection: Projection) => Effect.Effect<Build, ReadModelsUnavailable>
    /**
     * Applies events to builds that stand at one position, and moves them all to `to`: all or nothing, and nothing when
     * one of them stands elsewhere. May be lost in a crash, together with the move: then it is done again.
     */
    readonly apply: (
      builds: ReadonlyArray<Build>,
      events: ReadonlyArray<Recorded<AnyEvent>>,
      to: Position
    ) => Effect.Effect<ReadonlyArray<Build>, BuildMoved | ReadModelsUnavailable>
    /**
     * Holds the live build where it is until `bring` has brought another one to its position, and compares both as they
     * were there, in one snapshot: the first differences, at most `limit` a table. Only `bring` keeps the live build
     * waiting, and never a reader.
     */
    readonly compare: <E, R>(
      projection: Projection,
      bring: (live: Build) => Effect.Effect<Build, E, R>,
      limit: number
    ) => Effect.Effect<Met & { readonly differences: ReadonlyArray<Difference> }, E | ReadModelsUnavailable, R>
    /** Likewise, and puts that one in the live one's place; readers of the old one go on until it is dropped. */
    readonly promote: <E, R>(
      projection: Projection,
      bring: (live: Build) => Effect.Effect<Build, E, R>
    ) => Effect.Effect<Met, E | ReadModelsUnavailable, R>
    /**
     * Makes a copy of a build that is not live, as one table `<model>_<table>` each in a schema of its own, and removes
     * the build. What an earlier copy has there is replaced.
     */
    readonly keep: (
      build: Build,
      schema: string
    ) => Effect.Effect<ReadonlyArray<Kept>, BuildMoved | ReadModelsUnavailable>
    /** Removes such a schema; `false` when there is none. */
    readonly forget: (schema: string) => Effect.Effect<boolean, ReadModelsUnavailable>
    /** Removes a build that is not live. */
    readonly drop: (build: Build) => Effect.Effect<void, ReadModelsUnavailable>
    /**
     * How far the live builds of projections have come, by their schemas' names, all in one look; one that was never
     * made is not there.
     */
    readonly checkpoints: (
      projections: ReadonlyArray<Projection>
    ) => Effect.Effect<ReadonlyMap<string, Checkpoint>, ReadModelsUnavailable>
    /** The read models that belong to none of these projections. */
    readonly others: (
      projections: ReadonlyArray<Projection>
    ) => Effect.Effect<ReadonlyArray<Other>, ReadModelsUnavailable>
    /** Removes one with all its rows; `false` when it stands elsewhere by now, because a process moves it on. */
    readonly retire: (other: Other) => Effect.Effect<boolean, ReadModelsUnavailable>
    /** How far a reaction has come: the `beginning` for one that is new. */
    readonly reaction: (name: string) => Effect.Effect<Position, ReadModelsUnavailable>
    /** Moves a reaction on; `false` when it does not stand at `from`. */
    readonly advance: (name: string, from: Position, to: Position) => Effect.Effect<boolean, ReadModelsUnavailable>
    /** The same for several, in one go: the names of those that stood at `from`. */
    readonly advanceAll: (advances: ReadonlyArray<Advance>) => Effect.Effect<ReadonlySet<string>, ReadModelsUnavailable>
    /**
     * Says to other processes, if there are any, that this one has moved read models on: by their schemas' names. A
     * message may be lost.
     */
    readonly tell: (names: ReadonlyArray<string>) => Effect.Effect<void>
    /** Gets what other processes say, one name a message. */
    readonly told: Effect.Effect<PubSub.Subscription<string>, never, Scope.Scope>
  }
>()("cairn/ReadModels") {}
