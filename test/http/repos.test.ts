import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import type { Call } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { findByName, matches, remove, source, stored, vote } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = (await organization(service, "PRO")).call
})
afterAll(() => service.close())

const files = [
  { path: "README.md", content: `# Lemur API\n\nServes lemurs over HTTP.\n\n${"More words. ".repeat(100)}` },
  { path: "pyproject.toml", content: '[project]\nname = "lemur-api"\ndependencies = ["fastapi>=0.110"]\n' },
  {
    path: "app/main.py",
    content: "from fastapi import FastAPI\n\napp = FastAPI()\n\ndef leap_over_branches():\n    return 1\n"
  },
  { path: "app/empty.txt", content: "" }
]
const store = (more: object = {}, by: Call = call, headers = {}) =>
  by("POST", "/api/store/repo", { task: "serve lemurs", files, ...more }, headers)
const download = (id: string, by: Call = call, headers = {}) => by("GET", `/api/store/repo/${id}`, undefined, headers)

// biome-ignore lint/suspicious/noExplicitAny: a match is looked at field by field
type Any = any

describe("a repository", () => {
  it("is one snippet, found by its task, readme, paths and code", async () => {
    const { status, json, text } = await store({ tags: ["animals"], dependencies: { fastapi: "0.110" } })
    assert.strictEqual(status, 200, text)
    for (const task of ["serve lemurs", "lemurs over HTTP", "pyproject", "leap over branches"]) {
      const match = (await matches(call, task)).find(({ code_block }) => code_block.id === json.repo_id) as Any
      assert.isDefined(match, task)
      assert.deepInclude(match, {
        type: "repo",
        download_url: `/api/store/repo/${json.repo_id}`,
        file_count: 4,
        framework: "fastapi",
        file_tree: "README.md\napp/empty.txt\napp/main.py\npyproject.toml",
        readme_preview: files[0]!.content.slice(0, 500),
        filename: "lemur-api.md",
        language: "python",
        entrypoint: "app/main.py",
        dependencies: { fastapi: "0.110" }
      })
      assert.include(match.code_block.source, "Serves lemurs over HTTP.")
      assert.include(match.code_block.source, "app/main.py")
      assert.deepInclude(match.code_block, { name: "lemur-api", description: "Serves lemurs over HTTP." })
    }
    const all = await download(json.repo_id)
    assert.strictEqual(all.status, 200)
    const byPath = [...files].sort((a, b) => (a.path < b.path ? -1 : 1))
    assert.deepStrictEqual(all.json, { repo_id: json.repo_id, name: "lemur-api", files: byPath })
  })

  it("is the same for the same files in any order, and another for others", async () => {
    const one = (await store()).json.repo_id
    const again = await store({ files: [...files].reverse(), task: "another task" })
    assert.strictEqual(again.json.repo_id, one)
    const match = (await matches(call, "another task")).find(({ code_block }) => code_block.id === one)!
    assert.include(match.code_block.example_queries as Array<string>, "another task")
    const other = await store({ files: files.slice(0, 3) })
    assert.notStrictEqual(other.json.repo_id, one)
    await vote(call, one)
    assert.strictEqual(
      (await matches(call, "serve lemurs", { top_k: 50 })).find((m) => m.code_block.id === one)?.thumbs_up,
      1
    )
    assert.strictEqual((await remove(call, other.json.repo_id)).status, 200)
    refused(await download(other.json.repo_id), 404, "not_found/repo")
  })

  it("without a readme is summed up, and named after its task or what it says of itself", async () => {
    const { json } = await store({
      task: "juggle pangolins",
      files: [{ path: "go.mod", content: "module example.org/pangolin\n" }]
    })
    const match = (await matches(call, "juggle pangolins"))[0] as Any
    assert.deepInclude(match, { framework: "go", readme_preview: "", file_count: 1 })
    assert.strictEqual(match.code_block.id, json.repo_id)
    assert.strictEqual(match.code_block.name, "pangolin")
    assert.include(match.code_block.source, "juggle pangolins")
    const said = await store({
      task: "t",
      name: "Mine",
      description: "My own.",
      files: [{ path: "a.py", content: "x = 1\n" }]
    })
    const mine = (await matches(call, "Mine own"))[0]!.code_block
    assert.deepInclude(mine, { id: said.json.repo_id, name: "Mine", description: "My own." })
  })

  it("belongs to its scope, and to everyone only when it is public", async () => {
    const inA = { "x-cairn-workspace-id": "a" }
    const secretive = [{ path: "a.py", content: "workspace = 'a'\n" }]
    const { json } = await store({ files: secretive }, call, inA)
    assert.strictEqual((await download(json.repo_id, call, inA)).status, 200)
    refused(await download(json.repo_id), 404, "not_found/repo")
    const { call: other } = await organization(service, "FREE")
    const everyones = { "x-cairn-public-snips": "true" }
    refused(await download(json.repo_id, other, everyones), 404, "not_found/repo")
    const open = await store({ files: [{ path: "a.py", content: "open = 1\n" }], public: true })
    refused(await download(open.json.repo_id, other), 404, "not_found/repo")
    assert.strictEqual((await download(open.json.repo_id, other, everyones)).status, 200)
    await stored(call, "nofolder")
    const { code_block } = (await findByName(call, "nofolder"))!
    refused(await download(code_block.id), 404, "not_found/repo")
    refused(await download("nonsense"), 404, "not_found/repo")
  })

  it("is refused when it is none, with what to send", async () => {
    const wrong = async (more: object) => {
      const { message, field } = refused(await store(more), 400, "validation/invalid_field")
      return { message, field }
    }
    assert.deepInclude(await wrong({ files: [] }), { field: "files" })
    assert.deepInclude(await wrong({ files: null }), { field: "files" })
    const url = await wrong({ files: [], github_url: "https://github.com/o/r" })
    assert.strictEqual(url.field, "github_url")
    assert.match(url.message, /clone it and send its text files/)
    const at = (path: string) => wrong({ files: [{ path, content: "x" }] })
    for (const path of [
      "/etc/passwd",
      "../up.py",
      "a//b",
      "a/./b",
      ".git/config",
      "sub/.GIT/x",
      "a\\b",
      "a\u0000b",
      ""
    ]) {
      assert.strictEqual((await at(path)).field, "files.0.path", path)
    }
    const twice = { path: "a.py", content: "x" }
    assert.strictEqual((await wrong({ files: [twice, twice] })).field, "files.1.path")
    assert.strictEqual((await wrong({ files: [twice, { path: "a.py/b", content: "" }] })).field, "files.0.path")
    const many = Array.from({ length: 201 }, (_, n) => ({ path: `${n}`, content: "" }))
    assert.strictEqual((await wrong({ files: many })).field, "files")
    const large = "x".repeat(1024 * 1024)
    assert.strictEqual((await wrong({ files: [{ path: "a", content: `${large}x` }] })).field, "files.0.content")
    const heavy = Array.from({ length: 17 }, (_, n) => ({ path: `${n}`, content: large }))
    assert.match((await wrong({ files: heavy })).message, /16 MiB/)
  })

  it("may be as large as is allowed", async () => {
    const content = `${source("big")}${"# a line of comment that says little\n".repeat(2_000)}`
    const many = Array.from({ length: 200 }, (_, n) => ({ path: `pkg/file${n}.py`, content: `${content}# ${n}\n` }))
    const { status, json, text } = await store({ task: "large pachyderm", files: many })
    assert.strictEqual(status, 200, text)
    // the catalogue may take more than the second that a search waits for it
    await vi.waitFor(
      async () => assert.strictEqual((await matches(call, "large pachyderm"))[0]?.code_block.id, json.repo_id),
      { timeout: 60_000, interval: 100 }
    )
    assert.strictEqual((await download(json.repo_id)).json.files.length, 200)
  })
})
