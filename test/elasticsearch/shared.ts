import { once } from "node:events"
import { createServer } from "node:http"
import { inject } from "vitest"
import { whyNot } from "./distribution.ts"
import { type Elasticsearch, startElasticsearch } from "./server.ts"

/** Whether there is one for tests. */
export const isHere = Boolean(process.env["CAIRN_TEST_ELASTICSEARCH"]) || whyNot() === undefined

/**
 * The run's cluster of two nodes: the one at the URLs (with a comma between) in `CAIRN_TEST_ELASTICSEARCH`, else one
 * that is started when the first test asks for it. `url` is where it is asked for.
 */
export const startShared = async () => {
  let nodes: Promise<ReadonlyArray<Elasticsearch>> | undefined
  const given = process.env["CAIRN_TEST_ELASTICSEARCH"]
  const server = createServer((_, answer) => {
    if (given) return void answer.end(given)
    nodes ??= startElasticsearch(2)
    nodes.then(
      (nodes) => answer.end(nodes.map(({ url }) => url).join(",")),
      (error) => answer.writeHead(500).end(String(error))
    )
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      const started = (await nodes?.catch(() => [])) ?? []
      await Promise.all(started.map((node) => node.stop()))
    }
  }
}

/** The URLs of the run's nodes, the master's first; no test does anything to the nodes themselves. */
export const shared = async (): Promise<ReadonlyArray<string>> => {
  const answer = await fetch(inject("elasticsearch"))
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text.split(",")
}
