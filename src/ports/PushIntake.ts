import { Context, type Effect, Schema, type Scope } from "effect"
import type { Sha, WorkspacesUnavailable } from "./WorkspaceStore.ts"

/** Why a push is not taken, in a line that is fit for its sender to read. */
export class PushRefused extends Schema.TaggedError<PushRefused>()("PushRefused", { reason: Schema.String }) {}

/** What a client wants to be the head, and what it sends for that. */
export interface Pushed {
  /** The head that it knows. */
  readonly from: Sha
  readonly to: Sha
  /** A pack, whole; it may leave out what the repository has. */
  readonly pack: AsyncIterable<Uint8Array>
}

/** Commits that were found fit, beside the repository. */
export interface Taken {
  /** How many there are from the old head to the new one. */
  readonly commits: number
  /** Of the files that differ between the two, each with its whole size. */
  readonly bytes: number
  /** Moves their objects into the repository. No ref moves. */
  readonly keep: Effect.Effect<void, WorkspacesUnavailable>
}

/** Takes in what is pushed, by native git. */
export class PushIntake extends Context.Service<
  PushIntake,
  {
    /**
     * Receives a pack into a quarantine, which goes with the scope, and looks at all of it there: its objects, by
     * git's strict checks and each as large as may be; that `to` comes after `from` and nothing is missing; that its
     * files are what a workspace may hold. `undefined`: there is no native git. `tenant` is for whom: none has all
     * places.
     */
    readonly take:
      | undefined
      | ((
          tenant: string,
          repository: string,
          pushed: Pushed
        ) => Effect.Effect<Taken, PushRefused | WorkspacesUnavailable, Scope.Scope>)
  }
>()("cairn/PushIntake") {}
