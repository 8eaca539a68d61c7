import { type ChildProcess, execFileSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, it } from "vitest"
import { isLong } from "../../../../../test/long.ts"
import { calls } from "../../../../../test/MessagesApi.ts"
import { ownerKey } from "../../../../../test/service.ts"
import type { AgentQuery } from "../../../src/agent/index.ts"
import { messagesOf } from "../standIn.ts"
import {
  conversation,
  ended,
  offeredPath,
  search,
  startedBy,
  startProgram,
  task,
  upload,
  useWorld,
  withSdk
} from "./world.ts"

/** The processes that a process started, and theirs. */
const descendantsOf = (pid: number): ReadonlyArray<number> => {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n")
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number])
  const below = (parent: number): ReadonlyArray<number> =>
    pairs.flatMap(([child, its]) => (its === parent ? [child, ...below(child)] : []))
  return below(pid)
}
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

withSdk("a session with the agent SDK that ends before its time", () => {
  const { service, folder, modelOf, noting, optionsOf, agentOf, store } = useWorld()
  const ran = { cache: "" }
  /** A model that writes a file, runs the offered snippet and then something that takes long. */
  const busy = async (cwd: string) => {
    await store()
    return modelOf((request) => {
      ran.cache = dirname(offeredPath(request))
      return [
        calls({ name: "Write", input: { file_path: join(cwd, "half.py"), content: "print('half of the work')\n" } }),
        calls({ name: "Bash", input: { command: `python3 ${offeredPath(request)}` } }),
        calls({ name: "Bash", input: { command: "touch begun; sleep 600" } })
      ]
    })
  }
  /** Until the long command runs. */
  const begun = async (cwd: string) => {
    while (!existsSync(join(cwd, "begun"))) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  const ends: ReadonlyArray<readonly [string, (session: AgentQuery, controller: AbortController) => unknown]> = [
    ["its abortController", (_, controller) => controller.abort()],
    ["close()", (session) => session.close()],
    ["return(), as a loop that is left calls it", (session) => session.return(undefined as never)]
  ]
  for (const [what, end] of ends) {
    it(`by ${what} sends nothing, and leaves no process and no folder`, async () => {
      const cwd = folder()
      const model = await busy(cwd)
      const { client, sent } = noting()
      const children: Array<ChildProcess> = []
      const abortController = new AbortController()
      const { agent, reports } = agentOf(model, cwd, client, { ...startedBy(children), abortController })
      const session = agent.query(task)
      const messages = messagesOf(session).catch((error: unknown) => error)
      await begun(cwd)
      assert.isTrue(existsSync(ran.cache))
      await end(session, abortController)
      await messages
      await ended(children)
      while (existsSync(ran.cache)) await new Promise((resolve) => setTimeout(resolve, 20))
      assert.deepStrictEqual([sent, reports, children.length], [[search], [], 1])
    })
  }

  it("by a loop that is left sends nothing, and leaves no process and no folder", async () => {
    const cwd = folder()
    const model = await busy(cwd)
    const { client, sent } = noting()
    const children: Array<ChildProcess> = []
    const { agent, reports } = agentOf(model, cwd, client, startedBy(children))
    for await (const message of agent.query(task)) if (message.type === "user") break
    assert.isFalse(existsSync(ran.cache))
    await ended(children)
    assert.deepStrictEqual([sent, reports], [[search], []])
  })

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    // a program hears both by the same listener
    it.skipIf(signal === "SIGTERM" && !isLong)(
      `by ${signal} to its program sends nothing, and leaves no process and no folder`,
      async () => {
        const cwd = folder()
        const temporary = folder()
        const model = await busy(cwd)
        const head = await service().head()
        const { child } = startProgram("program.ts", {
          TMPDIR: temporary,
          TEST_OPTIONS: JSON.stringify({ ...optionsOf(model, cwd), apiKey: ownerKey, baseUrl: service().url })
        })
        await begun(cwd)
        assert.strictEqual(readdirSync(temporary).filter((name) => name.startsWith("cairn-")).length, 1)
        const processes = descendantsOf(child.pid!)
        assert.isAbove(processes.length, 0)
        child.kill(signal)
        await once(child, "close")
        for (const pid of processes) while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
        assert.deepStrictEqual(
          readdirSync(temporary).filter((name) => name.startsWith("cairn-")),
          []
        )
        const events = await service().sql<{ type: string }>(`SELECT type FROM events WHERE position > ${head}`)
        assert.deepStrictEqual(
          events.filter(({ type }) => type !== "SearchAnswered"),
          []
        )
      }
    )
  }

  // the last one: its vote is against the snippet, which is offered to nobody then
  it("by interrupt() sends nothing; a later turn that succeeds sends what both did", async () => {
    const cwd = folder()
    const model = await busy(cwd)
    const { client, sent } = noting()
    const children: Array<ChildProcess> = []
    const { agent, reports } = agentOf(model, cwd, client, startedBy(children))
    const { asks, answered } = conversation([task, "never mind"])
    const session = agent.query(asks)
    const results: Array<readonly [string, ReadonlyArray<string>]> = []
    void begun(cwd).then(() => session.interrupt())
    for await (const message of session) {
      if (message.type !== "result") continue
      results.push([message.subtype, [...sent]])
      answered()
    }
    assert.deepStrictEqual(results[0], ["error_during_execution", [search]])
    assert.strictEqual(results[1]![0], "success")
    assert.deepStrictEqual(sent.slice(0, 3), [search, search, upload])
    assert.deepStrictEqual(
      reports.map(({ uploaded, votes }) => [uploaded, votes.map(({ succeeded }) => succeeded)]),
      [[["half.py"], [false]]]
    )
    await ended(children)
  })
})
