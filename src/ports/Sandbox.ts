import { Context, type Effect, type Scope } from "effect"
import type { Overlay } from "./WorkspaceStore.ts"

/** The result of a shell command. */
export interface ExecResult {
  readonly stdout: string
  readonly stderr: string
  /** The command's exit status; 124 if its time ran out, 137 if it was killed for its memory. */
  readonly exit: number
  /** Whether a write was refused because it would have taken the workspace past its limits. */
  readonly workspaceFull: boolean
}

export interface ExecLimits {
  /** Wall-clock milliseconds; 30,000 by default. */
  readonly timeout?: number
  /** Bytes kept of stdout and of stderr, each; 100,000 by default. If one was cut, its end says so. */
  readonly output?: number
}

/**
 * The shell of one run. Commands start in `/workspace`, where they see and change the run's Overlay, and nothing else
 * of the machine. `/tmp` lasts as long as the shell, unless a command is killed. Commands run one after another.
 */
export interface Shell {
  /**
   * Never fails: `stderr` and `exit` tell what went wrong. Dies with `WorkspacesUnavailable` if the workspaces' disk is
   * away. Interrupting it kills the command.
   */
  readonly exec: (command: string, limits?: ExecLimits) => Effect.Effect<ExecResult>
}

/** Where a run's Bash tool runs. */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** A shell on these files, until the scope ends. */
    readonly open: (overlay: Overlay) => Effect.Effect<Shell, never, Scope.Scope>
    /** Languages (lower-case names as in `CodeBlock.language`) whose programs the shell can run. */
    readonly languages: ReadonlyArray<string>
  }
>()("cairn/Sandbox") {}
