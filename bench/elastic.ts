import { Effect, Layer, PubSub } from "effect"
import { ReadPatience } from "#engine/ask.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { bring, Projector } from "#engine/project.ts"
import * as Postgres from "#infra/postgres/client.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as PostgresTelling from "#infra/postgres/telling.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { layer as memory } from "#infra/search/memory/layer.ts"
import type { Embeddings } from "#ports/Embeddings.ts"
import type { SnippetIndex } from "#ports/SnippetIndex.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import * as Codec from "#src/codec.ts"
import { find } from "#src/snippets/find.ts"
import { Indexing } from "#src/snippets/indexing.ts"
import { whyNot } from "#test/elasticsearch/distribution.ts"
import { newIndex } from "#test/elasticsearch/index.ts"
import { startElasticsearch } from "#test/elasticsearch/server.ts"
import { embeddings } from "#test/embeddings.ts"
import { corpus, type EvaluationDocument, qualityOf, queries, queryOf } from "#test/evaluation.ts"
import { type Ask, type Asked, askFor } from "./asking.ts"
import { benchDatabase } from "./database.ts"
import { plainMatch } from "./plainMatch.ts"
import { type Measured, median, milliseconds, percentile, thousands } from "./report.ts"
import { repeated, snippetIdOf, upload } from "./uploads.ts"

const sets = ["mbpp", "agent30"] as const
const tasks = sets.flatMap((set) => queries(set).map(({ text }) => text))
const atOnce = 8
const rounds = 5
/** As a small server has it: with vectors compared many numbers at once, which takes Java's own compiler whole. */
const java = "-Xms1g -Xmx1g -XX:-AlwaysPreTouch"

const say = (line: string) => Effect.sync(() => console.error(`  ${line}`))

/** What `indexing` stands on of the projector; nothing moves while it is measured. */
const still = Layer.effect(
  Projector,
  Effect.map(PubSub.sliding<string>(1), (moved) => Projector.of({ moved, failures: Effect.succeed(new Map()) }))
)

/** Fills an index from the catalogue's rows as the service does, in snippets a second, and asks it. */
const indexed = Effect.fnUntraced(function* (
  name: string,
  index: Layer.Layer<SnippetIndex | Embeddings, unknown>,
  count: number,
  ids: ReadonlyMap<string, string>
) {
  const { head } = yield* EventStore
  const to = yield* head
  const began = performance.now()
  const services = yield* Layer.build(
    Indexing.layer.pipe(
      Layer.provideMerge(Layer.orDie(index)),
      Layer.provide(still),
      Layer.provide(Layer.succeed(ReadPatience, 5_000))
    )
  )
  yield* Effect.gen(function* () {
    const indexing = yield* Indexing
    while (!(yield* indexing.reach(to))) yield* say(`${name}: at ${yield* indexing.position} of ${count}`)
    const [left] = yield* indexing.leftOut
    if (left !== undefined) return yield* Effect.die(`${name} left out ${left.join(": ")}`)
  }).pipe(Effect.provide(services))
  const perSecond = count / ((performance.now() - began) / 1_000)
  const run = Effect.runPromiseWith(services)
  const ask: Ask = async (task) => (await run(find(queryOf(task)))).matches.map(({ id }) => ids.get(id)!)
  return { name, ask, perSecond }
})

/** All engines in turns: one at a time, and several at once. */
const speeds = async (engines: ReadonlyArray<{ readonly ask: Ask }>, time: number) => {
  const alone: Array<Array<Asked>> = engines.map(() => [])
  const together: Array<Array<Asked>> = engines.map(() => [])
  for (const { ask } of engines) await askFor(ask, tasks, atOnce, time)
  for (let round = 0; round < rounds; round++) {
    for (const [at, { ask }] of engines.entries()) {
      alone[at]!.push(await askFor(ask, tasks, 1, time))
      together[at]!.push(await askFor(ask, tasks, atOnce, time))
    }
  }
  return engines.map((_, at) => {
    const times = alone[at]!.flatMap(({ times }) => times)
    return {
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      perSecond: median(together[at]!.map(({ perSecond }) => perSecond)),
      ratio: (to: number) =>
        median(together[at]!.map(({ perSecond }, round) => perSecond / together[to]![round]!.perSecond))
    }
  })
}

interface Indices {
  readonly indices?: Record<string, { readonly primaries: Record<"docs" | "segments", { readonly count: number }> }>
}

