import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Reply, stub } from "../../../../test/clients/typescript/stub.ts"
import { cairnHooks, type HookEvent, type SessionReport } from "../../src/agent/index.ts"
import { newFolder, removeFolder } from "./standIn.ts"

const source = "def add_numbers(a, b):\n    return sum([a, b])\n\nprint(add_numbers(1, 2))\n"
const match = (id: string, filename: string, more: object = {}) => ({
  code_block: {
    id,
    name: filename,
    description: `Adds numbers (${id}).`,
    source,
    entrypoint: "add_numbers",
    language: "python"
  },
  ...{ score: 0.9, thumbs_up: 0, thumbs_down: 0, filename, language: "python", entrypoint: "add_numbers", ...more }
})
const found = (...matches: ReadonlyArray<object>): Reply => ({
  status: 200,
  body: { matches, total_found: matches.length, cache_hit: false }
})
const stored: Reply = { status: 200, body: { success: true, code_blocks_stored: 1, message: "", vote_pending: true } }

let cwd: string
let cacheDir: string
beforeEach(() => {
  cwd = newFolder()
  cacheDir = newFolder()
})
afterEach(() => {
  removeFolder(cwd)
  removeFolder(cacheDir)
})

/** A session of fake events: what a service answers, and what it was sent. */
const sessionWith = (replies: ReadonlyArray<Reply>, options: object = {}) => {
  const service = stub([...replies, stored])
  const reports: Array<SessionReport> = []
  const warnings: Array<string> = []
  const logger = {
    ...{ debug: () => {}, info: () => {}, error: () => {} },
    warn: (line: string) => void warnings.push(line)
  }
  const hooks = cairnHooks(service.cairn, { cacheDir, logger, onReport: (one) => void reports.push(one), ...options })
  const happens = async (hook_event_name: keyof typeof hooks, event: Partial<HookEvent> = {}) =>
    hooks[hook_event_name][0]!.hooks[0]!({ hook_event_name, session_id: "s", cwd, ...event })
  const tool = (tool_name: string, tool_input: object, failed?: Partial<HookEvent>) =>
    happens(failed ? "PostToolUseFailure" : "PostToolUse", { tool_name, tool_input, tool_response: {}, ...failed })
  const writes = (path: string, content: string) => {
    writeFileSync(join(cwd, path), content)
    return tool("Write", { file_path: join(cwd, path), content })
  }
  const paths = () => service.sent.map(({ url }) => new URL(url).pathname.split("/").at(-1))
  const votes = () =>
    service.sent
      .filter(({ url }) => url.endsWith("cache-usage"))
      .map(({ body }) => [body.code_block_id, body.succeeded])
  return { ...service, hooks, happens, tool, writes, reports, warnings, paths, votes }
}

