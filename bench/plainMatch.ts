import { newName } from "#test/elasticsearch/index.ts"
import type { EvaluationDocument } from "#test/evaluation.ts"
import type { Ask } from "./asking.ts"

/** Documents of one bulk request. */
const page = 1_000

/**
 * An index of Elasticsearch's with its own settings throughout and a `match` over all text: what a user would write
 * first.
 */
export const plainMatch = async (url: string, documents: ReadonlyArray<EvaluationDocument>) => {
  const index = `${url}/${newName()}`
  const send = async (path: string, body: string) => {
    const headers = { "content-type": "application/x-ndjson" }
    const answer = await fetch(`${index}${path}`, { method: "POST", headers, body })
    // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at field by field
    const said = (await answer.json()) as any
    if (!answer.ok || said.errors === true || said.timed_out === true || (said._shards?.failed ?? 0) > 0)
      throw new Error(`Elasticsearch refused ${path}: ${JSON.stringify(said).slice(0, 500)}`)
    return said
  }
  const began = performance.now()
  for (let at = 0; at < documents.length; at += page) {
    const lines = documents
      .slice(at, at + page)
      .flatMap(({ id, name, description, source }) => [
        { index: { _id: id } },
        { text: `${name}\n${description}\n${source}` }
      ])
    await send("/_bulk", `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`)
  }
  await send("/_refresh", "")
  const perSecond = documents.length / ((performance.now() - began) / 1_000)
  const { count } = await send("/_count", "")
  if (count !== documents.length) throw new Error(`Elasticsearch has ${count} documents of ${documents.length}`)
  const ask: Ask = async (task) => {
    const found = await send("/_search", JSON.stringify({ size: 10, _source: false, query: { match: { text: task } } }))
    return found.hits.hits.map(({ _id }: { readonly _id: string }) => _id)
  }
  return { ask, perSecond, close: () => fetch(index, { method: "DELETE" }) }
}
