import { Effect, Exit, Fiber, Layer, Option, Semaphore } from "effect"
import { oneLine } from "#domain/text/oneLine.ts"
import { viewOf } from "#infra/git/Overlay/GitOverlay.ts"
import { type ExecLimits, type ExecResult, Sandbox } from "#ports/Sandbox.ts"
import { type Overlay, WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { defaultOutput, defaultTimeout } from "./limits.ts"
import type { Mirror } from "./Mirror.ts"
import { type Mounts, startMounts } from "./Mounts.ts"
import { putDown } from "./putDown.ts"
import { SandboxUnusable } from "./SandboxUnusable.ts"
import { startShellCommand } from "./shellCommand.ts"
import { type Taken, takeUp } from "./takeUp.ts"
import { findTools, type Tools } from "./tools.ts"

/** Languages by the programs that run them. */
const interpreters: { readonly [program: string]: string } = {
  python3: "python",
  node: "javascript",
  ruby: "ruby",
  perl: "perl"
}

const shownRefusals = 20
/** How long an interruption waits until what the command wrote is taken up. */
const toTakeUp = "2 seconds"

const failed = (stderr: string, exit: number): ExecResult => ({ stdout: "", stderr, exit, workspaceFull: false })

/** The Overlay's present state; `undefined`: nobody can tell whether it changes. */
const versionOf = (overlay: Overlay): object | undefined => {
  try {
    return viewOf(overlay).root
  } catch {
    return undefined
  }
}

/** The host's own programs, on file systems of the run's own, behind bubblewrap's walls; see docs/decisions/0012. */
const openShell = Effect.fnUntraced(function* (tools: Tools, overlay: Overlay) {
  const turn = yield* Semaphore.make(1)
  let mounts: Mounts | undefined
  let mirror: Mirror = new Map()
  /** The Overlay's state that the mounts hold. */
  let version: object | undefined

  const close = Effect.suspend(() => {
    const closing = mounts
    mounts = undefined
    return closing === undefined ? Effect.void : Effect.promise(closing.kill)
  })
  yield* Effect.addFinalizer(() => close)

  const ready = Effect.gen(function* () {
    if (mounts === undefined || mounts.isDead()) {
      mirror = new Map()
      version = undefined
      // mounts that are started and forgotten would stay
      mounts = yield* Effect.uninterruptible(Effect.promise(() => startMounts(tools)))
    }
    const now = versionOf(overlay)
    if (now === undefined || now !== version) yield* putDown(overlay, mounts, mirror)
    return mounts
  })

  const run = Effect.fnUntraced(function* (script: string, timeout: number, output: number) {
    const here = yield* ready
    version = undefined
    const undo = yield* overlay.savepoint()
    const take = Effect.forkDetach(Effect.suspend(() => takeUp(overlay, here, mirror)))
    /**
     * For a command that nobody waits for any more, or whose work could not all be taken up: takes all that it wrote,
     * or nothing if that takes long or fails.
     */
    const takeSoon = Effect.fnUntraced(function* (taking: Fiber.Fiber<Taken>) {
      const taken = yield* Effect.timeoutOption(Effect.interruptible(Fiber.await(taking)), toTakeUp)
      if (Option.isSome(taken) && Exit.isSuccess(taken.value) && taken.value.value.full === undefined) return
      yield* Fiber.interrupt(taking)
      yield* undo
    })
    const { stdout, stderr, exit, why } = yield* Effect.acquireUseRelease(
      Effect.sync(() => startShellCommand(tools, here, script, timeout, output)),
      ({ ended, kill }) =>
        Effect.promise(() => ended).pipe(
          Effect.map((outcome) => ({
            ...outcome,
            why: outcome.tooMuchMemory ? "it took too much memory" : undefined
          })),
          Effect.timeoutOrElse({
            duration: timeout,
            orElse: () =>
              Effect.map(Effect.promise(kill), (outcome) => ({
                ...outcome,
                exit: 124,
                why: `it ran longer than ${timeout / 1000} s`
              }))
          })
        ),
      ({ kill }) => Effect.promise(kill)
    ).pipe(Effect.onInterrupt(() => Effect.flatMap(take, takeSoon)))
    const { refused, full } = yield* Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(take, (taking) => Effect.onError(restore(Fiber.join(taking)), () => takeSoon(taking)))
    )
    if (refused.length === 0 && full === undefined) {
      // from here on every change makes a new root
      yield* Effect.asVoid(overlay.savepoint())
      version = versionOf(overlay)
    }
    const notes = [
      ...(why === undefined ? [] : [`The command was killed: ${why}. What it wrote into the workspace is kept.`]),
      ...(full === undefined ? [] : [`What the command wrote does not fit into the workspace: ${full}`]),
      ...(refused.length === 0 ? [] : ["Not kept, as no workspace can hold it:"]),
      ...refused.slice(0, shownRefusals).map((line) => `  ${line}`),
      ...(refused.length > shownRefusals ? [`  and ${refused.length - shownRefusals} more`] : [])
    ]
    const before = notes.length === 0 || stderr === "" || stderr.endsWith("\n") ? stderr : `${stderr}\n`
    return {
      stdout,
      stderr: before + notes.map((line) => `${line}\n`).join(""),
      exit: full !== undefined && exit === 0 ? 1 : exit,
      workspaceFull: full !== undefined
    }
  })

  const exec = (script: string, { timeout = defaultTimeout, output = defaultOutput }: ExecLimits = {}) => {
    if (script.includes("\0")) return Effect.succeed(failed("bash: a command can't hold a NUL character\n", 2))
    return turn.withPermit(
      run(script, timeout, output).pipe(
        // After an interruption, the mounts may differ from the Overlay. A keeper that failed knows nothing of them.
        Effect.onInterrupt(() => close),
        Effect.catchDefect((defect) => {
          // it is no fault of the sandbox, and the run can't go on without the workspaces' disk
          if (defect instanceof WorkspacesUnavailable) return Effect.andThen(close, Effect.die(defect))
          const why = defect instanceof Error ? defect.message : String(defect)
          return Effect.as(close, failed(`The sandbox failed: ${why}. What the command wrote is lost.\n`, 126))
        })
      )
    )
  }
  return { exec }
})

