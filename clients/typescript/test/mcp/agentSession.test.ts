import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { source } from "../../../../test/http/store.ts"
import { isLong } from "../../../../test/long.ts"
import { calls, type MessagesApi, type MessagesRequest, says } from "../../../../test/MessagesApi.ts"
import { ownerKey, type Service, startService } from "../../../../test/service.ts"
import {
  agentSdkIsInstalled,
  messagesOf,
  newFolder,
  removeFolder,
  resultsOf,
  sessionOptions,
  startModel
} from "../agent/standIn.ts"
import { cairnMcp } from "./program.ts"

let service: Service
const models: Array<MessagesApi> = []
const folders: Array<string> = []
const folder = () => {
  folders.push(newFolder())
  return folders.at(-1)!
}
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  for (const model of models) await model.close()
  await service.close()
  for (const path of folders) removeFolder(path)
})

const wrongKey = `cairn_live_${"A".repeat(43)}`
const overHttp = (key: string) => ({
  type: "http",
  url: `${service.url}/mcp`,
  headers: { Authorization: `Bearer ${key}` }
})
const overStdio = (key: string) => ({
  type: "stdio",
  ...cairnMcp,
  env: { PATH: process.env["PATH"], CAIRN_API_KEY: key, CAIRN_BASE_URL: service.url }
})
const kinds = { "over HTTP": overHttp, "over the pipe cairn-mcp": overStdio }

const resources = ["ListMcpResourcesTool", "ReadMcpResourceTool"]

/** A whole session of the agent SDK; gives its messages and what its model was asked. */
const session = async (mcpServers: object, turns: Parameters<typeof startModel>[0]) => {
  const { query } = await import("@anthropic-ai/claude-agent-sdk")
  const model = await startModel(turns)
  models.push(model)
  const base = sessionOptions(model, folder(), folder())
  const options = { ...base, tools: ["Write", ...resources], allowedTools: ["mcp__cairn", ...resources], mcpServers }
  const all = (await messagesOf(query({ prompt: "Count words.", options } as never) as never)) as ReadonlyArray<never>
  // biome-ignore lint/suspicious/noExplicitAny: messages of the agent SDK, looked at field by field
  const messages: ReadonlyArray<any> = all
  return {
    init: messages.find(({ subtype }) => subtype === "init"),
    result: messages.findLast(({ type }) => type === "result"),
    requests: model.requests as ReadonlyArray<MessagesRequest>
  }
}

/** The text of the result that the model got last. */
const lastResult = (request: MessagesRequest): { readonly text: string; readonly failed: boolean } => {
  const { content, is_error } = JSON.parse(resultsOf(request).at(-1)!)
  const text = typeof content === "string" ? content : content.map((part: { text?: string }) => part.text).join("")
  return { text, failed: is_error === true }
}
const found = async (name: string) => {
  const task = `${name} of a text`
  const { json } = await service.call("POST", "/api/retrieve/search", { task, min_verdict_score: 0, top_k: 100 })
  return json.matches.find(({ code_block }: { code_block: { name: string } }) => code_block.name === name)
}

