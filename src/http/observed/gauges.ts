import { readdirSync } from "node:fs"
import { Effect, Exit, Fiber, type Metric, Option } from "effect"
import { Asker } from "#engine/ask.ts"
import { LeftOut } from "#engine/leftOut.ts"
import { Projector } from "#engine/project.ts"
import { Reacting } from "#engine/reacting.ts"
import { caches } from "#ports/CountedCache.ts"
import { DatabaseLook } from "#ports/DatabaseLook.ts"
import { DiskSpace } from "#ports/DiskSpace.ts"
import * as M from "#ports/metrics.ts"
import { Disks } from "#src/disks.ts"
import { lagOf } from "#src/positions.ts"
import { Indexing } from "#src/snippets/indexing.ts"
import { Runs } from "#src/workspaces/queue.ts"
import { Answers } from "../answers.ts"
import { Readiness } from "../ready.ts"

/** What the gauges need to know of the process: how many bytes of memory it may take, and its data folder. */
export interface LookedAt {
  readonly memoryLimit: number
  readonly dataDir: string
}

/** Milliseconds between two looks at how late the event loop comes round. */
const pause = 100

const openDescriptors = (): number | undefined => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return undefined
  }
}

/** Seconds to wait for a database that does not answer; Prometheus waits for ten. */
const patience = 2

/**
 * The result, if it comes in time and is no failure. What takes longer is left running: a statement to a server that
 * hangs can't be ended.
 */
const inTime = <A>(looking: Effect.Effect<A, unknown>) =>
  Effect.flatMap(Effect.forkDetach(Effect.exit(looking)), (fiber) =>
    Effect.timeoutOption(Fiber.join(fiber), `${patience} seconds`)
  ).pipe(Effect.map((exit) => Option.flatMap(exit, Exit.getSuccess)))

/** How late a timer comes, ten times a second, for as long as the scope lives. */
export const watchLoop = Effect.withFiber((fiber) => {
  const { context } = fiber
  return Effect.acquireRelease(
    Effect.sync(() => {
      let due = performance.now() + pause
      const timer = setInterval(() => {
        const now = performance.now()
        M.loopDelay().updateUnsafe(Math.max(0, now - due) / 1000, context)
        due = now + pause
      }, pause)
      timer.unref()
      return timer
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  )
})

/**
 * Looks at all that is a state and not a count. A gauge that can't be read (say, because the database is away) keeps
 * its value.
 */
export const makeLook = Effect.fnUntraced(function* ({ memoryLimit, dataDir }: LookedAt) {
  const asker = yield* Asker
  const projector = yield* Projector
  const leftOut = yield* LeftOut
  const reacting = yield* Reacting
  const indexing = yield* Indexing
  const runs = yield* Runs
  const answers = yield* Answers
  const readiness = yield* Readiness
  const database = yield* DatabaseLook
  /** The counts of each cache that were told already. */
  const told = new Map<string, { hits: number; misses: number }>()
  const disks = yield* Disks
  const space = yield* DiskSpace

  return Effect.withFiber((fiber) => {
    const { context } = fiber
    const set = (gauge: Metric.Gauge<number>, value: number) => gauge.updateUnsafe(value, context)
    return Effect.gen(function* () {
      const { resourceUsage, memoryUsage, uptime } = process
      const { rss, heapUsed, external } = memoryUsage.call(process)
      set(M.memory("resident"), rss)
      set(M.memory("heap"), heapUsed)
      set(M.memory("external"), external)
      set(M.memoryLimit(), memoryLimit)
      const { userCPUTime, systemCPUTime } = resourceUsage.call(process)
      set(M.processorSeconds(), (userCPUTime + systemCPUTime) / 1_000_000)
      set(M.started(), Math.round(Date.now() / 1000 - uptime.call(process)))
      const descriptors = openDescriptors()
      if (descriptors !== undefined) set(M.descriptors(), descriptors)
      const disk = yield* space.of(dataDir)
      if (disk !== undefined) for (const kind of ["free", "size"] as const) set(M.disk(kind), disk[kind])
      for (const [name, { hits, misses, size }] of caches) {
        const before = told.get(name) ?? { hits: 0, misses: 0 }
        M.cacheLookups(name, "hit").updateUnsafe(hits - before.hits, context)
        M.cacheLookups(name, "miss").updateUnsafe(misses - before.misses, context)
        told.set(name, { hits, misses })
        set(M.cacheEntries(name), size)
      }
      set(M.answersHeld(), answers.held())
      set(M.answersWaiting(), answers.waiting())
      for (const [disk, { nearlyFull }] of disks()) set(M.diskNearlyFull(disk), nearlyFull ? 1 : 0)
      const { running, waiting } = yield* runs.counts
      set(M.chats("running"), running)
      set(M.chats("waiting"), waiting)

      for (const [name, progress] of reacting ?? []) {
        const { lag, fault } = progress()
        set(M.reactionLag(name), lag)
        set(M.reactionFailing(name), fault === undefined ? 0 : 1)
        set(M.reactionLeftOut(name), leftOut.get(name)?.length ?? 0)
      }
      const size = yield* indexing.size
      if (size !== undefined) set(M.indexSnippets(), size)
      set(M.indexLeftOut(), (yield* indexing.leftOut).size)

      const failures = yield* projector.failures
      const report = Option.getOrUndefined(yield* inTime(readiness.look))
      if (report === undefined) {
        set(M.missing("database"), 1)
        set(M.databaseSeconds(), patience)
        return
      }
      const { missing } = report
      for (const what of ["database", "log", "search"] as const) set(M.missing(what), missing.includes(what) ? 1 : 0)
      const began = performance.now()
      const [look, connections] = yield* Effect.all([inTime(asker.look), inTime(database.connections)], {
        concurrency: 2
      })
      set(M.databaseSeconds(), Option.isNone(connections) ? patience : (performance.now() - began) / 1000)
      if (Option.isSome(connections))
        for (const [state, count] of Object.entries(connections.value)) set(M.connections(state), count)
      if (Option.isNone(look)) return
      const indexed = yield* indexing.position
      for (const [name, { position, due }] of look.value.models) {
        set(M.readModelLag(name), lagOf(position, due))
        set(M.readModelFailing(name), failures.has(name) ? 1 : 0)
        if (name.startsWith("snippets_")) set(M.indexLag(), Math.max(0, look.value.models.get(name)!.changed - indexed))
      }
    })
  })
})
