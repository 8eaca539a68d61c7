import { Cause, Deferred, Effect, Exit } from "effect"
import { Chat } from "#domain/Chat.ts"
import { Unreadable } from "#engine/ask.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import type { Position } from "#engine/Position.ts"
import { saying } from "#engine/saying.ts"
import type { WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { awayIn } from "./restore.ts"

/** Why a run can't go on for now. */
export type Delayed = WorkspacesUnavailable | Unreadable

/** A run that was asked for. */
export interface AskedRun {
  readonly run: string
  readonly workspace: string
  /** Of its ChatRequested: runs of a workspace go in this order. */
  readonly position: Position
}

/** A run in its workspace's line. */
export interface Waiting extends AskedRun {
  /** Settled when its workspace was erased. */
  readonly stopped: Deferred.Deferred<void>
  /** Settled when its cancellation is recorded. */
  readonly cancelled: Deferred.Deferred<void>
  readonly done: Deferred.Deferred<void>
  /** How many tries to go on with it have begun. */
  tries: number
  /** Settled when those who wait are told of a failed try; the run keeps its place in its line. */
  delayed: Deferred.Deferred<Failure>
}

/** A failed try: its number, and why the run could not go on. */
interface Failure {
  readonly tried: number
  readonly why: Exit.Exit<never, Delayed>
}

/** A run that has just come to its workspace's line. */
export const waitingFor = (asked: AskedRun): Effect.Effect<Waiting> =>
  Effect.gen(function* () {
    return {
      ...asked,
      stopped: yield* Deferred.make<void>(),
      cancelled: yield* Deferred.make<void>(),
      done: yield* Deferred.make<void>(),
      tries: 0,
      delayed: yield* Deferred.make<Failure>()
    }
  })

/**
 * Waits until the run has ended. Fails while it can't go on, but not because of a try that began before this call: what
 * that try met may be mended by now. A caller that asks again waits for the same run.
 */
export const untilDone = (one: Waiting): Effect.Effect<void, Delayed> =>
  Effect.suspend(() => {
    const before = one.tries
    const delayed = Effect.suspend(() => Deferred.await(one.delayed)).pipe(
      Effect.repeat({ until: ({ tried }) => tried > before }),
      Effect.flatMap(({ why }) => why)
    )
    return Effect.raceFirst(Deferred.await(one.done), delayed)
  })

/** Milliseconds before a run that could not go on is taken up again: they double from the first to the longest. */
const firstPause = 200
const longestPause = 5_000
/** Tries after which those who wait are told. */
const patience = 4

/** The pause between two looks whether another process recorded a cancellation of the run that this one carries. */
const cancelLook = "250 millis"

/**
 * Tries a step until it succeeds, with growing pauses: the log or the disk may be away for a while, and so may the
 * cause of a defect. When that takes long, tells those who wait for `runs`, which can't go on before.
 */
export const untilItGoes = Effect.fnUntraced(function* <A, E, R>(
  step: Effect.Effect<A, E, R>,
  runs: () => ReadonlyArray<Waiting>
) {
  const { say, over } = saying()
  for (let tries = 1; ; tries++) {
    for (const waiting of runs()) waiting.tries++
    const exit = yield* Effect.exit(step)
    if (Exit.isSuccess(exit)) {
      yield* over(Effect.logInfo("a run has gone on"))
      return exit.value
    }
    const { cause } = exit
    if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
    const away = awayIn(cause)
    yield* say(
      cause,
      away === undefined
        ? Effect.logWarning("a run can't go on yet", cause)
        : Effect.logWarning(`a run can't go on yet: ${away.message}`)
    )
    if (tries >= patience) {
      const isDefect = away === undefined && Cause.hasDies(cause)
      const why = isDefect ? Exit.die(new Error("a run can't go on")) : Exit.fail(away ?? new Unreadable())
      for (const waiting of runs()) {
        const { delayed, tries: tried } = waiting
        waiting.delayed = yield* Deferred.make<Failure>()
        yield* Deferred.succeed(delayed, { tried, why })
      }
    }
    yield* Effect.sleep(Math.min(firstPause * 2 ** (tries - 1), longestPause))
  }
})

/** Never ends: settles `cancelled` when the run at work was cancelled through another process. */
export const hearCancelled = ({ run, cancelled }: Waiting) =>
  Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.state(Chat, `chat-${run}`)).pipe(
    Effect.flatMap((state) => (state.cancelled ? Deferred.succeed(cancelled, undefined) : Effect.void)),
    Effect.ignore,
    Effect.andThen(Effect.sleep(cancelLook)),
    Effect.forever
  )
