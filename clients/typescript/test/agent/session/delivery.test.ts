import type { ChildProcess } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, it } from "vitest"
import { calls, says } from "../../../../../test/MessagesApi.ts"
import { searchLogs } from "../../../src/resources/logs.ts"
import { messagesOf, resultsOf, shown } from "../standIn.ts"
import {
  conversation,
  ended,
  offeredPath,
  repositoryAt,
  resultOf,
  search,
  source,
  startedBy,
  task,
  upload,
  useWorld,
  vote,
  withSdk
} from "./world.ts"

withSdk("a session with the agent SDK", () => {
  const { folder, modelOf, noting, agentOf, store, stored } = useWorld()

  it("uploads what it wrote; a fresh one is offered it, reads and uses it, and its vote arrives", async () => {
    const cwd = folder()
    repositoryAt(cwd)
    writeFileSync(join(cwd, ".gitignore"), "build/\n*.tmp.py\n")
    writeFileSync(join(cwd, "mine.py"), "print('was here before')\n")
    const command = `python3 count_words.py .gitignore && mkdir -p build node_modules/x lib
echo 'def twice(n): return n + n' > lib/twice.py && touch mine.py
echo 1 > build/out.py; echo 1 > a.tmp.py; echo 1 > node_modules/x/i.js; echo A=1 > .env
printf 'a\\0b' > raw.bin; echo 'key = "AKIA0123456789ABCDEF"' > aws.py; ln -s /etc/hostname link.txt`
    const model = await modelOf(() => [
      calls({ name: "Write", input: { file_path: join(cwd, "count_words.py"), content: source } }),
      calls({ name: "Bash", input: { command } })
    ])
    const first = noting()
    const { agent, reports } = agentOf(model, cwd, first.client)
    assert.isFalse(resultOf(await messagesOf(agent.query(task))).is_error)
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
    // the cache folder lies outside of the session's: reading it is allowed all the same
    const next = agentOf(second, other, fresh.client, { permissionMode: "default", allowedTools: ["Write"] })
    assert.isFalse(resultOf(await messagesOf(next.agent.query(task))).is_error)
    assert.notInclude(shown(second.requests[0]!), "sum(len(line.split())", "names and descriptions, not sources")
    assert.deepStrictEqual(next.reports[0]!.votes, [{ codeBlockId: found!.codeBlock.id, succeeded: true }])
    assert.strictEqual((await stored())?.thumbsUp, 1)
    assert.deepStrictEqual(fresh.sent, [search, upload, vote])
    const cache = dirname(next.reports[0]!.offered[0]!.path)
    assert.isFalse(existsSync(cache), "the cache folder goes with the session")
  })

  it("votes down what was run and failed", async () => {
    await store()
    const before = await stored()
    const model = await modelOf((request) => [
      calls({ name: "Bash", input: { command: `python3 ${offeredPath(request)}` } }),
      says("It fails without a file.")
    ])
    const { agent, reports } = agentOf(model, folder(), noting().client)
    await messagesOf(agent.query(task))
    assert.deepStrictEqual(reports[0]!.votes, [{ codeBlockId: before!.codeBlock.id, succeeded: false }])
    assert.strictEqual((await stored())?.thumbsDown, before!.thumbsDown + 1)
  })

  it("votes nothing on what it was not allowed to run, what was stopped, and what still runs", async () => {
    await store()
    const before = await stored()
    const runs = { file_path: "", command: "" }
    const model = await modelOf((request) => {
      runs.command = `python3 ${offeredPath(request)} /dev/stdin`
      return [
        calls({ name: "Bash", input: { command: `${runs.command} > ../out.txt` } }),
        calls({ name: "Bash", input: { command: runs.command, run_in_background: true } }),
        calls({ name: "Bash", input: { command: `timeout 0.1 ${runs.command} < <(sleep 9)` } })
      ]
    })
    const allowedTools = ["Read", "Bash(timeout:*)", "Bash(python3:*)"]
    const { agent, reports } = agentOf(model, folder(), noting().client, { permissionMode: "default", allowedTools })
    await messagesOf(agent.query(task))
    assert.deepStrictEqual(reports[0]!.votes, [])
    assert.deepStrictEqual(
      [(await stored())?.thumbsUp, (await stored())?.thumbsDown],
      [before!.thumbsUp, before!.thumbsDown]
    )
  })

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
    const children: Array<ChildProcess> = []
    const { agent, reports } = agentOf(model, cwd, client, startedBy(children))
    const { asks, answered } = conversation(["write the first thing", "write the second thing"])
    for await (const message of agent.query(asks)) if (message.type === "result") answered()
    assert.deepStrictEqual(
      reports.map(({ task, uploaded }) => ({ task, uploaded })),
      [
        { task: "write the first thing", uploaded: ["first_thing.py"] },
        { task: "write the second thing", uploaded: ["second_thing.py"] }
      ]
    )
    assert.deepStrictEqual(sent, [search, upload, search, upload])
    assert.strictEqual(children.length, 1)
    await ended(children)
  })

  it("uploads a subagent's work, too, under what was asked of the session", async () => {
    const cwd = folder()
    const isSubagent = (text: string) => text.includes("WRITE THE PART") && !text.includes("delegate a part")
    const input = { description: "a part", prompt: "WRITE THE PART", subagent_type: "general-purpose" }
    const model = await modelOf((request) =>
      isSubagent(JSON.stringify(request.body.messages[0]))
        ? [calls({ name: "Write", input: { file_path: join(cwd, "part.py"), content: "print('a part of it')\n" } })]
        : [calls({ name: "Agent", input: { ...input, run_in_background: false } })]
    )
    const tools = ["Agent", "Write"]
    const { agent, reports } = agentOf(model, cwd, noting().client, { tools, allowedTools: tools })
    const { asks, answered } = conversation(["delegate a part"])
    for await (const message of agent.query(asks)) {
      if (message.type === "result" && existsSync(join(cwd, "part.py"))) answered()
    }
    assert.deepStrictEqual(
      reports.flatMap(({ task, uploaded }) => uploaded.map((path) => [task, path])),
      [["delegate a part", "part.py"]]
    )
  })
})
