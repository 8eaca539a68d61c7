import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type * as Library from "../../../clients/typescript/src/index.ts"

/** What a bundler for browsers makes of the library, as short as it can. */
let code: string
let warnings: ReadonlyArray<string>
let folder: string
let bundled: typeof Library
beforeAll(async () => {
  const heard: Array<string> = []
  const bundle = await rolldown({
    input: fileURLToPath(new URL("../../../clients/typescript/src/index.ts", import.meta.url)),
    platform: "browser",
    onLog: (_, { message }) => void heard.push(message)
  })
  const { output } = await bundle.generate({ format: "esm", minify: true })
  await bundle.close()
  code = output.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("\n")
  warnings = heard
  folder = mkdtempSync(join(tmpdir(), "cairn-bundle-"))
  const file = join(folder, "bundle.mjs")
  writeFileSync(file, code)
  bundled = await import(pathToFileURL(file).href)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("bundled for a browser", () => {
  it("nothing of Node is looked for", () => {
    assert.deepStrictEqual(warnings, [])
    assert.notMatch(code, /(?:from|import)\s*\(?\s*["'`]/)
  })

  it("errors have their names all the same, and calls work", async () => {
    const kinds = [
      "APIError",
      "AuthenticationError",
      "CacheUnavailableError",
      "RateLimitError",
      "ValidationError"
    ] as const
    for (const kind of [...kinds, "ServiceError"] as const) {
      const made = new (bundled[kind] as new (message: string) => Error)("Why.")
      assert.strictEqual(made.name, kind)
      assert.include(String(made.stack), "Why.")
      assert.instanceOf(made, bundled.ServiceError)
    }
    const cairn = new bundled.Cairn({
      apiKey: "k",
      baseUrl: "http://cairn.test",
      fetch: async () => new Response(JSON.stringify({ matches: [], total_found: 7, cache_hit: false }))
    })
    assert.strictEqual((await cairn.search({ task: "x" })).totalFound, 7)
  })

  it("files are written where there is a file system", async () => {
    const code_block = { id: "id", name: "a", description: "", source: "1\n", entrypoint: "", language: "python" }
    const match = {
      code_block,
      score: 1,
      offered: true,
      thumbs_up: 0,
      thumbs_down: 0,
      filename: "a.py",
      language: "python",
      entrypoint: ""
    }
    const cairn = new bundled.Cairn({
      apiKey: "k",
      fetch: async () => new Response(JSON.stringify({ matches: [match], total_found: 1, cache_hit: false }))
    })
    const { files } = await cairn.getCodeFiles({ task: "x", cacheDir: join(folder, "cache") })
    assert.strictEqual(files[0]?.path, join(folder, "cache", "a.py"))
  })
})
