import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { calls, type MessagesApi, type MessagesRequest, says } from "../../../../test/MessagesApi.ts"
import { ownerKey, type Service, startService } from "../../../../test/service.ts"
import {
  type AgentMessage,
  CairnAgent,
  type CairnAgentOptions,
  cairnHooks,
  type SessionReport
} from "../../src/agent/index.ts"
import { Agent } from "../../src/compat/index.ts"
import { Cairn, type CairnOptions } from "../../src/index.ts"
import { searchLogs } from "../../src/resources/logs.ts"
import {
  agentSdkIsInstalled,
  messagesOf,
  newFolder,
  removeFolder,
  resultsOf,
  sessionOptions,
  shown,
  startModel
} from "./standIn.ts"

const task = "count the words of a text file"
const source = [
  "import sys",
  "",
  "def count_words(path: str) -> int:",
  '    """Counts the words of a text file."""',
  "    with open(path, encoding='utf-8') as lines:",
  "        return sum(len(line.split()) for line in lines)",
  "",
  "print(count_words(sys.argv[1]))",
  ""
].join("\n")

let service: Service
let home: string
const folders: Array<string> = []
const models: Array<MessagesApi> = []
const folder = () => {
  const path = newFolder()
  folders.push(path)
  return path
}
const modelOf = async (...turns: Parameters<typeof startModel>) => {
  const model = await startModel(...turns)
  models.push(model)
  return model
}
/** A client of the real service that notes what it asks for. */
const noting = (options: CairnOptions = {}) => {
  const sent: Array<string> = []
  const fetch: NonNullable<CairnOptions["fetch"]> = (url, init) => {
    sent.push(new URL(url).pathname)
    return globalThis.fetch(url, init)
  }
  return { sent, client: new Cairn({ apiKey: ownerKey, baseUrl: service.url, fetch, ...options }) }
}
const agentOf = (model: MessagesApi, cwd: string, client: Cairn, more: object = {}) => {
  const reports: Array<SessionReport> = []
  const options = { ...sessionOptions(model, cwd, home), client, onReport: (one: SessionReport) => reports.push(one) }
  return { agent: new CairnAgent({ ...options, ...more } as unknown as CairnAgentOptions), reports }
}
const resultOf = (messages: ReadonlyArray<AgentMessage>) => {
  const result = messages.findLast((message) => message.type === "result")
  return { is_error: result?.is_error ?? true, subtype: result?.subtype }
}
/** Where the model was told that a file lies. */
const offeredPath = (request: MessagesRequest) => /→ `([^`]+\/count_words\.py)`/.exec(shown(request))![1]!
/** What the service recorded behind a position. */
const recorded = async (head: number) =>
  (await service.sql<{ type: string }>(`SELECT type FROM events WHERE position > ${head}`)).map(({ type }) => type)
/** The snippet as a session before this one may have left it. */
const store = () =>
  noting().client.upload({ task, fileWritten: { path: "count_words.py", content: source }, succeeded: true })
const stored = async () => {
  const { matches } = await noting().client.search({ task, topK: 20, minVerdictScore: 0 })
  return matches.find(({ codeBlock }) => codeBlock.source === source)
}

const real = agentSdkIsInstalled ? describe : describe.skip
if (!agentSdkIsInstalled) console.warn("The agent SDK is not installed: its tests are skipped.")

real("a session with the agent SDK", () => {
  beforeAll(async () => {
    service = await startService()
    home = newFolder()
    folders.push(home)
  })
  afterAll(async () => {
    for (const model of models) await model.close()
    await service.close()
    for (const path of folders) removeFolder(path)
  })

  it("uploads what it wrote; a fresh one is offered it, reads and uses it, and its vote arrives", async () => {
    const cwd = folder()
    repositoryAt(cwd)
    writeFileSync(join(cwd, ".gitignore"), "build/\n*.tmp.py\n")
    writeFileSync(join(cwd, "mine.py"), "print('was here before')\n")
    const model = await modelOf(() => [
      calls({ name: "Write", input: { file_path: join(cwd, "count_words.py"), content: source } }),
      calls({
        name: "Bash",
        input: {
          command: [
            "python3 count_words.py .gitignore && mkdir -p build node_modules/x lib",
            "echo 'def twice(n): return n + n' > lib/twice.py && touch mine.py",
            "echo 1 > build/out.py; echo 1 > a.tmp.py; echo 1 > node_modules/x/i.js; echo A=1 > .env",
            "printf 'a\\0b' > raw.bin; echo 'key = \"AKIA0123456789ABCDEF\"' > aws.py; ln -s /etc/hostname link.txt"
          ].join("\n")
        }
      })
    ])
    const first = noting()
    const { agent, reports } = agentOf(model, cwd, first.client)
    const messages = await messagesOf(agent.query(task))
    assert.isFalse(resultOf(messages).is_error)
    assert.deepStrictEqual(reports.length, 1)
    assert.deepStrictEqual([...reports[0]!.uploaded].sort(), ["count_words.py", "lib/twice.py"])
    assert.deepStrictEqual(
      reports[0]!.left.map(({ path, reason }) => `${path}: ${reason}`).sort(),
      [".env: secret", "a.tmp.py: ignored", "aws.py: secret", "build/out.py: ignored", "raw.bin: binary"].sort()
    )
    const found = await stored()
    assert.strictEqual(found?.thumbsUp, 0)
    const { matches: logs } = await first.client._send(() => searchLogs({ query: "aws.py" }))
    assert.isAbove(logs.length, 0)
    for (const { preview } of logs) {
      assert.include(preview, "***")
      assert.notInclude(preview, "AKIA0123456789ABCDEF")
    }

    const other = folder()
    const second = await modelOf((request) => [
      calls({ name: "Read", input: { file_path: offeredPath(request) } }),
      (after) => {
        assert.include(resultsOf(after).at(-1), "sum(len(line.split())")
        return calls({ name: "Write", input: { file_path: join(other, "words.py"), content: `${source}\n# mine\n` } })
      }
    ])
    const fresh = noting()
    const next = agentOf(second, other, fresh.client, { permissionMode: "default", allowedTools: ["Write"] })
    assert.isFalse(resultOf(await messagesOf(next.agent.query(task))).is_error)
    assert.notInclude(shown(second.requests[0]!), "sum(len(line.split())", "names and descriptions, not sources")
    assert.deepStrictEqual(next.reports[0]!.votes, [{ codeBlockId: found!.codeBlock.id, succeeded: true }])
    assert.strictEqual((await stored())?.thumbsUp, 1)
    assert.deepStrictEqual(fresh.sent, [
      "/api/retrieve/search",
      "/api/store/execution-result",
      "/api/store/cache-usage"
    ])
    const cache = dirname(next.reports[0]!.offered[0]!.path)
    assert.isFalse(existsSync(cache), "the cache folder goes with the session")
  })

  it("votes down what was run and failed", async () => {
    await store()
    const up = await stored()
    const model = await modelOf((request) => [
      calls({ name: "Bash", input: { command: `python3 ${offeredPath(request)}` } }),
      says("It fails without a file.")
    ])
    const { agent, reports } = agentOf(model, folder(), noting().client)
    await messagesOf(agent.query(task))
    assert.deepStrictEqual(reports[0]!.votes, [{ codeBlockId: up!.codeBlock.id, succeeded: false }])
    assert.strictEqual((await stored())?.thumbsDown, up!.thumbsDown + 1)
  })

  for (const status of [401, 500]) {
    it(`leaves no vote and no upload when the model fails with ${status}`, async () => {
      const cwd = folder()
      const model = await modelOf((request) => [
        calls({ name: "Read", input: { file_path: offeredPath(request) } }),
        calls({ name: "Write", input: { file_path: join(cwd, `failed${status}.py`), content: source } }),
        { status }
      ])
      await store()
      const { client, sent } = noting()
      const head = await service.head()
      const { agent, reports } = agentOf(model, cwd, client)
      assert.isTrue(resultOf(await messagesOf(agent.query(task))).is_error)
      assert.isTrue(existsSync(join(cwd, `failed${status}.py`)))
      assert.deepStrictEqual(sent, ["/api/retrieve/search"])
      assert.deepStrictEqual(reports, [])
      // searches are recorded once they are answered: that of the test before may come late
      assert.deepStrictEqual(
        (await recorded(head)).filter((type) => type !== "SearchAnswered"),
        []
      )
    })
  }

  it("has many turns in one process: each prompt searches, each success uploads what is new", async () => {
    const cwd = folder()
    const texts = ["def first_thing(): return 'one of two'\n", "def second_thing(): return 'two of two'\n"]
    const model = await modelOf(() => [
      calls({ name: "Write", input: { file_path: join(cwd, "first_thing.py"), content: texts[0] } }),
      says("One."),
      calls({ name: "Write", input: { file_path: join(cwd, "second_thing.py"), content: texts[1] } }),
      says("Two.")
    ])
    const { client, sent } = noting()
    const children: Array<ReturnType<typeof spawn>> = []
    const { agent, reports } = agentOf(model, cwd, client, {
      spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }: never) => {
        children.push(spawn(command, args, { cwd, env, signal, stdio: ["pipe", "pipe", "ignore"] }))
        return children.at(-1)
      }
    })
    let answered = () => {}
    const asks = async function* () {
      for (const content of ["write the first thing", "write the second thing"]) {
        const result = new Promise<void>((resolve) => (answered = resolve))
        yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" } as never
        await result
      }
    }
    for await (const message of agent.query(asks())) if (message.type === "result") answered()
    assert.deepStrictEqual(
      reports.map(({ task, uploaded }) => ({ task, uploaded })),
      [
        { task: "write the first thing", uploaded: ["first_thing.py"] },
        { task: "write the second thing", uploaded: ["second_thing.py"] }
      ]
    )
    const [search, upload] = ["/api/retrieve/search", "/api/store/execution-result"]
    assert.deepStrictEqual(sent, [search, upload, search, upload])
    assert.strictEqual(children.length, 1)
    if (children[0]!.exitCode === null) await once(children[0]!, "exit")
  })

  it("writes nothing outside of its cache folder, whatever snippets are called", async () => {
    const client = noting().client
    await client.upload({
      task: "say evil things",
      fileWritten: { path: "../../evil.py", content: source },
      succeeded: true
    })
    const cwd = folder()
    const cacheDir = join(cwd, "deep", "cache")
    mkdirSync(join(cwd, "deep"))
    const hostile = noting({
      fetch: async (url, init) => {
        const answer = await globalThis.fetch(url, init)
        if (!url.endsWith("/search")) return answer
        const body = (await answer.json()) as { matches: Array<{ filename: string }> }
        const [match] = body.matches
        body.matches = ["../evil.py", "/tmp/evil.py", "..", "a/../../evil.py", "fine.py"].map((filename) => ({
          ...match!,
          filename
        }))
        return Response.json(body, { headers: answer.headers })
      }
    }).client
    const model = await modelOf(() => [says("Nothing to do.")])
    const warnings: Array<string> = []
    const logger = {
      ...{ debug: () => {}, info: () => {}, error: () => {} },
      warn: (line: string) => void warnings.push(line)
    }
    const { agent, reports } = agentOf(model, cwd, hostile.withOptions({ logger }), { cacheDir, logger })
    await messagesOf(agent.query(task))
    assert.deepStrictEqual(
      reports[0]!.offered.map(({ filename }) => filename),
      ["fine.py"]
    )
    assert.deepStrictEqual(readdirSync(cwd, { recursive: true, encoding: "utf8" }).sort(), [
      "deep",
      "deep/cache",
      "deep/cache/fine.py"
    ])
    assert.notInclude(shown(model.requests[0]!), "evil.py")
    assert.isAbove(warnings.length, 0)
    assert.deepStrictEqual(reports[0]!.uploaded, [], "the cache folder is no work of the session")
  })

  it("goes on without a service, prints nothing to standard output, and warns once", async () => {
    const cwd = folder()
    const model = await modelOf(() => [
      calls({ name: "Write", input: { file_path: join(cwd, "a.py"), content: source } })
    ])
    const script = fileURLToPath(new URL("./program.ts", import.meta.url))
    const args = [...("Deno" in globalThis ? ["run", "-A"] : []), script]
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TEST_OPTIONS: JSON.stringify(sessionOptions(model, cwd, home)) }
    })
    const heard = { stdout: "", stderr: "" }
    child.stdout.on("data", (chunk: Uint8Array) => (heard.stdout += String(chunk)))
    child.stderr.on("data", (chunk: Uint8Array) => (heard.stderr += String(chunk)))
    const [code] = await once(child, "close")
    assert.strictEqual(code, 0, heard.stderr)
    assert.strictEqual(heard.stdout, "")
    assert.strictEqual(heard.stderr.match(/the session goes on without/g)?.length, 1, heard.stderr)
    assert.strictEqual(readFileSync(join(cwd, "a.py"), "utf8"), source)
  })

  it("takes the hooks alone, where a normal end is a success", async () => {
    await store()
    const sdk = await import("@anthropic-ai/claude-agent-sdk")
    const cwd = folder()
    const model = await modelOf((request) => [
      calls({ name: "Bash", input: { command: `python3 ${offeredPath(request)} ${offeredPath(request)}` } })
    ])
    const { client, sent } = noting()
    const options = { ...sessionOptions(model, cwd, home), hooks: cairnHooks(client, { cacheDir: folder() }) }
    await messagesOf(sdk.query({ prompt: task, options }))
    assert.deepStrictEqual(sent, ["/api/retrieve/search", "/api/store/cache-usage"])

    const failing = await modelOf(() => [{ status: 500 }])
    const other = noting()
    const hooks = cairnHooks(other.client, { cacheDir: folder() })
    const failed = await messagesOf(
      sdk.query({ prompt: task, options: { ...sessionOptions(failing, cwd, home), hooks } })
    )
    assert.isTrue(resultOf(failed).is_error)
    assert.deepStrictEqual(other.sent, ["/api/retrieve/search"])
  })

  it("runs under the existing names", async () => {
    await store()
    const cwd = folder()
    const model = await modelOf((request) => [
      calls({ name: "Bash", input: { command: `python3 ${offeredPath(request)} a.txt` } })
    ])
    writeFileSync(join(cwd, "a.txt"), "one two three\n")
    const agent = new Agent({ ...sessionOptions(model, cwd, home), apiKey: ownerKey, baseUrl: service.url } as never)
    const { runId, query, succeeded, messages, codeUsed } = await agent.run([
      { role: "user", content: "Hello." },
      { role: "assistant", content: "Hello. What shall I do?" },
      { role: "user", content: task }
    ])
    assert.match(runId, /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual({ query, succeeded }, { query: task, succeeded: true })
    assert.strictEqual(resultOf(messages).subtype, "success")
    assert.deepStrictEqual(
      codeUsed.map(({ filename }) => filename),
      ["count_words.py"]
    )
    assert.include(shown(model.requests[0]!), "What shall I do?")
  })
})

const repositoryAt = (cwd: string) => {
  mkdirSync(join(cwd, ".git/objects"), { recursive: true })
  mkdirSync(join(cwd, ".git/refs"), { recursive: true })
  writeFileSync(join(cwd, ".git/HEAD"), "ref: refs/heads/main\n")
}
