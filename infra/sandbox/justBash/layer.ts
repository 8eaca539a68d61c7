import { Data, Effect, Layer, Queue, Schedule, Semaphore } from "effect"
import { type ExecLimits, Sandbox } from "#ports/Sandbox.ts"
import type { Overlay } from "#ports/WorkspaceStore.ts"
import { type Child, startChild } from "./Child.ts"
import { defaultOutput, defaultTimeout } from "./limits.ts"
import type { Call } from "./protocol.ts"
import { serve } from "./serve.ts"

/** The system has had no process for a shell, for ten seconds. */
class ShellNotStarted extends Data.TaggedError("ShellNotStarted") {}

/**
 * just-bash, a shell in TypeScript that knows no machine below it: no network, no programs, no files but the run's
 * Overlay at `/workspace` and a memory of its own. Each run has a process for it: the shell blocks its thread, and on
 * Deno, a Worker at work can't be ended.
 */
export const layer = Layer.effect(
  Sandbox,
  Effect.gen(function* () {
    // A child that has run nothing. It takes memory, so it is made at the first `open`, not with the service.
    let warm: Child | undefined
    const one = yield* Semaphore.make(1)
    const warmUp = Effect.gen(function* () {
      if (warm === undefined || warm.isDead()) warm = yield* startChild
    }).pipe(Effect.uninterruptible, one.withPermits(1))
    // looks and takes in one step: another run may take the warm child between any two
    const take = Effect.suspend(() => {
      const child = warm
      warm = undefined
      return child === undefined || child.isDead() ? startChild : Effect.succeed(child)
    })
    yield* Effect.addFinalizer(() => warm?.kill ?? Effect.void)

    const open = Effect.fnUntraced(function* (overlay: Overlay) {
      let current: Child | undefined
      const turn = yield* Semaphore.make(1)
      const kill = Effect.suspend(() => {
        const child = current
        current = undefined
        return child?.kill ?? Effect.void
      })
      const taken = Effect.map(take, (child) => {
        current = child
        return child
      }).pipe(
        Effect.uninterruptible,
        Effect.filterOrFail(
          (child) => !child.isDead(),
          () => new ShellNotStarted()
        ),
        Effect.retry({ times: 40, schedule: Schedule.spaced("250 millis") }),
        Effect.orDie
      )
      yield* warmUp
      yield* Effect.addFinalizer(() => kill)

      const exec = Effect.fnUntraced(
        function* (command: string, { timeout = defaultTimeout, output = defaultOutput }: ExecLimits = {}) {
          const child = current === undefined || current.isDead() ? yield* taken : current
          let workspaceFull = false
          const serving = Effect.fnUntraced(function* (id: number, call: Call) {
            const answer = yield* serve(overlay, call)
            if ("failure" in answer) workspaceFull ||= answer.failure.code === "ENOSPC"
            child.send({ type: "answer", id, answer })
          })
          const outcome = yield* attend(child, command, output, serving).pipe(
            Effect.timeoutOrElse({
              duration: timeout,
              orElse: () => Effect.as(kill, killed(124, `it ran longer than ${timeout / 1000} s`))
            }),
            Effect.onInterrupt(() => kill)
          )
          return { ...outcome, workspaceFull }
        },
        (effect) => turn.withPermit(effect)
      )
      return { exec }
    })

    return Sandbox.of({ open, languages: ["bash", "sh", "shell"] })
  })
)

/** Answers a command's calls, one after another, until the command is done. */
const attend = Effect.fnUntraced(function* (
  child: Child,
  command: string,
  output: number,
  serving: (id: number, call: Call) => Effect.Effect<void>
) {
  child.send({ type: "run", command, output })
  for (;;) {
    const message = yield* Queue.take(child.inbox)
    if (message.type === "died") return killed(137, "it took too much memory")
    if (message.type === "done") return { stdout: message.stdout, stderr: message.stderr, exit: message.exit }
    yield* serving(message.id, message.call)
  }
})

const killed = (exit: number, why: string) => ({
  stdout: "",
  stderr: `The command was killed: ${why}. What it wrote into the workspace is kept.\n`,
  exit
})
