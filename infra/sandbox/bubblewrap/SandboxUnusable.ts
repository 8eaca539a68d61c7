import { Data } from "effect"

/**
 * This machine can't run commands under bubblewrap. `message` is one line for the operator: what to install or to
 * enable.
 */
export class SandboxUnusable extends Data.TaggedError("SandboxUnusable")<{
  readonly message: string
  /** Whether it may pass by itself: the machine had too much to do. */
  readonly passes: boolean
}> {}