describe("a prompt", () => {
  it("is searched for with 5, 0.3 and prefer complete, and what is found is listed, not shown", async () => {
    const session = sessionWith([found(match("one", "add_numbers.py"))])
    const { hookSpecificOutput } = await session.happens("UserPromptSubmit", { prompt: "add two numbers" })
    assert.deepInclude(session.sent[0]!.body, {
      ...{ task: "add two numbers", top_k: 5, min_verdict_score: 0.3, prefer_complete: true }
    })
    assert.strictEqual(hookSpecificOutput?.hookEventName, "UserPromptSubmit")
    const context = (hookSpecificOutput as { additionalContext: string }).additionalContext
    assert.include(context, join(cacheDir, "add_numbers.py"))
    assert.include(context, "Adds numbers (one).")
    assert.notInclude(context, "sum([a, b])")
    assert.strictEqual(readFileSync(join(cacheDir, "add_numbers.py"), "utf8"), source)
  })
  it("brings a context that stays below the size at which it would become a pointer", async () => {
    const long = "x ".repeat(5_000)
    const many = [1, 2, 3, 4, 5].map((n) => match(`id${n}`, `file${n}.py`, { dependencies: { [long + n]: long } }))
    const session = sessionWith([found(...many)])
    const { hookSpecificOutput } = await session.happens("UserPromptSubmit", { prompt: "x" })
    const context = (hookSpecificOutput as { additionalContext: string } | undefined)?.additionalContext ?? ""
    assert.isBelow(context.length, 10_000)
    const plain = sessionWith([
      found(
        ...[1, 2, 3, 4, 5].map((n) => ({
          ...match(`id${n}`, `f${n}.py`),
          code_block: { ...match("a", "b").code_block, description: long }
        }))
      )
    ])
    const listed = await plain.happens("UserPromptSubmit", { prompt: "x" })
    const text = (listed.hookSpecificOutput as { additionalContext: string }).additionalContext
    assert.isBelow(text.length, 10_000)
    assert.include(text, "f5.py")
  })
  it("is not searched for when nothing was found, when it is a command, or the machine's own", async () => {
    const session = sessionWith([found()])
    assert.deepStrictEqual(await session.happens("UserPromptSubmit", { prompt: "nothing like it" }), {})
    assert.deepStrictEqual(await session.happens("UserPromptSubmit", { prompt: "/compact" }), {})
    assert.deepStrictEqual(await session.happens("UserPromptSubmit", { prompt: "a task ended", source: "system" }), {})
    assert.deepStrictEqual(session.paths(), ["search"])
  })
  it("lets the model read the offered files, and no others", async () => {
    const session = sessionWith([found(match("one", "a.py"))])
    await session.happens("UserPromptSubmit", { prompt: "x" })
    symlinkSync("/etc/hostname", join(cacheDir, "link.py"))
    const asks = (file_path: string) => session.happens("PreToolUse", { tool_name: "Read", tool_input: { file_path } })
    assert.deepInclude((await asks(join(cacheDir, "a.py"))).hookSpecificOutput, { permissionDecision: "allow" })
    for (const other of [join(cacheDir, "link.py"), join(cacheDir, "..", "a.py"), join(cwd, "a.py"), cacheDir]) {
      assert.deepStrictEqual(await asks(other), {}, other)
    }
    assert.strictEqual(session.hooks.PreToolUse[0]!.matcher, "Read")
  })
})

describe("votes", () => {
  const offered = async () => {
    const session = sessionWith([
      found(match("one", "a.py"), {
        ...match("two", "b.py"),
        code_block: { ...match("two", "b.py").code_block, source: "print('something else')\n" }
      })
    ])
    await session.happens("UserPromptSubmit", { prompt: "add numbers" })
    return session
  }
  const reads = (session: Awaited<ReturnType<typeof offered>>, name = "a.py") =>
    session.tool("Read", { file_path: join(cacheDir, name) })
  const runs = (session: Awaited<ReturnType<typeof offered>>, command: string, failed?: Partial<HookEvent>) =>
    session.tool("Bash", { command }, failed)
  const end = (session: Awaited<ReturnType<typeof offered>>) => session.happens("Stop")

  it("are for what was read and used", async () => {
    const session = await offered()
    await reads(session)
    await reads(session, "b.py")
    await session.writes("mine.py", `# Mine.\n${source}\nprint('more')\n`)
    await end(session)
    assert.deepStrictEqual(session.votes(), [["one", true]], "the other was only read")
  })
  it("are not cast for what was used unread, or read alone", async () => {
    const session = await offered()
    await session.writes("mine.py", `${source}\n# by chance the same\n`)
    await end(session)
    const other = await offered()
    await reads(other)
    await end(other)
    assert.deepStrictEqual([session.votes(), other.votes()], [[], []])
  })
  it("are for what was run and worked, and against what was run and failed; the last run counts", async () => {
    const session = await offered()
    await runs(session, `python3 ${cacheDir}/a.py`, { error: "Exit code 1" })
    await runs(session, `cd ${cacheDir} && python3 b.py`, { error: "Exit code 1" })
    await runs(session, `PYTHONPATH=. timeout 5 python3 "${cacheDir}/a.py" 1 2`)
    await end(session)
    assert.deepStrictEqual(session.votes(), [
      ["one", true],
      ["two", false]
    ])
  })
  it("are for an unchanged copy that was run, which is not uploaded again", async () => {
    const session = await offered()
    await session.writes("copy.py", source)
    await runs(session, "python3 ./copy.py", { error: "Exit code 1" })
    await end(session)
    assert.deepStrictEqual(session.votes(), [["one", false]])
    assert.deepStrictEqual(session.reports[0]!.uploaded, [])
  })
  it("say nothing of a run that was stopped, or whose end nobody knows", async () => {
    const session = await offered()
    await runs(session, `python3 ${cacheDir}/a.py`, { error: "stopped", is_interrupt: true })
    await runs(session, `python3 ${cacheDir}/a.py; false`, { error: "Exit code 1" })
    await runs(session, `python3 ${cacheDir}/a.py | tail -1`)
    await runs(session, `make all && python3 ${cacheDir}/a.py`, { error: "Exit code 1" })
    await runs(session, `cat ${cacheDir}/a.py`)
    await end(session)
    assert.deepStrictEqual(session.votes(), [])
  })
})

