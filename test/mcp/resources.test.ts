import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { contentOf } from "#src/mcp/resourceContent.ts"
import { scripts, service, startsAgent, write } from "#test/http/agent.ts"
import { source } from "#test/http/store.ts"
import { calls, says } from "#test/MessagesApi.ts"
import { organization } from "#test/service/tenants.ts"
import { ownerKey } from "#test/service.ts"
import { done, request } from "./rpc.ts"

startsAgent()

const chat = (user_query: string, user_id: string) =>
  done(service.url, ownerKey, "chat", { user_query, user_id, org_id: "acme" })

const read = (uri: string, key = ownerKey) => request(service.url, key, "resources/read", { uri })
const textOf = async (uri: string, key = ownerKey): Promise<string> => {
  const { json, text } = await read(uri, key)
  assert.isDefined(json.result, text)
  return json.result.contents[0].text
}
const fileUri = (id: string, path: string) => `cairn://workspaces/${id}/files/${path}`

describe("resources", () => {
  it("are the skill, and the files of workspaces", async () => {
    const listed = await request(service.url, ownerKey, "resources/list")
    assert.deepStrictEqual(
      listed.json.result.resources.map(({ uri }: { uri: string }) => uri),
      ["cairn://skill.md", "cairn://workspaces"]
    )
    const templates = await request(service.url, ownerKey, "resources/templates/list")
    assert.deepStrictEqual(
      templates.json.result.resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate),
      [
        "cairn://workspaces/{id}/files",
        "cairn://workspaces/{id}/files/{path}",
        "cairn://snippets/{id}",
        "cairn://snippets/{id}/files/{path}"
      ]
    )
    const skill = await read("cairn://skill.md")
    const [content] = skill.json.result.contents
    assert.strictEqual(content.mimeType, "text/markdown")
    assert.strictEqual(content.text, (await service.call("GET", "/skill.md")).text)
  })

  it("are the same as over REST where they are large, also at an earlier commit", async () => {
    const content = Array.from({ length: 60_000 }, (_, n) => `${n} 字\n`).join("")
    scripts.set("write a large one", (turn) => (turn === 1 ? write("large.txt", content) : says("Done.")))
    scripts.set("write a small one", (turn) => (turn === 1 ? write("large.txt", "small") : says("Done.")))
    const { structure } = await chat("write a large one", "lena")
    const { workspace_id: id, commit } = structure
    const file = (query = "") => service.call("GET", `/api/workspaces/${id}/files/large.txt${query}`)
    const { status, text, headers } = await file()
    assert.deepStrictEqual([status, headers.get("content-length")], [200, String(Buffer.byteLength(content))])
    assert.isTrue(text === content)
    assert.isTrue((await textOf(fileUri(id, "large.txt"))) === content)
    await chat("write a small one", "lena")
    assert.strictEqual((await file()).text, "small")
    assert.isTrue((await file(`?at=${commit}`)).text === content)
  })

  it("are read by paths with slashes, signs and no end, as text or as bytes", async () => {
    const long = `${"d".repeat(200)}/${"e".repeat(200)}.txt`
    const paths = ["a/b c%41.txt", "ünï?#.txt", long]
    scripts.set("write some", (turn) =>
      turn === 1
        ? calls(...paths.map((file_path) => ({ name: "Write", input: { file_path, content: file_path } })))
        : says("Done.")
    )
    const { structure } = await chat("write some", "dora")
    assert.sameMembers(structure.changed_files, paths)
    for (const path of paths) {
      const { json, text } = await read(fileUri(structure.workspace_id, encodeURIComponent(path)))
      assert.strictEqual(json.result?.contents[0].text, path, text)
    }
    const slashed = await read(fileUri(structure.workspace_id, "a/b%20c%2541.txt"))
    assert.strictEqual(slashed.json.result.contents[0].text, "a/b c%41.txt")
    scripts.set("write bytes", (turn) =>
      turn === 1 ? calls({ name: "Bash", input: { command: "printf '\\377\\376\\000' > raw.bin" } }) : says("Done.")
    )
    const bytes = await chat("write bytes", "dora")
    const { json, text } = await read(fileUri(bytes.structure.workspace_id, "raw.bin"))
    const stored = await service.call("GET", `/api/workspaces/${bytes.structure.workspace_id}/files/raw.bin`)
    assert.strictEqual(stored.status, 200)
    assert.isUndefined(json.result?.contents[0].text, text)
    assert.isAbove(Buffer.from(json.result.contents[0].blob, "base64").length, 0)
  })

  it("of another tenant, or that are none, are not found, in our words", async () => {
    scripts.set("private", (turn) => (turn === 1 ? write("secret.txt", "hidden") : says("Done.")))
    const { structure } = await chat("private", "emil")
    const id = structure.workspace_id
    const other = await organization(service, "PRO")
    const foreign = await read(fileUri(id, "secret.txt"), other.key)
    assert.match(foreign.json.error.message, /no workspace with this id/)
    assert.notInclude(foreign.text, "hidden")
    assert.match((await read(fileUri(id, "none.txt"))).json.error.message, /no such file/)
    for (const uri of [
      fileUri("x", "y"),
      fileUri(id, "..%2Fsecret.txt"),
      fileUri(id, "%"),
      "cairn://x",
      "file:///etc/passwd"
    ]) {
      const { json, text } = await read(uri)
      assert.isDefined(json.error, `${uri}: ${text}`)
      assert.isAbove(json.error.message.length, 10)
      assert.notStrictEqual(json.error.code, -32603, `${uri}: ${text}`)
    }
  })
})

