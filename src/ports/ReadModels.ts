import { Context, type Effect, Schema } from "effect"
import type { Recorded } from "#domain/Event.ts"
import type { DomainEvent } from "#domain/events.ts"
import type { Projection } from "#ports/Projection.ts"

/** One build of a projection's tables, and how far it has come. */
export interface Build {
  readonly projection: Projection
  readonly build: number
  readonly position: number
}

/** Where a live read model stands: `position` has been taken in; `changed` was the last event that changed a row. */
export interface Standing {
  readonly position: number
  readonly changed: number
}

/** Another process has moved the read model, or put another build in its place: look again. */
export class BuildMoved extends Schema.TaggedError<BuildMoved>()("BuildMoved", { name: Schema.String }) {}

export class ReadModelsUnavailable extends Schema.TaggedError<ReadModelsUnavailable>()("ReadModelsUnavailable", {
  message: Schema.String
}) {}

/** A row that one of two builds has and the other has not (or has otherwise). */
export interface Difference {
  readonly table: string
  readonly id: string
  readonly live: string | null
  readonly rebuilt: string | null
}

/** Where read models are kept. A build's rows and its position move in one transaction. */
export class ReadModels extends Context.Service<
  ReadModels,
  {
    /** The live build, made empty when there is none. */
    readonly live: (projection: Projection) => Effect.Effect<Build, ReadModelsUnavailable>
    /** A new, empty build beside the live one; others that never went live are dropped. */
    readonly begin: (projection: Projection) => Effect.Effect<Build, ReadModelsUnavailable>
    /** Applies events and moves the position from `build.position` to `to`; nothing happens when it stands elsewhere. */
    readonly apply: (
      build: Build,
      events: ReadonlyArray<Recorded<DomainEvent>>,
      to: number
    ) => Effect.Effect<Build, BuildMoved | ReadModelsUnavailable>
    /** Holds the live build where it is, and says where, while `use` runs. Whoever would move it waits; readers don't. */
    readonly hold: <A, E, R>(
      projection: Projection,
      use: (live: Build) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | ReadModelsUnavailable, R>
    /** The first differences between two builds, at most `limit` a table. */
    readonly compare: (
      a: Build,
      b: Build,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Difference>, ReadModelsUnavailable>
    /** Puts a build in the live one's place (within `hold`); readers of the old one go on until it is dropped. */
    readonly promote: (build: Build) => Effect.Effect<void, ReadModelsUnavailable>
    /** Removes a build that is not live. */
    readonly drop: (build: Build) => Effect.Effect<void, ReadModelsUnavailable>
    /** The log's head, and every live read model by its schema's name, all in one look. */
    readonly standings: Effect.Effect<
      { readonly head: number; readonly models: ReadonlyMap<string, Standing> },
      ReadModelsUnavailable
    >
    /** How far a reaction has come: 0 for one that is new. */
    readonly reaction: (name: string) => Effect.Effect<number, ReadModelsUnavailable>
    /** Moves a reaction on; `false` when it does not stand at `from`. */
    readonly advance: (name: string, from: number, to: number) => Effect.Effect<boolean, ReadModelsUnavailable>
  }
>()("cairn/ReadModels") {}
