import { Context, type Effect, type Scope } from "effect"
import type { Overlay } from "./WorkspaceStore.ts"

/** What a shell command led to. */
export interface ExecResult {
  readonly stdout: string
  readonly stderr: string
  /** The command's exit status; 124 when its time ran out, 137 when it was killed for its memory. */
  readonly exit: number
  /** A write was refused because it would have taken the workspace past its limits. */
  readonly workspaceFull: boolean
}

export interface ExecLimits {
  /** Wall-clock milliseconds; 30,000 unless told. */
  readonly timeout?: number
  /** Bytes of stdout and of stderr that are kept, each; 100,000 unless told. What was cut is said at its end. */
  readonly output?: number
}

/**
 * One run's shell: commands see and change the run's Overlay, at `/workspace` where they start, and nothing else of the
 * machine. `/tmp` lasts as long as the shell, unless a command is killed. Commands run one after another.
 */
export interface Shell {
  /** Never fails: what goes wrong is told in `stderr` and `exit`. Interrupting it kills the command. */
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
