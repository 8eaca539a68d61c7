import { readdirSync } from "node:fs"
import { Effect, type Metric } from "effect"
import { Asker } from "#engine/ask.ts"
import { LeftOut } from "#engine/leftOut.ts"
import { hasReached } from "#engine/Position.ts"
import { Projector } from "#engine/project.ts"
import { Reacting } from "#engine/reacting.ts"
import * as M from "#ports/metrics.ts"
import { Indexing } from "#src/snippets/indexing.ts"
import { Runs } from "#src/workspaces/queue.ts"
import { Answers } from "../answers.ts"
import { Readiness } from "../ready.ts"

/** Milliseconds between two looks at how late the event loop comes round. */
const pause = 100

const openDescriptors = (): number | undefined => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return undefined
  }
}

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

/** Looks at all that is no count but a state. What can't be looked at (a database that is away) stays as it was. */
export const makeLook = Effect.fnUntraced(function* (memoryLimit: number) {
  const asker = yield* Asker
  const projector = yield* Projector
  const leftOut = yield* LeftOut
  const reacting = yield* Reacting
  const indexing = yield* Indexing
  const runs = yield* Runs
  const answers = yield* Answers
  const readiness = yield* Readiness

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
      set(M.answersHeld(), answers.held())
      set(M.answersWaiting(), answers.waiting())
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
      const { missing } = yield* readiness.look
      for (const what of ["database", "log", "search"] as const) set(M.missing(what), missing.includes(what) ? 1 : 0)
      const look = yield* Effect.option(asker.look)
      if (look._tag === "None") return
      const indexed = yield* indexing.position
      for (const [name, { position, due }] of look.value.models) {
        set(M.readModelLag(name), hasReached(position, due) ? 0 : due - position)
        set(M.readModelFailing(name), failures.has(name) ? 1 : 0)
        if (name.startsWith("snippets_")) set(M.indexLag(), Math.max(0, look.value.models.get(name)!.changed - indexed))
      }
    })
  })
})
