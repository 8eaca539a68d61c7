import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Layer } from "effect"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import { asked } from "#domain/search/query.ts"
import { makeKernel } from "#infra/search/memory/kernel.ts"
import { layer } from "#infra/search/memory/layer.ts"
import type { Embeddings } from "#ports/Embeddings.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { find } from "#src/snippets/find.ts"
import { embeddings, encoder } from "#test/embeddings.ts"
import { queries, queryOf } from "#test/evaluation.ts"
import { neighbours } from "./neighbours.ts"
import { percentile } from "./report.ts"

// One index with so many snippets (bench/million.ts): fills it, asks it, and writes what it saw as JSON.
// filled.ts COUNT [BESIDE]: BESIDE more lie in another home.

const [count, beside] = [Number(process.argv[2]), Number(process.argv[3] ?? 0)]
/** Snippets of a page of the catalogue. */
const page = 4_000
/** Tasks whose best are looked up by hand, and how many of each count. */
const proven = 100
const best = 50

export interface Filled {
  readonly fillSeconds: number
  readonly longestSlice: number
  readonly residentMiB: number
  readonly indexMiB: number
  readonly p50: number
  readonly p99: number
  readonly indexP50: number
  readonly indexP99: number
  readonly longP50: number
  readonly longP99: number
  readonly recall: number
}

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")
const resident = () => {
  collect()
  collect()
  return process.memoryUsage().rss / 2 ** 20
}

/** Cosines that make a match without a word in common. */
const matching = 0.2 / 0.75

/** The numbers of the vectors that are nearest to each task, in 32-bit floats. */
const nearest = (meanings: ReadonlyArray<Vector>, { vectorOf, dimensions }: ReturnType<typeof neighbours>) => {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(((page + 4) * dimensions * 4 + page * 16) / 65_536) })
  const kernel = makeKernel(dimensions, memory)
  const [first, results] = [4 * dimensions * 4, (4 + page) * dimensions * 4]
  const found = meanings.map((): Array<{ readonly at: number; readonly cosine: number }> => [])
  for (let from = 0; from < count; from += page) {
    const many = Math.min(page, count - from)
    const vectors = new Float32Array(memory.buffer, first, many * dimensions).fill(0)
    for (let at = 0; at < many; at++) {
      const vector = vectorOf(from + at)
      if (vector !== null) vectors.set(vector, at * dimensions)
    }
    for (const [place, meaning] of meanings.entries()) {
      new Float32Array(memory.buffer, 0, dimensions).set(meaning)
      kernel.one(0, first, first + many * dimensions * 4, results)
      const cosines = new Float32Array(memory.buffer, results, many)
      const its = found[place]!
      const least = its.length < best ? Number.NEGATIVE_INFINITY : its[best - 1]!.cosine
      for (let at = 0; at < many; at++)
        if (cosines[at]! > Math.max(least, matching)) its.push({ at: from + at, cosine: cosines[at]! })
      its.sort((one, other) => other.cosine - one.cosine)
      its.length = Math.min(its.length, best)
    }
  }
  return found
}

const program = Effect.gen(function* () {
  const index = yield* SnippetIndex
  const all = neighbours()
  const tasks = [...queries("agent30"), ...queries("mbpp")].map(({ text }) => text)
  yield* find(queryOf(tasks[0]!))
  const before = resident()
  let [took, longest, position] = [0, 0, 0]
  for (let from = 0; from < count + beside; from += page) {
    const put = Array.from({ length: Math.min(page, count + beside - from) }, (_, at) => {
      const number = from + at
      return all.make(number, number < count ? "home" : "other", number >= count && number % 2 === 0)
    })
    const start = performance.now()
    let last = start
    const beat = Effect.sync(() => {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }).pipe(Effect.andThen(Effect.yieldNow), Effect.forever)
    yield* Effect.raceFirst(index.apply({ put, voted: [], removed: [] }, { build: 1, position: ++position }), beat)
    took += performance.now() - start
  }
  const after = resident()
  const query = { homes: ["home"], includePublic: false, agent: null, preferComplete: false, minVerdict: 0.3 }
  const times = (of: ReadonlyArray<string>, search: (task: string) => unknown) => {
    for (const task of of.slice(0, 30)) search(task)
    const samples = of.map((task) => {
      const start = performance.now()
      search(task)
      return performance.now() - start
    })
    return { p50: percentile(samples, 0.5), p99: percentile(samples, 0.99) }
  }
  const context = yield* Effect.context<Embeddings | SnippetIndex>()
  const whole = (task: string) =>
    Effect.runSync(Effect.provideContext(find({ ...query, task, limit: 5 }), context) as Effect.Effect<unknown>)
  const words = new Map(tasks.map((task) => [task, asked(task, encoder)]))
  const alone = times(tasks, (task) =>
    Effect.runSync(Effect.orDie(index.candidates({ ...query, asked: words.get(task)! }, best)))
  )
  const both = times(tasks, whole)
  const long = tasks.slice(0, 200).map((_, at) => tasks.slice(at, at + 6).join(". "))
  const longs = times(long, whole)
  // by meaning alone
  const meant = tasks.filter((task) => words.get(task)!.read === 1).slice(0, proven)
  const truth = nearest(
    meant.map((task) => words.get(task)!.meanings[0]!),
    all
  )
  let [right, asking] = [0, 0]
  for (const [place, task] of meant.entries()) {
    const { meanings, reading, mended } = words.get(task)!
    const only = { texts: [[]], terms: [], meanings: [meanings[0]!], read: 1, reading, mended }
    const { candidates } = yield* index.candidates({ ...query, minVerdict: 0, asked: only }, best)
    const ids = new Set(candidates.map(({ id }) => id))
    const its = truth[place]!
    if (its.length === 0) continue
    asking++
    right += its.filter(({ at }) => ids.has(all.idOf(at))).length / its.length
  }
  const filled: Filled = {
    fillSeconds: took / 1_000,
    longestSlice: longest,
    residentMiB: after,
    indexMiB: after - before,
    p50: both.p50,
    p99: both.p99,
    indexP50: alone.p50,
    indexP99: alone.p99,
    longP50: longs.p50,
    longP99: longs.p99,
    recall: right / asking
  }
  process.stdout.write(`${JSON.stringify(filled)}\n`)
}).pipe(Effect.provide(Layer.provideMerge(layer, embeddings)))

await Effect.runPromise(program)
process.exit(0)
