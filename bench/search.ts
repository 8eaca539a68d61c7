import { Effect, Layer } from "effect"
import { profileOf, profileToText } from "#domain/search/embeddings/Profile.ts"
import { meaningOf, vectorToText } from "#domain/search/embeddings/vector.ts"
import { layer } from "#infra/search/memory/layer.ts"
import type { IndexedSnippet } from "#ports/SnippetIndex.ts"
import { embeddings } from "#test/embeddings.ts"
import { corpus, queries, queryOf, snippetOf } from "#test/evaluation.ts"
import { searching } from "#test/searching.ts"
import { calibration } from "./calibration.ts"
import { offers } from "./offers.ts"

// What scores tell, what is offered, and the speed of search: `deno run -A --v8-flags=--expose-gc bench/search.ts
// [calibration|offers|speed]`. How well it finds: `npm run eval`.

const index = Effect.orDie(Effect.provide(searching, Layer.provideMerge(layer, embeddings)))

/** So many snippets of all sets, repeated under other ids and names. */
const many = (count: number): ReadonlyArray<string> => {
  const documents = [...corpus("mbpp"), ...corpus("agent30"), ...corpus("distractors")]
  return Array.from({ length: count }, (_, at) => {
    const document = documents[at % documents.length]!
    const copy = Math.floor(at / documents.length)
    const name = copy === 0 ? document.name : `${document.name}_variant${copy}`
    const id = `${at.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`
    const { vector, profile, ...snippet } = snippetOf({ ...document, name }, id)
    return JSON.stringify({
      ...snippet,
      vector: vector === null ? "" : vectorToText(vector),
      profile: profileToText(profile)
    })
  })
}

const fromRow = (row: string): IndexedSnippet => {
  const { vector, profile, ...snippet } = JSON.parse(row)
  return { ...snippet, vector: meaningOf(vector), profile: profileOf(profile) }
}

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`
/** Bytes in the heap and beside it; exact only with `--expose-gc`. */
const used = () => {
  const collect = (globalThis as { gc?: () => void }).gc
  collect?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const percentile = (sorted: ReadonlyArray<number>, share: number) =>
  `${sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(2)} ms`

const latencies = (search: (task: string) => void, tasks: ReadonlyArray<string>) => {
  for (const task of tasks.slice(0, 100)) search(task)
  const times = tasks.map((task) => {
    const start = performance.now()
    search(task)
    return performance.now() - start
  })
  times.sort((one, other) => one - other)
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), max: percentile(times, 1) }
}

const speed = (count: number) =>
  Effect.gen(function* () {
    // As rows of the catalogue: JSON, a page at a time.
    const rows = many(count)
    const ours = yield* index
    const before = used()
    let parsing = 0
    const start = performance.now()
    for (let at = 0; at < rows.length; at += 4_000) {
      const from = performance.now()
      const page = rows.slice(at, at + 4_000).map(fromRow)
      parsing += performance.now() - from
      yield* ours.put(page)
    }
    const took = performance.now() - start
    const search = (task: string, includePublic = false) =>
      Effect.runSync(ours.search({ ...queryOf(task), includePublic, limit: 5 }))
    const tasks = [...queries("mbpp"), ...queries("agent30")].map(({ text }) => text)
    const long = tasks.slice(0, 200).map((_, at) => tasks.slice(at, at + 6).join(" "))
    const memory = megabytes(used() - before)
    console.table({
      [`${count} snippets`]: {
        "put/s": Math.round((count / (took - parsing)) * 1000),
        "JSON ms": Math.round(parsing),
        "put ms": Math.round(took - parsing),
        memory,
        ...latencies(search, tasks)
      },
      "long tasks": latencies(search, long)
    })
    const again = rows.slice(0, 2_000).map(fromRow)
    const from = performance.now()
    yield* ours.put(again)
    console.log(`replacing: ${Math.round((again.length / (performance.now() - from)) * 1000)}/s`)
  })

const [what] = process.argv.slice(2)
const wanted = (name: string) => what === undefined || what === name
if (wanted("calibration")) await Effect.runPromise(calibration(index))
if (wanted("offers")) await Effect.runPromise(offers(index))
if (wanted("speed")) for (const count of [22_000, 100_000]) await Effect.runPromise(speed(count))
