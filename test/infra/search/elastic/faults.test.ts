import { afterAll, assert, describe, it } from "@effect/vitest"
import { whyNot } from "#test/elasticsearch/distribution.ts"
import { newName } from "#test/elasticsearch/index.ts"
import { startElasticsearch } from "#test/elasticsearch/server.ts"
import { type Service, startService } from "#test/service.ts"

const isHere = whyNot() === undefined
const [server] = isHere ? await startElasticsearch() : []

const store = (service: Service, name: string) =>
  service.call("POST", "/api/store/execution-result", {
    task: `${name} of some numbers`,
    succeeded: true,
    file_written: { path: `${name}.py`, content: `def ${name}(numbers):\n    return ${name}_of(numbers)\n` }
  })

const search = (service: Service, task: string) => service.call("POST", "/api/retrieve/search", { task })

/** Until something holds: the index catches up by itself. */
const until = async <A>(look: () => Promise<A>, holds: (found: A) => boolean): Promise<A> => {
  for (;;) {
    const found = await look()
    if (holds(found)) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

describe.skipIf(!isHere)("a service whose Elasticsearch goes", () => {
  afterAll(async () => {
    await server?.stop()
  })

  it("killed: searches are told so and all else goes on, and it catches up by itself when it is back", async () => {
    const service = await startService({
      ELASTICSEARCH_URL: server!.url,
      ELASTICSEARCH_INDEX: newName(),
      CAIRN_READ_PATIENCE_MS: "5000"
    })
    try {
      assert.strictEqual((await store(service, "median")).status, 200)
      const found = await until(
        () => search(service, "the median"),
        ({ headers }) => headers.get("cairn-stale") === null
      )
      assert.include(found.text, "median.py")

      server!.signal("SIGKILL")
      const refused = await search(service, "another median")
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(refused.json.code, "unavailable/search")
      assert.isNotNull(refused.headers.get("retry-after"))
      assert.strictEqual((await store(service, "quantile")).status, 200)
      const ready = await until(
        () => service.call("GET", "/ready"),
        ({ status }) => status === 503
      )
      assert.include(ready.text, `Elasticsearch at ${new URL(server!.url).host}`)

      await server!.restart()
      const after = await until(
        () => search(service, "quantile"),
        ({ status, headers }) => status === 200 && headers.get("cairn-stale") === null
      )
      assert.include(after.text, "quantile.py")
      assert.include((await search(service, "median again")).text, "median.py")
      await until(
        () => service.call("GET", "/ready"),
        ({ status }) => status === 200
      )
    } finally {
      await service.close()
    }
  })

  it("stopped in its tracks: a search ends all the same, and so does a write", async () => {
    const service = await startService({
      ELASTICSEARCH_URL: server!.url,
      ELASTICSEARCH_INDEX: newName(),
      CAIRN_READ_PATIENCE_MS: "1000"
    })
    try {
      await store(service, "median")
      await until(
        () => search(service, "the median"),
        ({ status, headers }) => status === 200 && headers.get("cairn-stale") === null
      )
      server!.signal("SIGSTOP")
      const [refused, stored] = await Promise.all([search(service, "what else"), store(service, "quantile")])
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(stored.status, 200)
      server!.signal("SIGCONT")
      const after = await until(
        () => search(service, "quantile"),
        ({ status, headers }) => status === 200 && headers.get("cairn-stale") === null
      )
      assert.include(after.text, "quantile.py")
    } finally {
      server!.signal("SIGCONT")
      await service.close()
    }
  })
})
