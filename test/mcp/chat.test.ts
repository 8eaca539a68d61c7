import { request as httpRequest } from "node:http"
import { assert, describe, it, vi } from "vitest"
import { api, asked, commitsOf, scripts, service, startsAgent, write } from "#test/http/agent.ts"
import { calls, says } from "#test/MessagesApi.ts"
import { ownerKey } from "#test/service.ts"
import { accept, call, done, modern, request } from "./rpc.ts"

startsAgent()

const chat = (user_query: string, user_id: string) =>
  done(service.url, ownerKey, "chat", { user_query, user_id, org_id: "acme" })

const read = (uri: string) => request(service.url, ownerKey, "resources/read", { uri })

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

  it("is remembered when it is asked to be", async () => {
    const given = { user_query: "remember me", user_id: "mem", org_id: "acme", memory: true }
    const { structure } = await done(service.url, ownerKey, "chat", given)
    assert.deepStrictEqual(structure.changed_files, [".cairn/memory.md"])
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
      authorization: `Bearer ${ownerKey}`,
      accept,
      "content-type": "application/json",
      "mcp-name": "chat",
      "mcp-protocol-version": modern,
      "mcp-method": "tools/call"
    }
    const sending = httpRequest({ method: "POST", hostname, port, path: "/mcp", agent: false, headers })
    sending.on("error", () => {})
    const meta = {
      "io.modelcontextprotocol/protocolVersion": modern,
      "io.modelcontextprotocol/clientCapabilities": {}
    }
    const params = { name: "chat", arguments: given, _meta: meta }
    sending.end(JSON.stringify({ jsonrpc: "2.0", id: "first", method: "tools/call", params }))
    await vi.waitFor(() => assert.strictEqual(asked("slow").length, 1), { timeout: 60_000 })
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