describe("the end of a turn", () => {
  it("sends nothing after a failure; the next success sends what both wrote, under both prompts", async () => {
    const session = sessionWith([found(), found()])
    await session.happens("UserPromptSubmit", { prompt: "write one" })
    await session.writes("one.py", "print('the first one')\n")
    await session.happens("StopFailure", { error: "server_error" })
    assert.deepStrictEqual(session.paths(), ["search"])
    await session.happens("UserPromptSubmit", { prompt: "go on" })
    await session.writes("two.py", "print('the second one')\n")
    await session.happens("Stop")
    assert.deepStrictEqual(
      session.sent.slice(2).map(({ body }) => [body.task, body.file_written.path, body.succeeded]),
      [
        ["write one\ngo on", "one.py", true],
        ["write one\ngo on", "two.py", true]
      ]
    )
    await session.happens("Stop")
    assert.strictEqual(session.sent.length, 4, "what was sent is not sent again")
  })
  it("takes what a failed turn ran and printed into the next success", async () => {
    const session = sessionWith([found(match("one", "a.py")), found()])
    await session.happens("UserPromptSubmit", { prompt: "one" })
    await session.tool("Bash", { command: `python3 ${cacheDir}/a.py` }, { error: "Exit code 7" })
    await session.happens("StopFailure")
    await session.happens("UserPromptSubmit", { prompt: "two" })
    await session.writes("b.py", "print('written after that')\n")
    await session.happens("Stop")
    assert.include(session.sent[2]!.body.execution_logs, "Exit code 7")
    assert.deepStrictEqual(session.votes(), [["one", false]])
  })
  it("uploads what a command made, and not what was only touched or made by nobody here", async () => {
    writeFileSync(join(cwd, "old.py"), "print('old')\n")
    const session = sessionWith([found(), stored, found()])
    await session.happens("UserPromptSubmit", { prompt: "x" })
    writeFileSync(join(cwd, "old.py"), "print('old')\n")
    writeFileSync(join(cwd, "made.py"), "print('made')\n")
    await session.tool("Bash", { command: "python3 gen.py" })
    await session.happens("Stop")
    assert.deepStrictEqual(session.reports[0]!.uploaded, ["made.py"])
    await session.happens("UserPromptSubmit", { prompt: "y" })
    writeFileSync(join(cwd, "by_the_user.py"), "print('user')\n")
    await session.tool("Read", { file_path: join(cwd, "old.py") })
    await session.happens("Stop")
    assert.deepStrictEqual(session.reports[1]!.uploaded, [], "no tool could have made it")
  })
  it("uploads nothing from outside of the folder, and follows no link", async () => {
    const session = sessionWith([found()])
    await session.happens("UserPromptSubmit", { prompt: "x" })
    writeFileSync(join(cacheDir, "elsewhere.py"), "print('elsewhere')\n")
    symlinkSync(cacheDir, join(cwd, "out"))
    symlinkSync("/etc/hostname", join(cwd, "host.txt"))
    mkdirSync(join(cwd, ".git"))
    await session.writes(".git/config", "[core]\n")
    for (const path of ["out/elsewhere.py", "host.txt", "../up.py"]) {
      await session.tool("Write", { file_path: join(cwd, path) })
    }
    await session.tool("Bash", { command: "true" })
    await session.happens("Stop")
    assert.deepStrictEqual(session.reports[0]!.uploaded, [])
  })
  it("sends no secrets, in files, logs or tasks", async () => {
    const secret = "a-very-secret-value-of-the-environment"
    const session = sessionWith([found()], { env: { MY_API_KEY: secret } })
    await session.happens("UserPromptSubmit", { prompt: `use ghp_${"a".repeat(36)} for it` })
    await session.writes("fine.py", "password = 'your-password-here'\nprint('fine')\n")
    await session.writes("bad.py", `print('${secret}')\n`)
    await session.writes("worse.py", "db_password = 'correct-horse'\n")
    await session.tool("Bash", { command: "env" }, { error: `MY_API_KEY=${secret}` })
    await session.happens("Stop")
    assert.deepStrictEqual(session.reports[0]!.uploaded, ["fine.py"])
    assert.deepStrictEqual(
      session.reports[0]!.left.map(({ path, reason }) => [path, reason]),
      [
        ["bad.py", "secret"],
        ["worse.py", "secret"]
      ]
    )
    const text = JSON.stringify(session.sent.slice(1).map(({ body }) => body))
    assert.include(text, "MY_API_KEY=***")
    for (const hidden of [secret, "ghp_a", "correct-horse"]) assert.notInclude(text, hidden)
  })
  it("sends the end of what the tools printed", async () => {
    const session = sessionWith([found()])
    await session.happens("UserPromptSubmit", { prompt: "x" })
    for (let n = 0; n < 30; n++) {
      await session.tool("Bash", { command: `step ${n}` }, undefined)
      await session.happens("PostToolUse", {
        tool_name: "Bash",
        tool_input: { command: "loud" },
        tool_response: { stdout: `${"x".repeat(9_000)}end ${n}`, stderr: "" }
      })
    }
    await session.writes("a.py", "print('a')\n")
    await session.happens("Stop")
    const logs: string = session.sent[1]!.body.execution_logs
    assert.isAtMost(logs.length, 36_500)
    assert.include(logs, "end 29")
    assert.notInclude(logs, "end 1\n")
  })
})

