import { join } from "node:path"
import { assert, describe, it } from "vitest"
import type { HookEvent } from "../../src/agent/index.ts"
import { found, match, sessionWith, source, useFolders } from "./hooked.ts"

const folders = useFolders()
const other = "print('something else')\n"
const both = () => found(match("one", "a.py"), match("two", "b.py", {}, { source: other }))

const offered = async (...later: ReadonlyArray<ReturnType<typeof found>>) => {
  const session = sessionWith(folders, [both(), ...later])
  await session.prompt("add numbers")
  return session
}
type Session = Awaited<ReturnType<typeof offered>>
const reads = (session: Session, name = "a.py") => session.tool("Read", { file_path: join(folders.cacheDir, name) })
const runs = (session: Session, command: string, event?: Partial<HookEvent>) =>
  session.bash(command.replaceAll("CACHE", folders.cacheDir), event)
const failed = { error: "Exit code 1\nTraceback" }
const votesOf = async (session: Session) => {
  await session.happens("Stop")
  return session.votes()
}

describe("a vote", () => {
  it("is for what was read and used", async () => {
    const session = await offered()
    await reads(session)
    await reads(session, "b.py")
    await session.writes("mine.py", `# Mine.\n${source}\nprint('more')\n`)
    assert.deepStrictEqual(await votesOf(session), [["one", true]], "the other was only read")
  })
  it("is for what a command printed or copied, and the session used", async () => {
    for (const command of ["cat CACHE/a.py", "cd CACHE && cp a.py /tmp"]) {
      const session = await offered()
      await runs(session, command)
      await session.writes("mine.py", `${source}print('more')\n`)
      assert.deepStrictEqual(await votesOf(session), [["one", true]], command)
    }
  })
  it("is not cast for what was used unread, or read alone", async () => {
    const unread = await offered()
    await unread.writes("mine.py", `${source}\n# by chance the same\n`)
    assert.deepStrictEqual(await votesOf(unread), [])
    const unused = await offered()
    await reads(unused)
    await unused.writes("mine.py", "print('all my own')\n")
    assert.deepStrictEqual(await votesOf(unused), [])
    const unreadable = await offered()
    await unreadable.tool("Read", { file_path: join(folders.cacheDir, "a.py") }, { error: "denied" })
    await unreadable.writes("mine.py", source)
    assert.deepStrictEqual(await votesOf(unreadable), [])
  })
  it("is for what was run and worked, and against what was run and failed; the last run counts", async () => {
    const session = await offered()
    await runs(session, "python3 CACHE/a.py", failed)
    await runs(session, "cd CACHE && python3 b.py", failed)
    await runs(session, 'PYTHONPATH=. timeout 5 python3 "CACHE/a.py" 1 2')
    assert.deepStrictEqual(await votesOf(session), [
      ["one", true],
      ["two", false]
    ])
  })
  it("is for or against an unchanged copy that was run, which is not uploaded again", async () => {
    const session = await offered()
    await session.writes("copy.py", source)
    await runs(session, "python3 ./copy.py", failed)
    assert.deepStrictEqual(await votesOf(session), [["one", false]])
    assert.deepStrictEqual(session.reports[0]!.uploaded, [])
  })
  it("finds a copy from the folder in which the command began, which its event no longer names", async () => {
    const other = await offered()
    await other.writes("sub/copy.py", source)
    await runs(other, "cd sub && python3 ./copy.py", { ...failed, cwd: join(folders.cwd, "sub") })
    assert.deepStrictEqual(await votesOf(other), [["one", false]])
  })

  const run = "python3 CACHE/a.py"
  const unknown: ReadonlyArray<readonly [string, Partial<HookEvent>]> = [
    [run, { error: "Exit code 1", is_interrupt: true }],
    [run, { error: "Exit code 143\nCommand timed out after 1s" }],
    [run, { error: "Exit code 127\npython3: command not found" }],
    [run, { error: "Exit code 126\nPermission denied" }],
    [run, { error: "Exit code 130" }],
    [run, { error: "Exit code 137\nKilled" }],
    [`timeout 1 ${run}`, { error: "Exit code 124" }],
    [run, { error: "The tool was not there" }],
    [run, { tool_input: { command: run, run_in_background: true } }],
    [run, { tool_response: { stdout: "", stderr: "", backgroundTaskId: "b1" } }],
    [run, { tool_response: { stdout: "", stderr: "", interrupted: true } }],
    [`${run}; false`, failed],
    [`${run} | tail -1`, {}],
    [`${run} || true`, {}],
    [`test -f x || ${run}`, {}],
    [`! ${run}`, {}],
    [`if ${run}; then echo; fi`, {}],
    [`echo "$(${run})"`, {}],
    [`make all && ${run}`, failed],
    [`cat missing && ${run}`, failed],
    [`${run} &`, {}],
    ["cat CACHE/a.py", {}],
    ["ruff check CACHE/a.py", failed],
    ["python3 -m py_compile CACHE/a.py", failed],
    ["python3 tool.py CACHE/a.py", failed],
    [`cat > x.sh <<'EOF'\ntrue && ${run}\nEOF`, {}],
    [`grep 'x; ${run}' notes.txt`, {}]
  ]
  for (const [command, event] of unknown) {
    it(`is not cast where nobody knows how a run ended: ${command} ${JSON.stringify(event)}`, async () => {
      const session = await offered()
      const { tool_input } = event
      await runs(session, command, tool_input ? { ...event, tool_input: { ...tool_input, command } } : event)
      assert.deepStrictEqual(await votesOf(session), [])
    })
  }

  it("is cast once in a session, whatever comes after", async () => {
    const session = await offered(both())
    await reads(session)
    await session.writes("mine.py", source.replace("sum([a, b])", "a + b"))
    assert.deepStrictEqual(await votesOf(session), [["one", true]])
    await session.prompt("and again")
    await session.writes("mine.py", source.replace("sum([a, b])", "b + a"))
    await runs(session, "python3 CACHE/a.py", failed)
    await session.happens("Stop")
    assert.deepStrictEqual(session.votes(), [["one", true]])
  })

  it("says that an agent gives it", async () => {
    const session = await offered(both())
    await reads(session)
    await session.writes("mine.py", source.replace("sum([a, b])", "a + b"))
    assert.deepStrictEqual(await votesOf(session), [["one", true]])
    const [vote] = session.sent.filter(({ url }) => url.endsWith("cache-usage"))
    assert.strictEqual(vote?.body.vote_source, "ai")
  })

  it("is not for a snippet that took the name of the one that was read", async () => {
    const session = await offered(found(match("three", "a.py", {}, { source: `${source}# newer\n` })))
    await reads(session)
    await session.prompt("something else")
    await session.writes("mine.py", `${source}print('more')\n`)
    assert.deepStrictEqual(await votesOf(session), [])
  })
})
