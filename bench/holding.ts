import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers"
import { Effect, Layer } from "effect"
import { layerKept } from "#infra/search/memory/layer.ts"
import * as ThreadSnippetIndex from "#infra/search/thread/layer.ts"
import type { Embeddings } from "#ports/Embeddings.ts"
import { type IndexChanges, type IndexedSnippet, SnippetIndex } from "#ports/SnippetIndex.ts"
import { FairScheduler } from "#src/process/scheduler.ts"
import { find, type Sought } from "#src/snippets/find.ts"
import { embeddings } from "#test/embeddings.ts"
import { queries, queryOf } from "#test/evaluation.ts"
import { worked } from "#test/hostile/processor.ts"
import { logOf } from "#test/infra/search/snapshot/kept.ts"
import { neighbours } from "./neighbours.ts"

// One index with so many snippets (bench/held.ts): for how long what is done with it holds the event loop, as JSON.
// holding.ts COUNT [1]: 1: it is in a thread, and the event loop is that of who asks it.

const count = Number(process.argv[2])
const isInThread = process.argv[3] === "1"
/** As many rows of the catalogue are taken in at once by a service. */
const page = 2_000
/** Searches of each kind. */
const each = 100

/** What was done, and its longest turns and all of it, in milliseconds of the thread's processor time. */
export interface Held {
  readonly what: string
  readonly longest: ReadonlyArray<number>
  readonly processor: number
}

const held: Array<Held> = []
let turns: Array<number> = []
let last = worked(process.pid)
const round = () => {
  const now = worked(process.pid)
  turns.push(now - last)
  last = now
  setImmediate(round)
}
const rounds = Effect.promise(() => new Promise((resolve) => setImmediate(() => setImmediate(resolve))))

/** Notes what has been done since the last note. */
const note = (what: string) =>
  Effect.map(rounds, () => {
    const longest = turns.toSorted((one, other) => other - one).slice(0, 4)
    const processor = turns.reduce((sum, turn) => sum + turn, 0)
    if (what !== "") held.push({ what, longest, processor })
    process.stderr.write(`  ${what}: ${longest.map((one) => one.toFixed(1)).join(", ")} of ${processor.toFixed(0)}\n`)
    turns = []
  })
const noted = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
  Effect.andThen(note(""), Effect.andThen(effect, note(what)))

const all = neighbours()
const tasks = [...queries("agent30"), ...queries("mbpp")].map(({ text }) => text)
const long = tasks.map((_, at) => tasks.slice(at, at + 6).join(". "))
const longest = tasks.map((_, at) => [...tasks.slice(at), ...tasks].slice(0, 200).join(". "))
/** Of words that say nothing to the table. */
const unread = tasks.map((_, at) => `zzqx${at} ${at % 2 === 0 ? "xs" : "args"}`)

const searching = (some: ReadonlyArray<string>, rest: Partial<Sought> = {}) =>
  Effect.forEach(some.slice(0, each), (task) => find({ ...queryOf(task), ...rest }), { discard: true })

/** Made bit by bit, so that what this takes is no turn of the index's. */
const someOf = Effect.fnUntraced(function* (from: number, to: number) {
  const some: Array<IndexedSnippet> = []
  for (let at = from; at < to; at++) {
    some.push(all.make(at))
    if (at % 20 === 0) yield* rounds
  }
  return some
})

const used = Effect.gen(function* () {
  const index = yield* SnippetIndex
  let position = 0
  const change = (some: Partial<IndexChanges>) =>
    index.apply({ put: [], voted: [], removed: [], ...some }, { build: 1, position: ++position })
  const fill = Effect.gen(function* () {
    for (let from = 0; from < count; from += page)
      yield* change({ put: yield* someOf(from, Math.min(count, from + page)) })
  })
  yield* noted("taken in", fill)
  yield* noted("searches", searching(tasks))
  yield* noted("long tasks", searching(long))
  yield* noted("tasks of 200 sentences", searching(longest))
  yield* noted("words that say nothing", searching(unread))
  yield* noted("in one language", searching(tasks, { language: "python" }))
  const only = new Set(Array.from({ length: count }, (_, at) => all.idOf(at)))
  yield* noted("among all, by their ids", searching(tasks.slice(0, 20), { only }))
  const atOnce = Effect.forEach(long.slice(0, 64), (task) => find(queryOf(task)), { concurrency: "unbounded" })
  yield* noted("64 at once", atOnce)
  const some = Array.from({ length: Math.min(1_000, count / 10) }, (_, at) => at * 7)
  const others = yield* someOf(count, count + some.length)
  yield* noted("replaced", change({ put: others.map((other, at) => ({ ...other, id: all.idOf(some[at]!) })) }))
  const voted = some.map((at) => ({ id: all.idOf(at), up: 1, down: 0, humanUp: 1 }))
  yield* noted("voted on", change({ voted }))
  yield* noted("removed", change({ removed: some.map((at) => all.idOf(at)) }))
})

const directory = mkdtempSync(join(tmpdir(), "cairn-held-"))
const never = 1e8
const options = {
  directory,
  rules: "rules",
  isFull: () => false,
  pauses: { due: never, between: never },
  ending: never
}
const program = new URL("../src/searchThread.ts", import.meta.url)
const kept = isInThread ? ThreadSnippetIndex.layerKept(program, options) : layerKept(options)
const opened = <A, E>(use: Effect.Effect<A, E, Embeddings | SnippetIndex>) => Effect.provide(use, Layer.fresh(kept))

const steps = Effect.gen(function* () {
  yield* opened(Effect.andThen(used, note("")))
  yield* note("a snapshot written")
  yield* opened(
    Effect.andThen(
      Effect.flatMap(SnippetIndex, ({ stand }) => stand),
      note("a snapshot read")
    )
  )
}).pipe(Effect.provide(Layer.merge(logOf(), embeddings)))

setImmediate(round)
await Effect.runPromise(steps, { scheduler: new FairScheduler() })
rmSync(directory, { recursive: true })
process.stdout.write(`${JSON.stringify(held)}\n`)
process.exit(0)
