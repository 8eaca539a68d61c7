import type { Elasticsearch } from "./server.ts"

interface Copy {
  readonly node: string
  readonly prirep: "p" | "r"
  readonly state: string
  readonly index: string
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 200))

/** The copies of what an alias is on, by the first node; a copy that is nowhere is not told. */
const copies = async ({ url }: Elasticsearch, alias: string): Promise<ReadonlyArray<Copy>> => {
  const answer = await fetch(`${url}/_cat/shards/${alias}?format=json&h=index,node,prirep,state`)
  return answer.ok ? ((await answer.json()) as ReadonlyArray<Copy>) : []
}

const nameOf = ({ url }: Elasticsearch) => `node-${new URL(url).port}`

/** Waits until each node of two has a whole copy. */
export const both = async ([first]: ReadonlyArray<Elasticsearch>, alias: string): Promise<ReadonlyArray<Copy>> => {
  for (;;) {
    const found = await copies(first!, alias)
    if (found.length === 2 && found.every(({ state }) => state === "STARTED")) return found
    await pause()
  }
}

/** Makes a node's copy the one that takes writes first: the other one's is begun anew. */
export const putFirst = async (nodes: ReadonlyArray<Elasticsearch>, node: Elasticsearch, alias: string) => {
  for (;;) {
    const primary = (await both(nodes, alias)).find(({ prirep }) => prirep === "p")!
    if (primary.node === nameOf(node)) return
    const cancel = { index: primary.index, shard: 0, node: primary.node, allow_primary: true }
    await fetch(`${nodes[0]!.url}/_cluster/reroute`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ commands: [{ cancel }] })
    })
    await pause()
  }
}

/** What each of two copies has: the ids of its documents, in their order. */
export const idsOfCopies = async (nodes: ReadonlyArray<Elasticsearch>, alias: string) => {
  await both(nodes, alias)
  await fetch(`${nodes[0]!.url}/${alias}/_refresh`, { method: "POST" })
  return Promise.all(
    nodes.map(async ({ url }) => {
      const found = await fetch(`${url}/${alias}/_search?preference=_only_local&size=1000&_source=false`)
      const { hits } = (await found.json()) as { hits: { hits: ReadonlyArray<{ _id: string }> } }
      return hits.hits.map(({ _id }) => _id).sort()
    })
  )
}
