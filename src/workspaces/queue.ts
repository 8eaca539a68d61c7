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
 * Milliseconds between two looks at runs that other processes carry, and at the most, when nobody says that something
 * has moved.
 */
const glance = 50
const look = "1 second"

/**
 * Runs of one workspace go one after another, in the order in which they were asked for, and one process at a time
 * carries them. They belong to the service: whoever asked only waits, also for a run that another process carries. When
 * a process ends they stay where the log has them, and go on in another one, or at the next start.
 */
export class Runs extends Context.Service<
  Runs,
  {
    /**
     * Waits until the run has ended and its workspace's ref has followed, or until the workspace was erased. Fails when
     * the run can't go on for now: it is taken up again by itself, and who asks again waits for the same run.
     */
    readonly end: (run: AskedRun) => Effect.Effect<void, Delayed>
    /** Sees to it that the run is carried, and waits for nothing. */
    readonly begin: (run: AskedRun) => Effect.Effect<void>
    /** Tells a run at work in this process that its cancellation is recorded; in another one it is seen in the log. */
    readonly cancelled: (run: string) => Effect.Effect<void>
    /**
     * Stops a workspace's runs that were asked for before it was erased, and waits until none is at work, in whatever
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
      /** Runs that this process is at, or was when it lost them. */
      const begun = new Set<string>()

      const carry = (waiting: Waiting, { handedOver, begin }: Claim) => {
        const { run, workspace } = waiting
        const step = Effect.suspend(() => {
          // what fails before it begins is no work of this process: its next try is the first still
          const beginning = Effect.tap(begin, () => Effect.sync(() => begun.add(run)))
          return carryOut(run, { left: !handedOver, again: begun.has(run), begin: beginning }, waiting.cancelled)
        }).pipe(Effect.andThen(followHead(workspace)), Effect.provideContext(services), places.withPermits(1))
        // from its last step
        return untilItGoes(step, () => [waiting]).pipe(Effect.annotateLogs({ run }))
      }

      const leave = (one: Waiting) => {
        lines.leave(one)
        begun.delete(one.run)
      }

      /** Carries what is in a workspace's line for as long as the claim on it is had. */
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
       * Takes a workspace's runs from before a position out of its line. Nobody leaves in between: who is out of it is
       * asked by nobody else.
       */
      const drop = Effect.fnUntraced(function* (workspace: string, erasedAt: Position) {
        // out of the line before the one at work hears of it: as soon as that one has ended the next begins
        const { all, waiting } = lines.drop(workspace, erasedAt)
        for (const { run } of waiting) begun.delete(run)
        for (const { stopped } of all) yield* Deferred.succeed(stopped, undefined)
        for (const { done } of waiting) yield* Deferred.succeed(done, undefined)
        return all
      }, Effect.uninterruptible)

      const stop = Effect.fnUntraced(function* (workspace: string, erasedAt: Position) {
        const doomed = yield* drop(workspace, erasedAt)
        yield* Effect.forEach(doomed, ({ done }) => Effect.exit(Deferred.await(done)), { discard: true })
        // another process may be at one of them, until it hears of it; not while this one is at another
        if (shared && !lines.works(workspace)) yield* Effect.scoped(claim(claimOf(workspace)))
      })

      const enqueue: (run: AskedRun) => Effect.Effect<Waiting> = Effect.fnUntraced(function* (run: AskedRun) {
        const before = lines.find(run.run)
        if (before !== undefined) return before
        const waiting = yield* waitingFor(run)
        const { line, isNew } = lines.join(waiting)
        // whoever asked for the first of them has nothing to do with the others
        if (isNew) yield* Effect.forkIn(Effect.provideService(work(run.workspace, line), Origin, undefined), scope)
        return waiting
      }, Effect.uninterruptible)

      /** Runs that have not ended, in all workspaces or in one, as far as the log has come by now. */
      const open = fresh(Workspaces).pipe(Effect.andThen(openRuns), Effect.provideContext(services))

      /** Queues those that nobody asked this process for; where some are known they are in order. */
      const takeAll = (runs: Effect.Success<typeof open>) =>
        Effect.forEach(runs, ({ id, workspace, position }) => enqueue({ run: id, workspace, position }), {
          discard: true
        })

      /** What others were asked for goes before what came later: nothing is carried before it is known. */
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

      /** What has ended elsewhere has ended for those who wait here. */
      const settle = Effect.fnUntraced(function* (one: Waiting) {
        if (!lines.isAtWork(one)) {
          yield* Effect.ignoreCause(followHead(one.workspace))
          if (lines.isAtWork(one)) return
          leave(one)
          yield* Deferred.succeed(one.done, undefined)
          return
        }
        // this process is about to say so itself, unless the workspace was erased
        const store = yield* EventStore
        const ended = yield* store.outcome(streamOf(one.workspace), endingId(one.run))
        if (ended.length === 0) yield* Deferred.succeed(one.stopped, undefined)
      })

      /**
       * Looks at what other processes do: waits for their runs to end, and is ready to go on with them when they do.
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

      // what an earlier process left undone, before anything new: later runs of a workspace build on earlier ones
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
