import { Layer, ManagedRuntime } from "effect"
import { layer as memory } from "#infra/search/memory/layer.ts"
import type { Embeddings } from "#ports/Embeddings.ts"
import type { SnippetIndex } from "#ports/SnippetIndex.ts"
import { newIndex, newName } from "#test/elasticsearch/index.ts"
import { startElasticsearch } from "#test/elasticsearch/server.ts"
import { embeddings } from "#test/embeddings.ts"
import {
  corpus,
  distractorsExist,
  type EvaluationDocument,
  qualityOf,
  queries,
  queryOf,
  snippetOf
} from "#test/evaluation.ts"
import { searching } from "#test/searching.ts"

// The index in memory, the one in Elasticsearch, and Elasticsearch's own `multi_match` over the same texts, which is what
// a user would write first: quality and speed on the development sets. `deno run -A bench/elastic.ts`

type Ask = (text: string) => Promise<ReadonlyArray<string>>

const page = 1_000

const ours = async (
  layer: Layer.Layer<SnippetIndex | Embeddings, unknown>,
  documents: ReadonlyArray<EvaluationDocument>
) => {
  const runtime = ManagedRuntime.make(Layer.orDie(layer))
  const index = await runtime.runPromise(searching)
  const began = performance.now()
  for (let at = 0; at < documents.length; at += page)
    await runtime.runPromise(index.put(documents.slice(at, at + page).map((document) => snippetOf(document))))
  const filling = performance.now() - began
  const ask: Ask = async (text) => (await runtime.runPromise(index.search(queryOf(text)))).matches.map(({ id }) => id)
  return { ask, filling, close: () => runtime.dispose() }
}

/** With the standard analyzer and nothing else. */
const plain = async (url: string, documents: ReadonlyArray<EvaluationDocument>) => {
  const name = newName()
  const send = async (path: string, body: string) => {
    const answer = await fetch(`${url}/${name}${path}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body
    })
    return (await answer.json()) as { readonly hits?: { readonly hits: ReadonlyArray<{ readonly _id: string }> } }
  }
  const began = performance.now()
  for (let at = 0; at < documents.length; at += page) {
    const lines = documents
      .slice(at, at + page)
      .flatMap(({ id, name, description, source }) => [{ index: { _id: id } }, { name, description, source }])
    await send("/_bulk", `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`)
  }
  await send("/_refresh", "")
  const filling = performance.now() - began
  const fields = ["name", "description", "source"]
  const ask: Ask = async (query) => {
    const found = await send(
      "/_search",
      JSON.stringify({ size: 10, _source: false, query: { multi_match: { query, fields } } })
    )
    return found.hits!.hits.map(({ _id }) => _id)
  }
  return { ask, filling, close: async () => {} }
}

const percentile = (sorted: ReadonlyArray<number>, share: number) =>
  `${sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1)} ms`

const [server] = await startElasticsearch()
const { url } = server!
const stores = (["mbpp", "agent30"] as const).flatMap((set) => [
  { name: set, set, documents: corpus(set) },
  ...(distractorsExist
    ? [{ name: `${set} + distractors`, set, documents: [...corpus(set), ...corpus("distractors")] }]
    : [])
])
const rows: Record<string, object> = {}
for (const { name, set, documents } of stores) {
  const engines = {
    memory: () => ours(Layer.provideMerge(memory, embeddings), documents),
    Elasticsearch: () => ours(newIndex(url), documents),
    "its multi_match": () => plain(url, documents)
  }
  for (const [engine, make] of Object.entries(engines)) {
    const { ask, filling, close } = await make()
    const asked = queries(set)
    for (const { text } of asked.slice(0, 50)) await ask(text)
    const answers = new Map<string, ReadonlyArray<string>>()
    const times: Array<number> = []
    for (const { text } of asked) {
      const began = performance.now()
      answers.set(text, await ask(text))
      times.push(performance.now() - began)
    }
    times.sort((one, other) => one - other)
    const { mrr, ndcg } = qualityOf(asked, (text) => answers.get(text)!)
    rows[`${name} (${documents.length}): ${engine}`] = {
      "nDCG@10": ndcg.toFixed(4),
      "MRR@10": mrr.toFixed(4),
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      "filled in s": (filling / 1_000).toFixed(1)
    }
    console.error(name, engine, JSON.stringify(rows[`${name} (${documents.length}): ${engine}`]))
    await close()
  }
}
console.table(rows)
await server!.stop()
process.exit(0)