describe.skipIf(!agentSdkIsInstalled)("a session of the agent SDK with Cairn as an MCP server", () => {
  for (const [how, server] of Object.entries(kinds)) {
    const name = `words_${Object.keys(kinds).indexOf(how)}`
    const task = `${name} of a text`
    // each time over HTTP; that the pipe hands all of it on is shown by the first, and by clients.test.ts
    const seldom = server === overStdio && !isLong

    it(`stores, finds and votes ${how}, and its model reads what the tools say`, async () => {
      const { init, result, requests } = await session({ cairn: server(ownerKey) }, () => [
        calls({
          name: "mcp__cairn__upload",
          input: { task, file: { path: `${name}.py`, content: source(name) } }
        }),
        calls({ name: "mcp__cairn__search", input: { task, min_score: 0, top_k: 100 } }),
        (request) => {
          const { text } = lastResult(request)
          const [, id] = new RegExp(`## \\d+\\. ${name} .*\\ncode_block_id: (.+)`).exec(text)!
          return calls({ name: "mcp__cairn__vote", input: { code_block_id: id, task } })
        },
        calls({ name: "mcp__cairn__vote", input: { code_block_id: "nope" } }),
        calls({ name: "mcp__cairn__search", input: { top_k: 0 } })
      ])
      assert.isFalse(result.is_error, JSON.stringify(result))
      assert.deepInclude(init.mcp_servers[0], { name: "cairn", status: "connected" })
      for (const tool of ["search", "upload", "vote", "patterns", "chat"])
        assert.include(init.tools, `mcp__cairn__${tool}`)
      const [, uploaded, searched, voted, refused, wrong] = requests.map((request, n) =>
        n === 0 ? undefined : lastResult(request)
      )
      assert.match(uploaded!.text, /^Stored 1 snippet\./)
      // the code as it is, not as a string in JSON
      assert.include(searched!.text, `\`\`\`python\n${source(name)}\`\`\``)
      assert.isFalse(voted!.failed, voted!.text)
      assert.isTrue(refused!.failed)
      assert.match(refused!.text, /No snippet.*Send the id that a search gave/)
      assert.isTrue(wrong!.failed)
      assert.match(wrong!.text, /task: .*top_k: /s)
      assert.strictEqual((await found(name)).thumbs_up, 1)
      assert.include(JSON.stringify(requests[0]!.body), "Cairn keeps code that has worked", "its instructions")
    })

    it.skipIf(seldom)(`gives a task to an agent ${how}, and reads the files that it wrote`, async () => {
      const { result, requests } = await session({ cairn: server(ownerKey) }, () => [
        calls({
          name: "mcp__cairn__chat",
          input: { user_query: task, user_id: name, org_id: "acme", model: "local" }
        }),
        (request) => {
          const [, uri] = /\((cairn:\/\/workspaces\/[^)]+)\)/.exec(lastResult(request).text)!
          return calls({ name: "ReadMcpResourceTool", input: { server: "cairn", uri } })
        },
        calls({ name: "ListMcpResourcesTool", input: { server: "cairn" } }),
        calls({ name: "ReadMcpResourceTool", input: { server: "cairn", uri: "cairn://skill.md" } })
      ])
      assert.isFalse(result.is_error, JSON.stringify(result))
      const [, chat, file, listed, skill] = requests.map((request, n) => (n === 0 ? undefined : lastResult(request)))
      assert.match(chat!.text, /Saved as commit [0-9a-f]{40}\./)
      assert.include(file!.text, "def words_", "the snippet that the workspace has now")
      for (const uri of ["cairn://skill.md", "cairn://workspaces"]) assert.include(listed!.text, uri)
      assert.include(skill!.text, "# Cairn, for agents")
    })

    it.skipIf(seldom)(`is told of a wrong key ${how}, and goes on without Cairn`, async () => {
      const { init, result, requests } = await session({ cairn: server(wrongKey) }, () => [
        calls({ name: "Write", input: { file_path: "note.txt", content: "n" } }),
        says("Done without.")
      ])
      assert.deepInclude(init.mcp_servers[0], { name: "cairn", status: "failed" })
      assert.notInclude(init.tools.join(), "mcp__cairn")
      assert.isFalse(result.is_error, JSON.stringify(result))
      assert.strictEqual(result.result, "Done without.")
      assert.isFalse(lastResult(requests[1]!).failed)
    })
  }

  it("says why a server failed", async () => {
    const { query } = await import("@anthropic-ai/claude-agent-sdk")
    const model = await startModel(() => [says("Done.")])
    models.push(model)
    const mcpServers = {
      http: overHttp(wrongKey),
      stdio: overStdio(wrongKey),
      gone: { ...overHttp(ownerKey), url: "http://127.0.0.1:1/mcp" }
    }
    const options = { ...sessionOptions(model, folder(), folder()), mcpServers }
    const running = query({ prompt: "Wait.", options } as never)
    const failed: Record<string, string> = {}
    for await (const { type } of running) {
      if (type !== "assistant") continue
      for (const { name, status, error } of await running.mcpServerStatus()) failed[name] = `${status}: ${error}`
    }
    assert.match(failed["http"]!, /^failed: .*401/)
    assert.match(failed["stdio"]!, /^failed: .*not valid.*CAIRN_API_KEY/)
    assert.match(failed["gone"]!, /^failed: /)
  })
})
