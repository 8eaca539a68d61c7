import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Service, startService } from "#test/service.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

const get = (path: string, headers: { readonly [name: string]: string } = {}) =>
  fetch(service.url + path, { headers, redirect: "manual" })
const page = async () => (await get("/")).text()
const assetsIn = (html: string) => [
  ...new Set([...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!))
]
const importMapIn = (html: string): { imports: { [name: string]: string } } =>
  JSON.parse(/<script type="importmap">([^<]*)<\/script>/.exec(html)![1]!)

describe("the console's page", () => {
  it("is the same at every address of the console, with no key", async () => {
    const html = await page()
    for (const path of [
      "/?a=%",
      "/search",
      "/search?q=csv",
      "/snippets/1",
      "/workspaces",
      "/workspaces/1",
      "/workspaces/1/files",
      "/workspaces/1/commits/2",
      "/chat",
      "/runs/1"
    ]) {
      const answer = await get(path)
      assert.strictEqual(answer.status, 200, path)
      assert.strictEqual(answer.headers.get("content-type"), "text/html; charset=utf-8")
      assert.strictEqual(await answer.text(), html, path)
    }
  })

  it("is not at addresses that only look like those", async () => {
    for (const path of ["//", "//search", "/workspaces//1", "/workspaces/1//files"])
      assert.strictEqual((await get(path)).status, 404, path)
  })

  it("may run and wear this service's own files, and nothing that stands in a page but the map of imports", async () => {
    const answer = await get("/")
    const html = await answer.text()
    const map = /<script type="importmap">([^<]*)<\/script>/.exec(html)![1]!
    const digest = createHash("sha256").update(map).digest("base64")
    assert.deepStrictEqual(answer.headers.get("content-security-policy")!.split("; "), [
      "default-src 'none'",
      `script-src 'self' 'sha256-${digest}'`,
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'"
    ])
    assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
    assert.strictEqual(answer.headers.get("referrer-policy"), "no-referrer")
    assert.strictEqual(answer.headers.get("x-frame-options"), "DENY")
    assert.notMatch(html, /<style|style="|\son[a-z]+="|https?:\/\//)
    assert.strictEqual(html.match(/<script/g)!.length, 2)
  })

  it("is asked for again each time, and not sent again while it is the same", async () => {
    const first = await get("/")
    assert.strictEqual(first.headers.get("cache-control"), "no-cache")
    const again = await get("/", { "if-none-match": first.headers.get("etag")! })
    assert.strictEqual(again.status, 304)
    assert.strictEqual(await again.text(), "")
  })

  it("leaves the other documents as they are", async () => {
    for (const path of ["/health", "/docs", "/skill.md", "/openapi.json"]) {
      const answer = await get(path)
      assert.strictEqual(answer.status, 200, path)
      assert.notInclude(await answer.text(), '<div id="console">')
    }
    assert.strictEqual((await get("/nothing")).status, 404)
    const posted = await fetch(`${service.url}/workspaces`, { method: "POST" })
    assert.strictEqual(posted.status, 405)
    assert.strictEqual(posted.headers.get("allow"), "GET")
    await posted.text()
  })
})

describe("what the page loads", () => {
  it("is there, may be kept for ever, and has its type", async () => {
    const html = await page()
    const paths = [...assetsIn(html), ...Object.values(importMapIn(html).imports).filter((path) => !path.endsWith("/"))]
    assert.include(paths.map((path) => path.replace(/^\/assets\/[0-9a-f]+\//, "")).join(), "src/console/main.ts,")
    for (const path of paths) {
      const answer = await get(path)
      assert.strictEqual(answer.status, 200, path)
      assert.strictEqual(answer.headers.get("cache-control"), "public, max-age=31536000, immutable")
      const type = path.endsWith(".css")
        ? "text/css; charset=utf-8"
        : path.endsWith(".svg")
          ? "image/svg+xml"
          : "text/javascript; charset=utf-8"
      assert.strictEqual(answer.headers.get("content-type"), type, path)
      assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
      assert.isAbove((await answer.text()).length, 20, path)
    }
  })

  it("has no types left in it, and imports nothing that is not there", async () => {
    const html = await page()
    const { imports } = importMapIn(html)
    for (const path of assetsIn(html).filter((path) => path.endsWith(".ts"))) {
      const source = await (await get(path)).text()
      assert.notMatch(source, /^(?:import|export) type |^export interface /m, path)
      const taken = [...source.matchAll(/^(?:import|export)\b(?:[^"'()=]*? from)? "([^"]+)"/gm)].map(
        ([, name]) => name!
      )
      // two of them in one page would not know each other's components
      assert.includeMembers(taken, ["preact", "preact/hooks", "@preact/signals", "htm"], path)
      for (const name of taken) assert.property(imports, name, path)
      assert.match(source, /\bimport\("highlight\.js"\)/, path)
    }
  })

  it("comes compressed to who takes that, and not again to who has it", async () => {
    const path = assetsIn(await page()).find((path) => path.endsWith("main.ts"))!
    const plain = await get(path, { "accept-encoding": "identity" })
    const zipped = await get(path, { "accept-encoding": "gzip" })
    assert.strictEqual(zipped.headers.get("content-encoding"), "gzip")
    assert.strictEqual(plain.headers.get("content-encoding"), null)
    assert.strictEqual(await zipped.text(), await plain.text())
    assert.strictEqual((await get(path, { "if-none-match": zipped.headers.get("etag")! })).status, 304)
  })

  it("is nothing else of this machine's", async () => {
    const [base] = /^\/assets\/[0-9a-f]+\//.exec(assetsIn(await page()).find((path) => path.endsWith("main.ts"))!)!
    const others = [
      "package.json",
      "src/main.ts",
      "clients/typescript/src/agent/index.ts",
      "../../package.json",
      "%2e%2e/package.json",
      "src/console/",
      "constructor",
      ""
    ]
    for (const path of others
      .map((path) => base + path)
      .concat("/assets/", "/assets/0000000000000000/src/console/main.ts")) {
      const answer = await get(path)
      assert.strictEqual(answer.status, 404, path)
      assert.match(((await answer.json()) as { code: string }).code, /^not_found\/route$/)
    }
  })

  it("is few files: each costs a browser several milliseconds before the first of them runs", async () => {
    const html = await page()
    assert.isAtMost(new Set([...assetsIn(html), ...Object.values(importMapIn(html).imports)]).size, 10)
    for (const path of assetsIn(html))
      assert.notMatch(await (await get(path)).text(), /^(?:import|export)\b[^"']*"\./m, path)
  })

  it("is less than 250 kB compressed, with everything that the first page needs", async () => {
    const html = await page()
    let bytes = gzipSync(html).length
    for (const path of assetsIn(html)) bytes += gzipSync(await (await get(path)).text()).length
    assert.isBelow(bytes, 250_000)
  })
})
