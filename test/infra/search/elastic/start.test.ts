import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { layer } from "#infra/search/elastic/layer.ts"
import { mappingVersion } from "#infra/search/elastic/mapping.ts"
import type { ElasticsearchSettings } from "#ports/ElasticsearchSettings.ts"
import { Installation } from "#ports/Installation.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { aLog, indexAt, newName } from "#test/elasticsearch/index.ts"
import { startProxy } from "#test/elasticsearch/proxy.ts"
import { isHere, shared } from "#test/elasticsearch/shared.ts"
import { embeddings } from "#test/embeddings.ts"
import { median, snippet } from "../../indexed.ts"

const [url] = (isHere ? await shared() : ["http://127.0.0.1:9"]) as [string]

const given = Layer.mergeAll(embeddings, aLog(), Layer.succeed(Installation, { secret: "one" }))

/** How a start ends: `undefined` well, else with what it says. */
const starting = ({ url, ...settings }: Partial<Omit<ElasticsearchSettings, "urls">> & { readonly url: string }) =>
  layer({ urls: [url], auth: undefined, caFile: undefined, index: newName(), ...settings }).pipe(
    Layer.provide(given),
    Layer.build,
    Effect.scoped,
    Effect.as(undefined),
    Effect.catch((error) => Effect.succeed(error.message))
  )

interface Mapped {
  readonly mappings: { readonly _meta: { readonly cairn: object } }
}

const put = { put: [snippet("home", "a", median)], voted: [], removed: [] }

describe.skipIf(!isHere)("Elasticsearch", () => {
  it.live("one that is not there, or is something else, is one line with the variable, the host and the cause", () =>
    Effect.gen(function* () {
      const nobody = yield* starting({ url: "http://127.0.0.1:1" })
      assert.match(nobody!, /^Elasticsearch at 127\.0\.0\.1:1 \(ELASTICSEARCH_URL\) can't be used: .*ECONNREFUSED/)
      const proxy = yield* Effect.promise(() => startProxy(url))
      proxy.answer((answer) => {
        answer.writeHead(200, { "content-type": "application/json" }).end("{}")
      })
      assert.include(yield* starting({ url: proxy.url }), "what answers there is not Elasticsearch")
      proxy.answer((answer) => {
        answer.writeHead(401, { "content-type": "application/json", "x-elastic-product": "Elasticsearch" }).end("{}")
      })
      assert.include(yield* starting({ url: proxy.url }), "it refuses who asks (401)")
      proxy.stop()
    })
  )

  it.live(
    "refuses an index of another Cairn, of a newer one, and one that is nobody's, and leaves each as it was",
    () =>
      Effect.gen(function* () {
        const send = (method: string, path: string, body: object) =>
          Effect.promise(() =>
            fetch(`${url}${path}`, {
              method,
              headers: { "content-type": "application/json" },
              body: JSON.stringify(body)
            })
          )
        const name = newName()
        const apply = Effect.flatMap(SnippetIndex, (index) => index.apply(put, { build: 1, position: 5 }))
        yield* Effect.provide(apply, indexAt(url, name, "another"))
        assert.include(yield* starting({ url, index: name }), "belongs to another Cairn")
        const mine = newName()
        yield* Effect.provide(apply, indexAt(url, mine))
        assert.isUndefined(yield* starting({ url, index: mine }))
        const meta = yield* Effect.promise(async (): Promise<{ readonly cairn: object }> => {
          const answer = await fetch(`${url}/${mine}-v${mappingVersion}-b1/_mapping`)
          return (Object.values(await answer.json())[0] as Mapped).mappings._meta
        })
        yield* send("PUT", `/${mine}-v${mappingVersion}-b1/_mapping`, {
          _meta: { cairn: { ...meta.cairn, mapping: 99 } }
        })
        assert.include(yield* starting({ url, index: mine }), "was made by a newer Cairn")
        const foreign = newName()
        yield* send("PUT", `/${foreign}`, {})
        assert.include(yield* starting({ url, index: foreign }), "is not one of Cairn's")
      })
  )

  it.live("trusts a certificate by the CA that is named, and no other; credentials are sent, and said nowhere", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "cairn-tls-"))
      const openssl = (...args: ReadonlyArray<string>) =>
        execFileSync("openssl", args, { cwd: folder, stdio: "ignore" })
      const made = ["req", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
      openssl(...made, "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA")
      openssl(...made, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=localhost")
      writeFileSync(join(folder, "names"), "subjectAltName=IP:127.0.0.1")
      const signing = ["x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"]
      openssl(...signing, "-out", "cert.pem", "-days", "2", "-extfile", "names")
      const read = (name: string) => readFileSync(join(folder, name), "utf8")
      const proxy = yield* Effect.promise(() => startProxy(url, { key: read("key.pem"), cert: read("cert.pem") }))
      const refused = yield* starting({ url: proxy.url })
      assert.include(refused, "its certificate is not vouched for")
      assert.include(refused, "ELASTICSEARCH_CA_FILE")
      assert.lengthOf(proxy.seen, 0)

      const lines: Array<string> = []
      const logged = Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))]))
      const caFile = join(folder, "ca.pem")
      const password = Redacted.make("a-password-of-mine")
      const auth = { username: "cairn", password }
      assert.isUndefined(yield* logged(starting({ url: proxy.url, caFile, auth })))
      const expected = `Basic ${Buffer.from("cairn:a-password-of-mine").toString("base64")}`
      assert.isTrue(proxy.seen.every(({ authorization }) => authorization === expected))
      const apiKey = Redacted.make("a-key-of-mine")
      assert.isUndefined(yield* logged(starting({ url: proxy.url, caFile, auth: { apiKey } })))
      assert.strictEqual(proxy.seen.at(-1)!.authorization, "ApiKey a-key-of-mine")
      proxy.answer((answer) => {
        answer.writeHead(403, { "content-type": "application/json", "x-elastic-product": "Elasticsearch" }).end("{}")
      })
      const said = yield* logged(starting({ url: proxy.url, caFile, auth }))
      assert.notMatch(`${said} ${lines.join(" ")}`, /of-mine/)
      proxy.stop()
      rmSync(folder, { recursive: true })
      const missing = yield* starting({ url: "https://127.0.0.1:1", caFile: "/nowhere/ca.pem" })
      assert.include(missing, "ELASTICSEARCH_CA_FILE can't be read")
      const other = yield* starting({ url: "https://127.0.0.1:1", caFile: fileURLToPath(import.meta.url) })
      assert.include(other, "is no file with certificates (PEM)")
    })
  )
})