it("leaves no folder of its own behind when the program ends", async () => {
  const args = [...("Deno" in globalThis ? ["run", "-A"] : []), fileURLToPath(new URL("./folder.ts", import.meta.url))]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  assert.match(stdout, /cairn-snippets-/)
  assert.isFalse(existsSync(stdout))
})

it("a link in place of the cache folder is not followed", async () => {
  symlinkSync(cacheDir, join(cwd, "cache"))
  const session = sessionWith([found(match("one", "a.py"))], { cacheDir: join(cwd, "cache") })
  assert.deepStrictEqual(await session.happens("UserPromptSubmit", { prompt: "x" }), {})
  assert.deepStrictEqual([existsSync(join(cacheDir, "a.py")), session.warnings.length], [false, 1])
})

describe("a service that does not answer", () => {
  it("costs one warning, and the session goes on", async () => {
    const session = sessionWith([{ network: "refused" }, { network: "refused" }, { network: "refused" }])
    assert.deepStrictEqual(await session.happens("UserPromptSubmit", { prompt: "x" }), {})
    await session.writes("a.py", "print('a')\n")
    session.sent.length = 0
    assert.deepStrictEqual(await session.happens("Stop"), {})
    assert.strictEqual(session.warnings.length, 1)
  })
  it("and so does a listener that fails", async () => {
    const session = sessionWith([found()], { onReport: () => assert.fail("no") })
    await session.happens("UserPromptSubmit", { prompt: "x" })
    assert.deepStrictEqual(await session.happens("Stop"), {})
    assert.strictEqual(session.warnings.length, 1)
  })
})

it("keeps sessions apart, and removes its own folder at their end", async () => {
  const session = sessionWith([found(match("one", "a.py")), found(match("two", "a.py"))], { cacheDir: undefined })
  const path = (output: object) => /→ `([^`]+)`/.exec(JSON.stringify(output))![1]!
  const one = path(await session.happens("UserPromptSubmit", { prompt: "x", session_id: "1" }))
  const two = path(await session.happens("UserPromptSubmit", { prompt: "x", session_id: "2" }))
  assert.notStrictEqual(one, two)
  await session.happens("SessionEnd", { session_id: "1" })
  assert.deepStrictEqual([existsSync(one), existsSync(two)], [false, true])
  await session.happens("SessionEnd", { session_id: "2" })
  assert.isFalse(existsSync(two))
})
