import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { observe } from "../../src/agent/hooks.ts"
import type { HookEvent, SessionReport } from "../../src/agent/index.ts"
import { found, match, sessionWith, useFolders } from "./hooked.ts"

const folders = useFolders()

describe("a turn that fails", () => {
  it("sends nothing; the next success sends what both wrote, under both prompts", async () => {
    const session = sessionWith(folders, [found(), found()])
    await session.prompt("write one")
    await session.writes("one.py", "print('the first one')\n")
    await session.happens("StopFailure", { error: "server_error" })
    assert.deepStrictEqual(session.asked(), ["search"])
    await session.prompt("go on")
    await session.writes("two.py", "print('the second one')\n")
    await session.happens("Stop")
    assert.deepStrictEqual(
      session.uploads().map((body) => [body["task"], body["file_written"].path, body["succeeded"]]),
      [
        ["write one\ngo on", "one.py", true],
        ["write one\ngo on", "two.py", true]
      ]
    )
    await session.happens("Stop")
    assert.strictEqual(session.sent.length, 4, "what was sent is not sent again")
  })

  it("gives what it ran and printed to the next success", async () => {
    const session = sessionWith(folders, [found(match("one", "a.py")), found()])
    await session.prompt("one")
    await session.bash(`python3 ${folders.cacheDir}/a.py`, { error: "Exit code 7" })
    await session.happens("StopFailure")
    await session.prompt("two")
    await session.writes("b.py", "print('written after that')\n")
    await session.happens("Stop")
    assert.include(session.uploads()[0]!["execution_logs"], "Exit code 7")
    assert.deepStrictEqual(session.votes(), [["one", false]])
  })

  it("that was interrupted ends without a word, and is no success", async () => {
    const session = sessionWith(folders, [found(), found()])
    await session.prompt("write one")
    await session.writes("one.py", "print('the first one')\n")
    await session.prompt("never mind")
    assert.deepStrictEqual(session.asked(), ["search", "search"])
  })
})

describe("when the result decides", () => {
  const observed = (replies: Parameters<typeof sessionWith>[1]) => {
    const session = sessionWith(folders, replies)
    const reports: Array<SessionReport> = []
    const told = { cacheDir: folders.cacheDir, onReport: (one: SessionReport) => void reports.push(one) }
    const { hooks, result } = observe(session.cairn, told, "result")
    const happens = (hook_event_name: keyof typeof hooks, event: Partial<HookEvent> = {}) =>
      hooks[hook_event_name][0]!.hooks[0]!({ hook_event_name, session_id: "s", cwd: folders.cwd, ...event })
    const writes = async (path: string) => {
      session.puts(path, `print('${path} of the session')\n`)
      await happens("PostToolUse", { tool_name: "Write", tool_input: { file_path: join(folders.cwd, path) } })
    }
    return { ...session, happens, result, writes, reports }
  }

  it("the end of a turn sends nothing, and no result but a success does", async () => {
    const session = observed([found()])
    await session.happens("UserPromptSubmit", { prompt: "one" })
    await session.writes("one.py")
    await session.happens("Stop")
    await session.result("s", false)
    await session.result("another", true)
    assert.deepStrictEqual([session.asked(), session.reports], [["search"], []])
  })

  it("a turn that began before the last one's result was heard keeps what it did", async () => {
    const session = observed([found(), found()])
    await session.happens("UserPromptSubmit", { prompt: "one" })
    await session.writes("one.py")
    await session.happens("Stop")
    await session.happens("UserPromptSubmit", { prompt: "two" })
    await session.writes("two.py")
    await session.result("s", true)
    await session.happens("Stop")
    await session.result("s", true)
    assert.deepStrictEqual(
      session.reports.map(({ task, uploaded }) => [task, uploaded]),
      [
        ["one", ["one.py"]],
        ["two", ["two.py"]]
      ]
    )
  })

  it("a failure of the model leaves an earlier turn's success to its result", async () => {
    const session = observed([found(), found()])
    await session.happens("UserPromptSubmit", { prompt: "one" })
    await session.writes("one.py")
    await session.happens("Stop")
    await session.happens("UserPromptSubmit", { prompt: "two" })
    await session.happens("StopFailure", { error: "server_error" })
    await session.result("s", true)
    await session.result("s", false)
    assert.deepStrictEqual(
      session.reports.map(({ uploaded }) => uploaded),
      [["one.py"]]
    )
  })
})

it("sessions in one program, in folders of their own, are kept apart", async () => {
  const session = sessionWith({ ...folders, cacheDir: undefined }, [found(match("one", "a.py")), found()])
  const other = { session_id: "other", cwd: folders.cacheDir }
  await session.prompt("one")
  await session.prompt("two", other)
  await session.writes("mine.py", "print('of the first one')\n")
  await session.bash("make", other)
  await session.happens("Stop", other)
  await session.happens("Stop")
  assert.deepStrictEqual(
    session.reports.map(({ sessionId, task, offered, uploaded }) => [sessionId, task, offered.length, uploaded]),
    [
      ["other", "two", 0, []],
      ["s", "one", 1, ["mine.py"]]
    ]
  )
})

it("an event that nobody understands is survived", async () => {
  const session = sessionWith(folders, [found()])
  for (const name of Object.keys(session.hooks) as Array<keyof typeof session.hooks>) {
    for (const event of [{}, { cwd: 3 }, { tool_name: "Bash", tool_input: 4 }, { tool_name: 5, tool_input: null }]) {
      assert.deepStrictEqual(await session.happens(name, event as never), {}, name)
    }
  }
})
