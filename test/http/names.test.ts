import { connect } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call } from "#test/service/call.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { fine } from "./routes.ts"
import { findByName, remove, source, stored, vote } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = service.call
})
afterAll(() => service.close())

describe("ids", () => {
  it("are the same in capitals, in paths and bodies", async () => {
    await stored(call, "capitals")
    const { id } = (await findByName(call, "capitals"))!.code_block
    const loud = id.toUpperCase()
    assert.notStrictEqual(loud, id)
    fine(await vote(call, loud))
    fine(await call("POST", "/api/store/comment", { code_block_id: loud, text: "Loud." }))
    assert.strictEqual((await call("GET", `/raw/${loud}.md`)).status, 200)
    assert.strictEqual((await findByName(call, "capitals"))!.thumbs_up, 1)
    const used = { cached_code_blocks: [{ code_block_id: loud, filename: "a.py", description: "" }] }
    await stored(call, "capitals_used", used)
    assert.strictEqual((await findByName(call, "capitals"))!.thumbs_up, 2)
    const chat = { user_query: "print nothing", user_id: "u", org_id: "o", model: "local" }
    const { workspace_id } = (await call("POST", "/api/agent-chat", chat)).json
    const { json } = await call("GET", `/api/workspaces/${workspace_id.toUpperCase()}/commits`)
    const [{ sha }] = json.commits
    assert.strictEqual(
      (await call("GET", `/api/workspaces/${workspace_id}/commits/${sha.toUpperCase()}`)).json.sha,
      sha
    )
    const made = fine(await call("POST", "/api/keys/org/create", { email: "a@example.org", key_name: "k" }))
    assert.strictEqual(
      fine(await call("POST", "/api/keys/org/revoke", { key_id: made.id.toUpperCase() })).key_id,
      made.id
    )
    const { organization_id } = fine(await call("POST", "/api/keys/org/list"))
    await stored(call, "capital_organization", {}, { "x-cairn-org-id": organization_id.toUpperCase() })
    fine(await remove(call, loud))
  })
})

describe("names in headers", () => {
  /** Sends these bytes as the workspace's header, whatever a client would make of them. */
  const uploadWith = (header: Buffer, name: string) =>
    new Promise<string>((done, failed) => {
      const file = { path: `${name}.py`, content: source(name) }
      const body = JSON.stringify({ task: `${name} task`, file_written: file, succeeded: true })
      const { hostname, port } = new URL(service.url)
      const socket = connect(Number(port), hostname, () => {
        const head = [
          "POST /api/store/execution-result HTTP/1.1",
          `host: ${hostname}:${port}`,
          "connection: close",
          "content-type: application/json",
          `content-length: ${Buffer.byteLength(body)}`,
          `authorization: Bearer ${ownerKey}`,
          "x-cairn-workspace-id: "
        ].join("\r\n")
        socket.write(Buffer.concat([Buffer.from(head), header, Buffer.from(`\r\n\r\n${body}`)]))
      })
      let answer = ""
      socket.on("data", (bytes) => {
        answer += bytes
      })
      socket.on("end", () => done(answer))
      socket.on("error", failed)
    })
  const home = async (name: string) =>
    (
      await service.sql<{ workspace: string }>(
        `SELECT p.text ->> 'workspace' AS workspace FROM (
           SELECT convert_from(bytes, 'UTF8')::json AS text FROM payloads WHERE subject LIKE 'snippet/%') p
         WHERE p.text ->> 'name' = $1`,
        [name]
      )
    )[0]!.workspace

  it("mean what they mean in a body: UTF-8", async () => {
    for (const [name, workspace] of [
      ["umlauts", "Kundin Müller"],
      ["kana", "顧客"],
      ["percent", "100%25 ä"]
    ] as const) {
      assert.match(await uploadWith(Buffer.from(workspace, "utf8"), name), /^HTTP\/1\.1 200 /)
      assert.strictEqual(await home(name), workspace)
      // the body's own, which deletes from the same workspace
      fine(await remove(call, name, { workspace_id: workspace }))
    }
  })

  it("are Latin-1 where they are no UTF-8", async () => {
    assert.match(await uploadWith(Buffer.from("Müller", "latin1"), "older"), /^HTTP\/1\.1 200 /)
    assert.strictEqual(await home("older"), "Müller")
  })
})

describe("names within a schema", () => {
  it("are those that were sent, whatever others sent before", async () => {
    const schemas = ["\\", '"', "\n", "\\n"].map((name) => JSON.stringify({ "#": 1, [name]: { "#": 1, [name]: 2 } }))
    for (const [index, schema] of schemas.entries()) {
      const snippet = JSON.stringify({
        name: `schema${index}`,
        entrypoint: "",
        language: "python",
        source: source(`schema${index}`),
        description: "weighs a schema"
      })
      const kept = await call("POST", "/api/store/code-block", `${snippet.slice(0, -1)},"input_schema":${schema}}`)
      // with which the row is read and written again
      fine(await vote(call, fine(kept).code_block_id))
    }
    const { text } = await call("POST", "/api/retrieve/search", { task: "weighs a schema", top_k: 20 })
    for (const schema of schemas) assert.include(text, `"input_schema":${schema}`)
  })
})

describe("files of one content", () => {
  const files = ["one.py", "two.py"].map((path) => ({ path, content: source("twins") }))

  it("are one snippet, and counted as one", async () => {
    const upload = await call("POST", "/api/store/execution-result", {
      task: "twins task",
      files_written: files,
      succeeded: true,
      use_service_ai_voting: false
    })
    assert.strictEqual(fine(upload).code_blocks_stored, 1)
    const bulk = await call("POST", "/api/store/bulk-execution-result", {
      prompts: ["twins again"],
      files_written: files,
      use_service_ai_voting: false
    })
    assert.deepInclude(fine(bulk), { success: true, code_blocks_stored: 1 })
    assert.include(bulk.json.message, "Stored 2 files as 1 snippet")
  })
})