/** Until what was filled is one segment, which is what searches find but for a moment (decision 84). */
const merged = async (url: string) => {
  const paths = ["docs", "segments"].map((of) => `indices.*.primaries.${of}.count`)
  for (;;) {
    const answer = await fetch(`${url}/_stats/docs,segments?filter_path=${paths.join(",")}`)
    const { indices = {} } = (await answer.json()) as Indices
    const large = Object.values(indices).filter(({ primaries }) => primaries.docs.count > 2_000)
    if (large.every(({ primaries }) => primaries.segments.count === 1)) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

const qualities = async (ask: Ask) => {
  const values: Array<string> = []
  for (const set of sets) {
    const answers = new Map<string, ReadonlyArray<string>>()
    for (const { text } of queries(set)) answers.set(text, await ask(text))
    values.push(`${set} ${qualityOf(queries(set), (text) => answers.get(text)!).ndcg.toFixed(4)}`)
  }
  return values.join(", ")
}

const row = (name: string, value: string): Measured => ({ name, value, bar: "", met: null })

const measured = Effect.fnUntraced(function* (
  url: string,
  documents: ReadonlyArray<EvaluationDocument>,
  time: number,
  isWhole: boolean
) {
  const size = `${thousands(documents.length)} snippets`
  const database = yield* benchDatabase
  const services = yield* Layer.build(
    Layer.mergeAll(Codec.layer, PostgresEventStore.layer, PostgresReadModels.layer, PostgresTelling.layer).pipe(
      Layer.provideMerge(EmbeddingTable.layer),
      Layer.provideMerge(Postgres.layer(database.url))
    )
  )
  return yield* Effect.gen(function* () {
    yield* say(`${size}: into the log`)
    yield* upload(documents)
    const store = yield* EventStore
    yield* say(`${size}: the catalogue`)
    const began = performance.now()
    yield* bring(yield* (yield* ReadModels).live(Snippets), yield* store.head)
    const catalogue = documents.length / ((performance.now() - began) / 1_000)
    const ids = new Map(documents.map((document) => [snippetIdOf(document), document.id]))
    yield* say(`${size}: the index in memory`)
    const inMemory = yield* indexed("memory", Layer.provideMerge(memory, embeddings), documents.length, ids)
    yield* say(`${size}: Elasticsearch`)
    const elastic = yield* indexed("Elasticsearch", newIndex(url), documents.length, ids)
    yield* Effect.promise(() => merged(url))
    const plain = yield* Effect.acquireRelease(
      Effect.promise(() => plainMatch(url, documents)),
      ({ close }) => Effect.promise(close)
    )
    const engines = [inMemory, elastic, { name: "its own match", ...plain }]
    yield* say(`${size}: searches`)
    const speed = yield* Effect.promise(() => speeds(engines, time))
    const rows = engines.map(({ name }, at) => {
      const { p50, p99, perSecond, ratio } = speed[at]!
      const beside = at === 2 ? "" : ` (× ${ratio(2).toFixed(2)} of its own match)`
      return row(
        `search, ${size}, ${name}`,
        `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}; ${atOnce} at once ${thousands(perSecond)}/s${beside}`
      )
    })
    if (isWhole) {
      for (const { name, ask } of engines)
        rows.push(row(`nDCG@10, ${size}, ${name}`, yield* Effect.promise(() => qualities(ask))))
    }
    const both = (index: number) => 1 / (1 / catalogue + 1 / index)
    const [memoryRate, elasticRate] = [both(inMemory.perSecond), both(elastic.perSecond)]
    rows.push(
      row(
        `rebuild from the log, ${size}`,
        `memory ${thousands(memoryRate)}/s, Elasticsearch ${thousands(elasticRate)}/s (× ${(elasticRate / memoryRate).toFixed(2)}); of that the catalogue ${thousands(catalogue)}/s; plain bulk ${thousands(plain.perSecond)}/s`
      )
    )
    return rows
  }).pipe(Effect.provide(services))
}, Effect.scoped)

/**
 * The index in memory, the one in Elasticsearch, and Elasticsearch's own `match` over the same text, in turns: speed,
 * quality on the development sets, and how long it takes to fill them again from a log of uploads.
 */
export const elastic = (scale: number, given: ReadonlyArray<number> = [0, 13_056, 100_000]) =>
  Effect.gen(function* () {
    const why = whyNot()
    if (why !== undefined) return [row("search in Elasticsearch", `skipped: ${why}`)]
    yield* say("starting Elasticsearch")
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => (await startElasticsearch(1, java))[0]!),
      (server) => Effect.promise(() => server.stop())
    )
    const asked = sets.flatMap(corpus)
    const all = [...asked, ...corpus("distractors")]
    const sizes = new Set(given.map((count) => Math.max(asked.length, Math.round(count * Math.min(1, scale)))))
    const rows: Array<Measured> = []
    for (const size of sizes) {
      const isWhole = size === asked.length || size === all.length
      rows.push(
        ...(yield* measured(server.url, repeated(all, size), Math.max(200, 2_000 * Math.min(1, scale)), isWhole))
      )
    }
    return rows
  }).pipe(Effect.scoped)
