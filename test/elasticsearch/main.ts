import { fetchDistribution, whyNot } from "./distribution.ts"
import { startElasticsearch } from "./server.ts"

// `npm run elasticsearch -- fetch` brings a real Elasticsearch into .cache/; `… start [NODES]` starts it, says where it
// is and stops it at Ctrl-C; `… why` says what is missing for that, or nothing.

const [what, count] = process.argv.slice(2)
if (what === "fetch") console.log(await fetchDistribution())
else if (what === "why") console.log(whyNot() ?? "")
else if (what === "start") {
  const nodes = await startElasticsearch(Number(count ?? 1))
  console.log(`ELASTICSEARCH_URL=${nodes.map(({ url }) => url).join(",")}`)
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => void Promise.all(nodes.map((node) => node.stop())).then(() => process.exit(0)))
} else {
  console.error("fetch, why, or start [NODES]")
  process.exit(2)
}
