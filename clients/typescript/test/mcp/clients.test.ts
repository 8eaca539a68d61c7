import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { source } from "../../../../test/http/store.ts"
import { isLong } from "../../../../test/long.ts"
import { ownerKey, type Service, startService } from "../../../../test/service.ts"
import { cairnMcp, isInstalled, ran, starting } from "./program.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const environment = () => ({ CAIRN_API_KEY: ownerKey, CAIRN_BASE_URL: service.url })
const info = { name: "test", version: "1" }
const tools = ["chat", "patterns", "search", "upload", "vote"]

// biome-ignore lint/suspicious/noExplicitAny: two libraries with the same methods and other types
type AnyClient = any

/** A result has the route's answer for programs; its text is for models. */
const answerOf = ({ _meta }: AnyClient) => _meta["cairn/answer"]

/** What anyone does with a server: see what there is, store, find, vote, read. */
const uses = async (client: AnyClient, name: string) => {
  const listed = await client.listTools()
  assert.deepStrictEqual(listed.tools.map((tool: { name: string }) => tool.name).sort(), tools)
  const call = (tool: string, given: object) => client.callTool({ name: tool, arguments: given })
  const file = { path: `${name}.py`, content: source(name) }
  const stored = await call("upload", { task: `${name} things`, file })
  assert.match(stored.content[0].text, /Stored 1 snippet/)
  const found = await call("search", { task: `${name} things`, min_score: 0, top_k: 100 })
  const match = answerOf(found).matches.find((one: AnyClient) => one.code_block.name === name)
  assert.include(found.content[0].text, match.code_block.id)
  assert.isNotTrue((await call("vote", { code_block_id: match.code_block.id, task: `${name} things` })).isError)
  const learned = await call("patterns", { task: `${name} things` })
  assert.include(learned.content[0].text, match.code_block.id)
  const wrong = await call("vote", { code_block_id: "nope" })
  assert.isTrue(wrong.isError)
  assert.match(wrong.content[0].text, /No snippet/)
  const chat = await call("chat", { user_query: `${name} things`, user_id: name, org_id: "acme", model: "local" })
  const { workspace_files, workspace_id } = answerOf(chat)
  assert.isAbove(workspace_files.length, 0, JSON.stringify(chat))
  const { resourceTemplates } = await client.listResourceTemplates()
  const uri = resourceTemplates
    .find((one: AnyClient) => one.name === "workspace file")
    .uriTemplate.replace("{id}", workspace_id)
    .replace("{path}", encodeURIComponent(workspace_files[0]))
  assert.isAbove((await client.readResource({ uri })).contents[0].text.length, 0)
  assert.match((await client.readResource({ uri: "cairn://skill.md" })).contents[0].text, /^# Cairn, for agents/)
}

const refusedFor = async (connecting: Promise<unknown>, said: RegExp) => {
  const error = await connecting.then(
    () => undefined,
    (error: unknown) => error
  )
  assert.match(String(error), said)
}
const wrongKey = `cairn_live_${"A".repeat(43)}`

describe.skipIf(!isInstalled("@modelcontextprotocol/sdk/client"))("the SDK's first version", () => {
  const load = async () => ({
    ...(await import("@modelcontextprotocol/sdk/client/index.js")),
    ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
    ...(await import("@modelcontextprotocol/sdk/client/stdio.js"))
  })
  const overHttp = async (key: string) => {
    const { Client, StreamableHTTPClientTransport } = await load()
    const requestInit = { headers: { authorization: `Bearer ${key}` } }
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", service.url), { requestInit })
    return { client: new Client(info), transport }
  }

  it("works over HTTP, and ends its session", async () => {
    const { client, transport } = await overHttp(ownerKey)
    await client.connect(transport as never)
    await uses(client, "firstHttp")
    await transport.terminateSession()
    await client.close()
  })

  it("works over stdio", async () => {
    const { Client, StdioClientTransport } = await load()
    const client = new Client(info)
    await client.connect(new StdioClientTransport({ ...cairnMcp, env: { ...process.env, ...environment() } as never }))
    await uses(client, "firstStdio")
    await client.close()
  })

  it("is told of a wrong key", async () => {
    const { client, transport } = await overHttp(wrongKey)
    await refusedFor(client.connect(transport as never), /API key is not valid|Unauthorized|401/)
    const { Client, StdioClientTransport } = await load()
    const piped = new Client(info)
    const env = { ...process.env, ...environment(), CAIRN_API_KEY: wrongKey } as never
    await refusedFor(
      piped.connect(new StdioClientTransport({ ...cairnMcp, env })),
      /API key is not valid.*CAIRN_API_KEY/
    )
    await piped.close()
  })
})

describe.skipIf(!isInstalled("@modelcontextprotocol/client"))("the SDK's second version", () => {
  const load = async () => ({
    ...(await import("@modelcontextprotocol/client")),
    ...(await import("@modelcontextprotocol/client/stdio"))
  })
  const modes = [
    ["legacy", "2025-11-25"],
    [{ pin: "2026-07-28" }, "2026-07-28"],
    ["auto", "2026-07-28"]
  ] as const
  for (const [mode, version] of modes) {
    const named = typeof mode === "string" ? mode : "pinned"
    // what is pinned is what `auto` comes to, and the pipe hands on what the service says of versions: the others at
    // night
    it.skipIf(named === "pinned" && !isLong)(`works over HTTP, ${named}`, async () => {
      const { Client, StreamableHTTPClientTransport } = await load()
      const client = new Client(info, { versionNegotiation: { mode } })
      const requestInit = { headers: { authorization: `Bearer ${ownerKey}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", service.url), { requestInit }))
      assert.strictEqual(client.getNegotiatedProtocolVersion(), version)
      await uses(client, `secondHttp${named}`)
      await client.close()
    })

    it.skipIf(named !== "auto" && !isLong)(`works over stdio, ${named}`, async () => {
      const { Client, StdioClientTransport } = await load()
      const client = new Client(info, { versionNegotiation: { mode } })
      await client.connect(
        new StdioClientTransport({ ...cairnMcp, env: { ...process.env, ...environment() } as never })
      )
      assert.strictEqual(client.getNegotiatedProtocolVersion(), version)
      await uses(client, `secondStdio${named}`)
      await client.close()
    })
  }
})

// it has a folder of its own, which CI installs at night: `npm ci --ignore-scripts --prefix
// clients/typescript/inspector`
const inspector = fileURLToPath(
  new URL(
    "../../inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    import.meta.url
  )
)
describe.skipIf(!isLong && !existsSync(inspector))("the inspector", () => {
  const inspecting = (...args: ReadonlyArray<string>) => {
    const { command, args: rest } = starting(inspector, "--cli", ...args)
    return ran(command, rest)
  }

  it("finds nothing to complain of in the tools, over HTTP", async () => {
    const to = [`${service.url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${ownerKey}`]
    const { code, stdout, stderr } = await inspecting(...to, "--method", "tools/list", "--strict")
    assert.strictEqual(code, 0, stdout + stderr)
    assert.notMatch(stderr, /portability|issue/)
    assert.deepStrictEqual(
      JSON.parse(stdout)
        .tools.map(({ name }: { name: string }) => name)
        .sort(),
      tools
    )
    const called = await inspecting(
      ...to,
      "--method",
      "tools/call",
      "--tool-name",
      "search",
      "--tool-arg",
      "task=parse a CSV file"
    )
    assert.strictEqual(called.code, 0, called.stderr)
    assert.isArray(answerOf(JSON.parse(called.stdout)).matches)
  })

  it("reads over stdio", async () => {
    const env = Object.entries(environment()).flatMap(([name, value]) => ["-e", `${name}=${value}`])
    const { code, stdout, stderr } = await inspecting(
      ...[cairnMcp.command, ...cairnMcp.args],
      ...[...env, "--method", "resources/read", "--uri", "cairn://skill.md"]
    )
    assert.strictEqual(code, 0, stderr)
    assert.match(JSON.parse(stdout).contents[0].text, /^# Cairn, for agents/)
  })
})