/** `CAIRN_SANDBOX=bubblewrap`: fails where bubblewrap can't run, and says what to install or to enable. */
export const layer = Layer.effect(
  Sandbox,
  Effect.gen(function* () {
    const tools = yield* Effect.try({ try: () => findTools(), catch: (error) => error as SandboxUnusable })
    const languages = yield* tryOut(tools)
    return Sandbox.of({ open: (overlay) => openShell(tools, overlay), languages })
  })
)

/** How the system, and its C library, say that there is no room for a process now. */
const isNow = /EAGAIN|ENOMEM|EMFILE|ENFILE|temporarily unavailable|Cannot allocate memory|Too many open files/

const unusable = (said: string): SandboxUnusable =>
  new SandboxUnusable({ message: advice(said), passes: isNow.test(said) })

/** Runs a first command. Gives the languages that have programs here; fails with the reason if no command can run. */
export const tryOut = (tools: Tools): Effect.Effect<ReadonlyArray<string>, SandboxUnusable> =>
  Effect.gen(function* () {
    const trying = <A>(begin: () => Promise<A>) =>
      Effect.tryPromise({
        try: begin,
        catch: (error) => unusable(error instanceof Error ? error.message : String(error))
      })
    const mounts = yield* Effect.acquireRelease(
      trying(() => startMounts(tools)),
      (started) => Effect.promise(started.kill)
    )
    const programs = Object.keys(interpreters).join(" ")
    const script = `for p in ${programs}; do if "$p" --version > /dev/null 2>&1; then echo "$p"; fi; done; echo end`
    const { stdout, stderr } = yield* trying(
      () => startShellCommand(tools, mounts, script, defaultTimeout, defaultOutput).ended
    )
    const found = stdout.split("\n").slice(0, -1)
    if (found.pop() !== "end") return yield* unusable(oneLine(stderr, "; "))
    return ["bash", "sh", "shell", ...found.map((program) => interpreters[program]!)]
  }).pipe(Effect.scoped)

const advice = (said: string): string =>
  `CAIRN_SANDBOX=bubblewrap can't start a sandbox here (${said}). It needs bubblewrap 0.8 or newer and user namespaces without privileges: sysctl kernel.unprivileged_userns_clone=1 (Debian), kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), user.max_user_namespaces above 0; in a container, a seccomp profile that lets it use them. Or use just-bash.`
