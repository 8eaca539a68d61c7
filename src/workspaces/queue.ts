import { Cause, Context, Deferred, Effect, Exit, Layer, Schedule, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { type Asker, fresh, Unreadable } from "#engine/ask.ts"
import type { Codec } from "#engine/codec.ts"
import type { Dispatcher } from "#engine/dispatch.ts"
import { isAfter, type Position } from "#engine/Position.ts"
import type { EventStore } from "#engine/ports/EventStore.ts"
import type { LanguageModel } from "#ports/LanguageModel.ts"
import type { Sandbox } from "#ports/Sandbox.ts"
import type { Workers } from "#ports/Workers.ts"
import type { WorkspaceStore, WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { openRuns, Workspaces } from "#projections/Workspaces.ts"
import type { Search } from "#src/snippets/search.ts"
import { awayIn, followHead } from "./restore.ts"
import { carryOut } from "./run.ts"

interface Waiting {
  readonly run: string
  readonly workspace: string
  /** Of its ChatRequested: runs of a workspace go in this order. */
  readonly position: Position
  readonly resumed: boolean
  /** Settled when its workspace was erased. */
  readonly stopped: Deferred.Deferred<void>
  readonly done: Deferred.Deferred<void>
  /** Fails for those who wait, while the run can't go on: it stays where it is in its queue, and they may ask again. */
  delayed: Deferred.Deferred<never, Delayed>
}

type Asked = Omit<Waiting, "stopped" | "done" | "delayed">

/** Why a run can't go on for now. */
export type Delayed = WorkspacesUnavailable | Unreadable

/** Runs at work at once, over all workspaces. */
const atOnce = 64
/** Milliseconds before a run that could not go on is taken up again: they double from the first to the longest. */
const firstPause = 200
const longestPause = 5_000
/** Tries after which those who wait are told. */
const patience = 4

/**
 * Runs of one workspace go one after another, in the order in which they were asked for. They belong to the service:
 * whoever asked only waits. When the service stops they stay where the log has them, and go on at the next start.
 */
export class Runs extends Context.Service<
  Runs,
  {
    /**
     * Waits until the run has ended and its workspace's ref has followed, or until the workspace was erased. Fails when
     * the run can't go on for now: it is taken up again by itself, and who asks again waits for the same run.
     */
    readonly end: (run: Omit<Asked, "resumed">) => Effect.Effect<void, Delayed>
    /** Stops a workspace's runs that were asked for before it was erased, and waits until none is at work. */
    readonly stop: (workspace: string, erasedAt: Position) => Effect.Effect<void>
  }
>()("cairn/Runs") {
  static readonly layer = Layer.effect(
    Runs,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const services = yield* Effect.context<
        | EventStore
        | Codec
        | Dispatcher
        | WorkspaceStore
        | Workers
        | Sandbox
        | LanguageModel
        | Search
        | Asker
        | SqlClient.SqlClient
      >()
      const places = yield* Semaphore.make(atOnce)
      const queues = new Map<string, Array<Waiting>>()
      const known = new Map<string, Waiting>()

      const carry = Effect.fnUntraced(function* (waiting: Waiting) {
        const { run, workspace, resumed } = waiting
        for (let tries = 1; ; tries++) {
          const exit = yield* carryOut(run, resumed).pipe(
            Effect.andThen(followHead(workspace)),
            Effect.provideContext(services),
            places.withPermits(1),
            Effect.exit
          )
          if (Exit.isSuccess(exit)) return
          const { cause } = exit
          if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
          // the log or the disk may be away for a while, and so may be what a defect came from: the run goes on from
          // its last step
          const away = awayIn(cause)
          yield* (
            away === undefined
              ? Effect.logWarning("a run can't go on yet", cause)
              : Effect.logWarning(`a run can't go on yet: ${away.message}`)
          ).pipe(Effect.annotateLogs({ run }))
          if (tries >= patience) {
            const told = waiting.delayed
            waiting.delayed = yield* Deferred.make<never, Delayed>()
            yield* away === undefined && Cause.hasDies(cause)
              ? Deferred.die(told, new Error("a run can't go on"))
              : Deferred.fail(told, away ?? new Unreadable())
          }
          yield* Effect.sleep(Math.min(firstPause * 2 ** (tries - 1), longestPause))
        }
      })

      const work = Effect.fnUntraced(function* (workspace: string) {
        const queue = queues.get(workspace)!
        while (queue.length > 0) {
          const next = queue[0]!
          yield* Effect.raceFirst(carry(next), Deferred.await(next.stopped))
          queue.shift()
          known.delete(next.run)
          yield* Deferred.succeed(next.done, undefined)
        }
        queues.delete(workspace)
      })

      /**
       * Takes a workspace's runs from before a position out of its queue. Nobody leaves in between: who is out of it is
       * asked by nobody else.
       */
      const drop = Effect.fnUntraced(function* (workspace: string, erasedAt: Position) {
        const queue = queues.get(workspace) ?? []
        const doomed = queue.filter(({ position }) => isAfter(erasedAt, position))
        // out of the queue before the one at work hears of it: as soon as that one has ended the next begins
        const waiting = doomed.filter((one) => one !== queue[0])
        for (const one of waiting) {
          queue.splice(queue.indexOf(one), 1)
          known.delete(one.run)
        }
        for (const { stopped } of doomed) yield* Deferred.succeed(stopped, undefined)
        for (const { done } of waiting) yield* Deferred.succeed(done, undefined)
        return doomed
      }, Effect.uninterruptible)

      const stop = (workspace: string, erasedAt: Position) =>
        Effect.flatMap(
          drop(workspace, erasedAt),
          Effect.forEach(({ done }) => Effect.exit(Deferred.await(done)), { discard: true })
        )

      const enqueue = Effect.fnUntraced(function* (run: Asked) {
        const before = known.get(run.run)
        if (before !== undefined) return before
        const waiting: Waiting = {
          ...run,
          stopped: yield* Deferred.make<void>(),
          done: yield* Deferred.make<void>(),
          delayed: yield* Deferred.make<never, Delayed>()
        }
        known.set(run.run, waiting)
        const queue = queues.get(run.workspace)
        if (queue !== undefined) {
          const later = queue.findIndex(({ position }, index) => index > 0 && isAfter(position, run.position))
          queue.splice(later === -1 ? queue.length : later, 0, waiting)
        } else {
          queues.set(run.workspace, [waiting])
          yield* Effect.forkIn(work(run.workspace), scope)
        }
        return waiting
      }, Effect.uninterruptible)

      // what an earlier process left undone, before anything new: later runs of a workspace build on earlier ones
      const taken = yield* Deferred.make<void>()
      yield* fresh(Workspaces).pipe(
        Effect.andThen(openRuns),
        Effect.flatMap(
          Effect.forEach(({ id, workspace, position }) => enqueue({ run: id, workspace, position, resumed: true }))
        ),
        Effect.provideContext(services),
        Effect.retry(Schedule.spaced("1 second")),
        Effect.andThen(Deferred.succeed(taken, undefined)),
        Effect.forkScoped
      )

      return Runs.of({
        end: (run) =>
          Deferred.await(taken).pipe(
            Effect.andThen(enqueue({ ...run, resumed: false })),
            Effect.flatMap(({ done, delayed }) => Effect.raceFirst(Deferred.await(done), Deferred.await(delayed)))
          ),
        stop
      })
    })
  )
}
