import { Context, Deferred, Effect, Layer, PubSub, Schedule, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { type Asker, fresh } from "#engine/ask.ts"
import type { Codec } from "#engine/codec.ts"
import type { Dispatcher } from "#engine/dispatch.ts"
import type { Position } from "#engine/Position.ts"
import { schemaOf } from "#engine/Projection.ts"
import { type Claim, Claims } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Projector } from "#engine/project.ts"
import type { LanguageModel } from "#ports/LanguageModel.ts"
import { Origin } from "#ports/Origin.ts"
import type { Sandbox } from "#ports/Sandbox.ts"
import type { Workers } from "#ports/Workers.ts"
import type { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { openRuns } from "#projections/Workspaces/openRuns.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import type { Search } from "#src/snippets/search.ts"
import type { Storage } from "#src/usage/Storage.ts"
import {
  type AskedRun,
  type Delayed,
  hearCancelled,
  untilDone,
  untilItGoes,
  type Waiting,
  waitingFor
} from "./carry.ts"
import { endingId } from "./commit.ts"
import { Lines } from "./lines.ts"
import { claimOf, followHead, streamOf } from "./restore.ts"
import { carryOut } from "./run.ts"
import type { Spoken } from "./spoken.ts"

/** Runs at work at once, over all workspaces. */
const atOnce = 64
/**
 * Pauses between two looks at the runs of other processes: at least `glance` (milliseconds), then up to `look` until
 * the read model moves.
 */
const glance = 50
const look = "1 second"

/**
 * The runs of a workspace go one after another, in the order in which they were requested, and one process at a time
 * carries them. A run belongs to the service: its caller only waits, even when another process carries it. When a
 * process ends, its runs stay where the log has them, and go on in another process or at the next start.
 */
export class Runs extends Context.Service<
  Runs,
  {
    /**
     * Waits until the run has ended and its workspace's ref has followed, or until the workspace was erased. Fails
     * while the run can't go on: it is tried again by itself, and a caller that asks again waits for the same run.
     */
    readonly end: (run: AskedRun) => Effect.Effect<void, Delayed>
    /** Queues the run, and returns at once. */
    readonly begin: (run: AskedRun) => Effect.Effect<void>
    /** Tells a run at work in this process that its cancellation is recorded; another process sees that in the log. */
    readonly cancelled: (run: string) => Effect.Effect<void>
    /**
     * Stops a workspace's runs that were requested before it was erased, and waits until none of them is at work in any
     * process.
     */
    readonly stop: (workspace: string, erasedAt: Position) => Effect.Effect<void>
    /** Runs that this process carries, and those that wait here. */
    readonly counts: Effect.Effect<{ readonly running: number; readonly waiting: number }>
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
        | Spoken
        | Storage
        | SqlClient.SqlClient
      >()
      const places = yield* Semaphore.make(atOnce)
      const lines = new Lines()
      const { shared, claim } = yield* Claims
      /** Runs that this process has begun, even if it has lost their claim since. */
      const begun = new Set<string>()

      const carry = (waiting: Waiting, { handedOver, begin }: Claim) => {
        const { run, workspace } = waiting
        const step = Effect.suspend(() => {
          // a try that fails before `begin` does not count: the next one is still this process's first
          const beginning = Effect.tap(begin, () => Effect.sync(() => begun.add(run)))
          return carryOut(run, { left: !handedOver, again: begun.has(run), begin: beginning }, waiting.cancelled)
        }).pipe(Effect.andThen(followHead(workspace)), Effect.provideContext(services), places.withPermits(1))
        // each try goes on from the last recorded step
        return untilItGoes(step, () => [waiting]).pipe(Effect.annotateLogs({ run }))
      }

      const leave = (one: Waiting) => {
        lines.leave(one)
        begun.delete(one.run)
      }

      /** Carries the runs in a workspace's line for as long as this process has the claim. */
      const carryAll = Effect.fnUntraced(function* (workspace: string, line: ReadonlyArray<Waiting>, mine: Claim) {
        while (line.length > 0) {
          if (shared) yield* takeIn(workspace, line)
          const next = line[0]
          if (next === undefined) return
          lines.begin(next)
          yield* Effect.ensuring(
            Effect.raceFirst(
              shared
                ? Effect.raceFirst(carry(next, mine), Effect.provideContext(hearCancelled(next), services))
                : carry(next, mine),
              Deferred.await(next.stopped)
            ),
            Effect.sync(() => lines.end(next))
          )
          leave(next)
          yield* Deferred.succeed(next.done, undefined)
        }
      })

      const work = Effect.fnUntraced(function* (workspace: string, line: ReadonlyArray<Waiting>) {
        while (line.length > 0)
          yield* Effect.scoped(
            Effect.flatMap(claim(claimOf(workspace)), (mine) =>
              Effect.raceFirst(carryAll(workspace, line, mine), mine.lost)
            )
          )
      })

      /**
       * Takes the runs that were requested before a position out of their workspace's line. It can't be interrupted:
       * nothing else settles a run that has left its line.
       */
      const drop = Effect.fnUntraced(function* (workspace: string, erasedAt: Position) {
        // empty the line before the run at work is told to stop: the next in line begins as soon as it has ended
        const { all, waiting } = lines.drop(workspace, erasedAt)
        for (const { run } of waiting) begun.delete(run)
        for (const { stopped } of all) yield* Deferred.succeed(stopped, undefined)
        for (const { done } of waiting) yield* Deferred.succeed(done, undefined)
        return all
      }, Effect.uninterruptible)

      const stop = Effect.fnUntraced(function* (workspace: string, erasedAt: Position) {
        const doomed = yield* drop(workspace, erasedAt)
        yield* Effect.forEach(doomed, ({ done }) => Effect.exit(Deferred.await(done)), { discard: true })
        // the claim comes once no other process carries one of them; this process has it while a run is at work here
        if (shared && !lines.works(workspace)) yield* Effect.scoped(claim(claimOf(workspace)))
      })

      const enqueue: (run: AskedRun) => Effect.Effect<Waiting> = Effect.fnUntraced(function* (run: AskedRun) {
        const before = lines.find(run.run)
        if (before !== undefined) return before
        const waiting = yield* waitingFor(run)
        const { line, isNew } = lines.join(waiting)
        // the line carries runs of several requests, so it has the origin of none
        if (isNew) yield* Effect.forkIn(Effect.provideService(work(run.workspace, line), Origin, undefined), scope)
        return waiting
      }, Effect.uninterruptible)

      /** The runs of all workspaces that have not ended, up to the log's head. */
      const open = fresh(Workspaces).pipe(Effect.andThen(openRuns), Effect.provideContext(services))

      /** Queues runs that this process does not know yet, each in its place in the line. */
      const takeAll = (runs: Effect.Success<typeof open>) =>
        Effect.forEach(runs, ({ id, workspace, position }) => enqueue({ run: id, workspace, position }), {
          discard: true
        })

      /** Queues the workspace's runs that other processes were asked for, so that an earlier one of them goes first. */
      const takeIn = (workspace: string, line: ReadonlyArray<Waiting>) =>
        untilItGoes(
          Effect.gen(function* () {
            // all were dropped meanwhile: there is nothing to carry
            if (line.length === 0) return
            const runs = yield* open
            yield* takeAll(runs.filter((run) => run.workspace === workspace))
          }),
          () => line
        ).pipe(Effect.annotateLogs({ workspace }))

      /** Settles a run that has ended in another process for those who wait for it here. */
      const settle = Effect.fnUntraced(function* (one: Waiting) {
        if (!lines.isAtWork(one)) {
          yield* Effect.ignoreCause(followHead(one.workspace))
          if (lines.isAtWork(one)) return
          leave(one)
          yield* Deferred.succeed(one.done, undefined)
          return
        }
        // a run at work here settles itself, unless its workspace was erased
        const store = yield* EventStore
        const ended = yield* store.outcome(streamOf(one.workspace), endingId(one.run))
        if (ended.length === 0) yield* Deferred.succeed(one.stopped, undefined)
      })

      /**
       * Watches the runs of other processes: settles those that have ended, and queues those that this one may go on
       * with.
       */
      const watch = Effect.gen(function* () {
        const moves = yield* PubSub.subscribe((yield* Projector).moved)
        const name = schemaOf(Workspaces)
        const moved = Effect.repeat(PubSub.take(moves), { until: (one) => one === name })
        return yield* Effect.gen(function* () {
          const before = lines.all
          const runs = yield* open
          const ids = new Set(runs.map(({ id }) => id))
          yield* Effect.forEach(
            before.filter(({ run }) => !ids.has(run)),
            settle,
            { discard: true }
          )
          yield* takeAll(runs)
        }).pipe(
          Effect.provideContext(services),
          Effect.ignore,
          Effect.andThen(Effect.sleep(glance)),
          Effect.andThen(Effect.timeoutOption(moved, look)),
          Effect.forever
        )
      })

      // runs that an earlier process left undone come before new ones: later runs of a workspace build on earlier ones
      const taken = yield* Deferred.make<void>()
      yield* open.pipe(
        Effect.flatMap(takeAll),
        Effect.retry(Schedule.spaced("1 second")),
        Effect.andThen(Deferred.succeed(taken, undefined)),
        Effect.andThen(shared ? Effect.scoped(watch) : Effect.void),
        Effect.forkScoped
      )

      return Runs.of({
        end: (run) => Deferred.await(taken).pipe(Effect.andThen(enqueue(run)), Effect.flatMap(untilDone)),
        begin: (run) => Deferred.await(taken).pipe(Effect.andThen(enqueue(run)), Effect.forkIn(scope), Effect.asVoid),
        cancelled: (run) =>
          Effect.suspend(() => {
            const one = lines.find(run)
            return one === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(one.cancelled, undefined))
          }),
        stop,
        counts: Effect.sync(() => lines.counts)
      })
    })
  )
}