describe("lists", () => {
  it("name the caller's workspaces and their files, by URIs that can be read", async () => {
    scripts.set("write two", (turn) =>
      turn === 1
        ? calls(
            ...["b/two.txt", "one #1.txt"].map((file_path) => ({
              name: "Write",
              input: { file_path, content: file_path }
            }))
          )
        : says("Done.")
    )
    const { text, structure } = await chat("write two", 'flo "the\nfirst"')
    const workspaces = await textOf("cairn://workspaces")
    const [line] = workspaces.split("\n").filter((one) => one.includes(structure.workspace_id))
    const list = `cairn://workspaces/${structure.workspace_id}/files`
    // what callers named stays on its line
    assert.match(
      line!,
      /^- cairn:\S+: org_id "acme", user_id "flo \\"the\\nfirst\\"", files: 2, bytes of its commits: 19, changed \d{4}-\S+ by "owner@cairn\.local"$/
    )
    assert.include(line!, `${list}:`)
    assert.include(text, list)
    const files = (await textOf(list)).split("\n")
    assert.deepStrictEqual(
      files.map((one) => one.replace(/^- \S+: /, "")),
      ['"b/two.txt", 9 bytes', '"one #1.txt", 10 bytes']
    )
    for (const one of files) assert.include(one, await textOf(/cairn:\S+(?=:)/.exec(one)![0]))
  })

  it("are empty for whoever has no workspace, and of another tenant's there is none", async () => {
    scripts.set("mine", (turn) => (turn === 1 ? write("secret.txt", "hidden") : says("Done.")))
    const { structure } = await chat("mine", "gus")
    const { key } = await organization(service, "PRO")
    assert.strictEqual(await textOf("cairn://workspaces", key), "No workspace yet: chat makes one.")
    const foreign = await read(`cairn://workspaces/${structure.workspace_id}/files`, key)
    assert.match(foreign.json.error.message, /no workspace with this id\. Read cairn:\/\/workspaces/)
  })
})

describe("a snippet", () => {
  it("is read whole, also what a search cuts", async () => {
    const long = `${source("very_long")}# ${"x".repeat(30_000)}\n`
    await done(service.url, ownerKey, "upload", { task: "very long", file: { path: "very_long.py", content: long } })
    const { text } = await done(service.url, ownerKey, "search", { task: "very long", min_score: 0 })
    assert.notInclude(text, long)
    const [, uri] = /Cut after [\d,]+ characters: (cairn:\S+) has all\./.exec(text)!
    assert.include(await textOf(uri!), long)
    const { key } = await organization(service, "PRO")
    const foreign = await read(uri!, key)
    assert.match(foreign.json.error.message, /You see no snippet with this id/)
  })

  it("that is a repository has files", async () => {
    const files = [
      { path: "README.md", content: "# Barley counter\n" },
      { path: "src/a b.ts", content: "export const barley = 1\n" }
    ]
    const stored = await service.call("POST", "/api/store/repo", { task: "count barley", files })
    const id = stored.json.repo_id
    const { text } = await done(service.url, ownerKey, "search", {
      task: "count barley",
      content_type: "repo",
      min_score: 0
    })
    assert.include(text, "(repository of 2 files)")
    assert.include(text, "a b.ts")
    assert.strictEqual(await textOf(`cairn://snippets/${id}/files/src%2Fa%20b.ts`), files[1]!.content)
    assert.strictEqual(await textOf(`cairn://snippets/${id}/files/src/a%20b.ts`), files[1]!.content)
    const { key } = await organization(service, "PRO")
    for (const [path, who, said] of [
      ["none.ts", ownerKey, /no such file/],
      ["README.md", key, /no repository with this id/]
    ] as const) {
      const { json } = await read(`cairn://snippets/${id}/files/${path}`, who)
      assert.match(json.error.message, said)
    }
  })
})

it("a file is text, bytes, or too large for a message", async () => {
  const of = (bytes: Uint8Array) => Effect.runPromise(Effect.result(contentOf("u", bytes)))
  const [text, bytes, large] = await Promise.all([
    of(new TextEncoder().encode("ü")),
    of(new Uint8Array([0xff])),
    of(new Uint8Array(8 * 1024 * 1024 + 1))
  ])
  assert.deepInclude(Result.getOrThrow(text).contents[0], { text: "ü", mimeType: "text/plain" })
  assert.deepInclude(Result.getOrThrow(bytes).contents[0], { mimeType: "application/octet-stream" })
  assert.isTrue(Result.isFailure(large) && /larger than 8 MiB/.test(large.failure.message))
})
