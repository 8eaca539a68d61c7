import { Context, type Effect, Schema, type Scope } from "effect"
import type { Sha, WorkspacesUnavailable } from "./WorkspaceStore.ts"

/** Why a push is not taken, in a line that is fit for its sender to read. */
export class PushRefused extends Schema.TaggedError<PushRefused>()("PushRefused", { reason: Schema.String }) {}

/** The head that a client wants, and what it sends for it. */
export interface Pushed {
  /** The head that the client knows. */
  readonly from: Sha
  readonly to: Sha
  /** A whole pack, which may leave out what the repository has. */
  readonly pack: AsyncIterable<Uint8Array>
}

/** Commits that passed the checks, beside the repository. */
export interface Taken {
  /** How many there are from the old head to the new one. */
  readonly commits: number
  /** The total size of the files that differ between the two heads, each counted whole. */
  readonly bytes: number
  /** Moves their objects into the repository. No ref moves. */
  readonly keep: Effect.Effect<void, WorkspacesUnavailable>
}

/** Takes in what is pushed, by native git. */
export class PushIntake extends Context.Service<
  PushIntake,
  {
    /**
     * Receives a pack into a quarantine, which goes with the scope, and checks all of it there: its objects pass git's
     * strict checks, and none is too large; `to` comes after `from`, and nothing is missing; a workspace may hold its
     * files. `undefined` without native git. `tenant` is whom git works for: no tenant may take all places.
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
