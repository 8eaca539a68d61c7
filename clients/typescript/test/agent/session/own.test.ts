import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import { isLong } from "../../../../../test/long.ts"
import { calls, says } from "../../../../../test/MessagesApi.ts"
import { ownerKey } from "../../../../../test/service.ts"
import { cairnHooks, type SessionReport } from "../../../src/agent/index.ts"
import { Agent } from "../../../src/compat/index.ts"
import { messagesOf, shown } from "../standIn.ts"
import { offeredPath, resultOf, search, task, useWorld, vote, withSdk } from "./world.ts"

withSdk("a session with the agent SDK, and what its user has of their own", () => {
  const { service, folder, modelOf, noting, optionsOf, agentOf, store } = useWorld()
  const writing = (cwd: string, name: string) =>
    calls({ name: "Write", input: { file_path: join(cwd, name), content: `print('${name} of ${cwd}')\n` } })

  it("takes the hooks alone, where a normal end is a success", async () => {
    await store()
    const sdk = await import("@anthropic-ai/claude-agent-sdk")
    const cwd = folder()
    const model = await modelOf((request) => [
      calls({ name: "Bash", input: { command: `python3 ${offeredPath(request)} ${offeredPath(request)}` } })
    ])
    const { client, sent } = noting()
    const options = { ...optionsOf(model, cwd), hooks: cairnHooks(client, { cacheDir: folder() }) }
    await messagesOf(sdk.query({ prompt: task, options }))
    assert.deepStrictEqual(sent, [search, vote])

    const ends = [
      [{ status: 500 }, {}],
      [says("never said"), { maxTurns: 1 }]
    ] as const
    for (const [last, more] of isLong ? ends : ends.slice(0, 1)) {
      const failing = await modelOf(() => [writing(cwd, "failed.py"), last])
      const other = noting()
      const hooks = cairnHooks(other.client, { cacheDir: folder() })
      const failed = await messagesOf(
        sdk.query({ prompt: task, options: { ...optionsOf(failing, cwd), hooks, ...more } })
      )
      assert.isTrue(resultOf(failed).is_error)
      assert.deepStrictEqual(other.sent, [search])
    }
  })

  it("keeps their hooks, permissions, settings and folders", async () => {
    const cwd = folder()
    const beside = folder()
    writeFileSync(join(cwd, "CLAUDE.md"), "The project speaks of itself.\n")
    mkdirSync(join(cwd, ".claude"))
    writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify({ env: { FROM_SETTINGS: "set" } }))
    const heard: Array<string> = []
    const hook = (what: string, answer: object = {}) => {
      const run = async () => {
        heard.push(what)
        return answer
      }
      return [{ hooks: [run] }]
    }
    const context = { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "of my own hook" } }
    await store()
    const model = await modelOf((request) => [
      calls({ name: "Read", input: { file_path: offeredPath(request) } }),
      writing(cwd, "mine.py"),
      writing(beside, "beside.py"),
      calls({ name: "Bash", input: { command: "echo $FROM_SETTINGS > settings.txt; rm -rf /tmp/never" } }),
      calls({ name: "Bash", input: { command: "echo $FROM_SETTINGS > settings.txt" } })
    ])
    const asked: Array<string> = []
    const { client } = noting()
    const { agent, reports } = agentOf(model, cwd, client, {
      settingSources: ["project"],
      additionalDirectories: [beside],
      permissionMode: "default",
      allowedTools: ["Write"],
      canUseTool: async (name: string, input: { readonly command?: string }) => {
        asked.push(name)
        const denied = { behavior: "deny", message: "not that" }
        return input.command?.includes("rm") ? denied : { behavior: "allow", updatedInput: input }
      },
      hooks: {
        UserPromptSubmit: hook("prompt", context),
        PreToolUse: hook("pre"),
        PostToolUse: hook("post"),
        Stop: hook("stop")
      }
    })
    const messages = await messagesOf(agent.query(task))
    assert.isFalse(resultOf(messages).is_error)
    assert.include(shown(model.requests[0]!), "of my own hook")
    assert.include(shown(model.requests[0]!), "count_words.py")
    assert.include(shown(model.requests[0]!), "The project speaks of itself.")
    assert.deepStrictEqual(asked, ["Bash", "Bash"], "the offered file is read without asking")
    for (const what of ["prompt", "pre", "post", "stop"]) assert.include(heard, what)
    assert.strictEqual(readFileSync(join(cwd, "settings.txt"), "utf8"), "set\n")
    assert.isTrue(existsSync(join(beside, "beside.py")))
    assert.deepStrictEqual(
      [...reports[0]!.uploaded].sort(),
      ["mine.py", "settings.txt"],
      "what lies beside is not in cwd"
    )
  })

  it("has sessions at the same time, in folders of their own, with one agent", async () => {
    const folders = [folder(), folder(), folder()]
    const { client } = noting()
    const reports: Array<SessionReport> = []
    const models = await Promise.all(
      folders.map((cwd, n) =>
        modelOf(() => [
          writing(cwd, `of${n}.py`),
          calls({ name: "Bash", input: { command: `echo ${n}${n} > made${n}.txt` } })
        ])
      )
    )
    const { agent } = agentOf(models[0]!, folders[0]!, client)
    await Promise.all(
      folders.map((cwd, n) => {
        const options = { ...optionsOf(models[n]!, cwd), onReport: (one: SessionReport) => void reports.push(one) }
        return messagesOf(agent.query(`write ${n}`, options as never))
      })
    )
    assert.deepStrictEqual(
      reports.map(({ task, uploaded }) => [task, ...uploaded].join(" ")).sort(),
      folders.map((_, n) => `write ${n} of${n}.py made${n}.txt`)
    )
    assert.strictEqual(new Set(reports.map(({ sessionId }) => sessionId)).size, 3)
  })

  for (const [how, more] of [
    ["continued", { continue: true }],
    ["resumed", {}],
    ["forked", { forkSession: true }]
  ] as const) {
    // a forked one is resumed, under another id
    it.skipIf(how === "resumed" && !isLong)(`uploads what a ${how} session writes`, async () => {
      const cwd = folder()
      const first = await modelOf(() => [writing(cwd, "first.py")])
      const begun = agentOf(first, cwd, noting().client)
      await messagesOf(begun.agent.query("write the first"))
      const { sessionId } = begun.reports[0]!
      const second = await modelOf(() => [says("said before"), says("said before"), writing(cwd, "second.py")])
      const how = "continue" in more ? more : { ...more, resume: sessionId }
      const next = agentOf(second, cwd, noting().client, how)
      assert.isFalse(resultOf(await messagesOf(next.agent.query("write the second"))).is_error)
      assert.deepStrictEqual(
        next.reports.map(({ task, uploaded }) => [task, uploaded]),
        [["write the second", ["second.py"]]]
      )
      assert.strictEqual(next.reports[0]!.sessionId === sessionId, !("forkSession" in more))
    })
  }

  it("goes on after /clear, which begins another session in the same process", async () => {
    const cwd = folder()
    const model = await modelOf(() => [writing(cwd, "after.py")])
    const { agent, reports } = agentOf(model, cwd, noting().client)
    const prompts = async function* () {
      for (const content of ["/clear", "write after it"]) {
        yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" } as never
      }
    }
    await messagesOf(agent.query(prompts()))
    assert.deepStrictEqual(reports.at(-1)?.uploaded, ["after.py"])
  })

  it("has a client of theirs, in the workspace that its options name", async () => {
    const cwd = folder()
    const model = await modelOf(() => [writing(cwd, "for_customer.py")])
    const scopes: Array<string | null> = []
    const { client } = noting({
      fetch: (url, init) => {
        scopes.push(new Headers(init.headers).get("x-cairn-workspace-id"))
        return globalThis.fetch(url, init)
      }
    })
    const { agent } = agentOf(model, cwd, client, { workspaceId: "customer-1" })
    await messagesOf(agent.query(task))
    assert.deepStrictEqual(scopes, ["customer-1", "customer-1"])
    await messagesOf(agent.query(task, { workspaceId: "customer-2" } as never))
    assert.deepStrictEqual(new Set(scopes.slice(2)), new Set(["customer-2"]))
  })

  it("has the tools, the system prompt, the model and the debug flag that they ask for", async () => {
    await store()
    for (const [allowedTools, debug] of [
      [["Write"], true],
      [["Read"], false]
    ] as const) {
      const cwd = folder()
      const model = await modelOf(() => [writing(cwd, "asked.py")])
      const lines: Array<string> = []
      const at = (line: string) => void lines.push(line)
      const { agent } = agentOf(model, cwd, noting().client, {
        tools: ["Read", "Write"],
        allowedTools,
        permissionMode: "default",
        model: "claude-opus-4-5",
        debug,
        systemPrompt: "You keep a lighthouse.",
        logger: { debug: at, info: at, warn: at, error: at }
      })
      await messagesOf(agent.query(task))
      const { body } = model.requests[0]!
      assert.strictEqual(body.model, "claude-opus-4-5")
      assert.include(JSON.stringify(body.system), "You keep a lighthouse.")
      assert.deepStrictEqual(body.tools!.map(({ name }) => name).sort(), ["Read", "Write"])
      assert.strictEqual(existsSync(join(cwd, "asked.py")), allowedTools[0] === "Write")
      assert.strictEqual(lines.includes("Session offered snippets"), debug)
    }
  })

  it("runs under the existing names", async () => {
    await store()
    const cwd = folder()
    const model = await modelOf((request) => [
      calls({ name: "Bash", input: { command: `python3 ${offeredPath(request)} a.txt` } })
    ])
    writeFileSync(join(cwd, "a.txt"), "one two three\n")
    const agent = new Agent({ ...optionsOf(model, cwd), apiKey: ownerKey, baseUrl: service().url } as never)
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
