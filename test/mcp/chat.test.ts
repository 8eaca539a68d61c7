import { request as httpRequest } from "node:http"
import { assert, describe, it, vi } from "vitest"
import { api, asked, commitsOf, scripts, service, startsAgent, write } from "#test/http/agent.ts"
import { calls, says } from "#test/MessagesApi.ts"
import { organization } from "#test/service/tenants.ts"
import { ownerKey } from "#test/service.ts"
import { accept, call, done, modern, request } from "./rpc.ts"

startsAgent()

const chat = (user_query: string, user_id: string) =>
  done(service.url, ownerKey, "chat", { user_query, user_id, org_id: "acme" })

const read = (uri: string, key = ownerKey) => request(service.url, key, "resources/read", { uri })
const fileUri = (id: string, path: string) => `cairn://workspaces/${id}/files/${path}`

describe("chat", () => {
  it("answers in words, with the same structure as the route", async () => {
    scripts.set("write a note", (turn) => (turn === 1 ? write("a/note.txt", "hello\n") : says("Wrote it.")))
    const { text, structure } = await chat("write a note", "ada")
    assert.include(text, "Wrote it.")
    assert.include(text, structure.commit)
    assert.deepStrictEqual(structure.changed_files, ["a/note.txt"])
    const [commit] = await commitsOf(structure.workspace_id)
    assert.strictEqual(commit!.sha, structure.commit)
    const uri = /\((cairn:[^)]+)\)/.exec(text)![1]!
    assert.strictEqual((await read(uri)).json.result.contents[0].text, "hello\n")
  })

  it("is an error to the client when it did not end well; what was saved is said all the same", async () => {
    scripts.set("breaks", (turn) => (turn === 1 ? write("kept.txt") : { status: 400, message: "no more" }))
    const given = { user_query: "breaks", user_id: "bert", org_id: "acme" }
    const { failed, text, structure } = await call(service.url, ownerKey, "chat", given)
    assert.isTrue(failed)
    assert.include(text, "no more")
    assert.include(text, "kept.txt")
    assert.strictEqual(structure.success, false)
    assert.notInclude(JSON.stringify({ text, structure }), api.key)
  })

  it("that was given up comes back to the same run, under another message id", async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    scripts.set("slow", (turn) =>
      turn === 1
        ? { ...calls({ name: "Write", input: { file_path: "s.txt", content: "s" } }), after: gate }
        : says("Done.")
    )
    const given = { user_query: "slow", user_id: "cleo", org_id: "acme" }
    const { hostname, port } = new URL(service.url)
    const headers = {
      ...{ authorization: `Bearer ${ownerKey}`, accept, "content-type": "application/json", "mcp-name": "chat" },
      ...{ "mcp-protocol-version": modern, "mcp-method": "tools/call" }
    }
    const sending = httpRequest({ method: "POST", hostname, port, path: "/mcp", agent: false, headers })
    sending.on("error", () => {})
    const meta = {
      "io.modelcontextprotocol/protocolVersion": modern,
      "io.modelcontextprotocol/clientCapabilities": {}
    }
    const params = { name: "chat", arguments: given, _meta: meta }
    sending.end(JSON.stringify({ jsonrpc: "2.0", id: "first", method: "tools/call", params }))
    await vi.waitFor(() => assert.strictEqual(asked("slow").length, 1))
    sending.destroy()
    const again = done(service.url, ownerKey, "chat", given)
    open()
    const { structure } = await again
    assert.strictEqual((await commitsOf(structure.workspace_id)).length, 1)
    assert.strictEqual(asked("slow").length, 2)
    // that answer arrived: now the same is a new task
    const next = await done(service.url, ownerKey, "chat", given)
    assert.notStrictEqual(next.structure.session_id, structure.session_id)
  })
})

describe("resources", () => {
  it("are the skill, and the files of workspaces", async () => {
    const listed = await request(service.url, ownerKey, "resources/list")
    assert.deepStrictEqual(
      listed.json.result.resources.map(({ uri }: { uri: string }) => uri),
      ["cairn://skill.md"]
    )
    const templates = await request(service.url, ownerKey, "resources/templates/list")
    assert.strictEqual(templates.json.result.resourceTemplates[0].uriTemplate, "cairn://workspaces/{id}/files/{path}")
    const skill = await read("cairn://skill.md")
    const [content] = skill.json.result.contents
    assert.strictEqual(content.mimeType, "text/markdown")
    assert.strictEqual(content.text, (await service.call("GET", "/skill.md")).text)
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
      fileUri(id, ""),
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
