import { existsSync } from "node:fs"
import { assert, it } from "vitest"
import { found, match, sessionWith, stored, useFolders } from "./hooked.ts"

const folders = useFolders()

/** Sessions of one program, each in a cache folder of its own. */
const sessions = (replies = Array(100).fill(found(match("one", "a.py")))) => {
  const session = sessionWith({ ...folders, cacheDir: undefined }, replies)
  /** Where its offered file lies. */
  const begins = async (session_id: string) => /→ `([^`]+)`/.exec(await session.prompt("x", { session_id }))![1]!
  const stops = (session_id: string) => session.happens("Stop", { session_id })
  const rests = async (session_id: string) => {
    const path = await begins(session_id)
    await stops(session_id)
    return path
  }
  const writes = (session_id: string) => {
    session.puts(`${session_id}.py`, `print('work of ${session_id}')\n`)
    return session.tool("Write", { file_path: `${folders.cwd}/${session_id}.py` }, { session_id })
  }
  const delivered = () => session.reports.map(({ sessionId, uploaded }) => [sessionId, ...uploaded])
  return { ...session, begins, stops, rests, writes, delivered }
}

const gone = async (path: string) => {
  while (existsSync(path)) await new Promise((resolve) => setImmediate(resolve))
}
const goneOf = (paths: ReadonlyArray<string>) => paths.flatMap((path, n) => (existsSync(path) ? [] : [n]))

it("thirty-two sessions at rest are kept; the one longest without an event goes, and begins anew", async () => {
  const session = sessions()
  const paths: Array<string> = []
  for (let n = 0; n < 32; n++) paths.push(await session.rests(String(n)))
  await session.bash("true", { session_id: "0" })
  await session.stops("0")
  await session.happens("SessionEnd", { session_id: "of another program" })
  assert.deepStrictEqual(goneOf(paths), [])

  paths.push(await session.begins("32"))
  await gone(paths[1]!)
  assert.deepStrictEqual(goneOf(paths), [1])
  const reads = (n: number, file_path: string) =>
    session.happens("PreToolUse", { session_id: String(n), tool_name: "Read", tool_input: { file_path } })
  assert.deepStrictEqual(await reads(1, paths[1]!), {})
  await gone(paths[2]!)
  const anew = await session.begins("1")
  assert.notStrictEqual(anew, paths[1])
  assert.notDeepEqual(await reads(1, anew), {})
  assert.deepStrictEqual(goneOf(paths), [1, 2])

  for (let n = 0; n < 33; n++) await session.happens("SessionEnd", { session_id: String(n) })
  assert.isFalse([...paths, anew].some((path) => existsSync(path)))
})

it("forty whose turns are under way at once all deliver; those at rest then make room", async () => {
  const session = sessions([...Array(40).fill(found(match("one", "a.py"))), ...Array(40).fill(stored), found()])
  const names = Array.from({ length: 40 }, (_, n) => String(n))
  const paths = await Promise.all(names.map(session.begins))
  for (const name of names) await session.writes(name)
  assert.deepStrictEqual(goneOf(paths), [])
  await Promise.all(names.map(session.stops))
  assert.sameDeepMembers(
    session.delivered(),
    names.map((name) => [name, `${name}.py`])
  )
  assert.deepStrictEqual([goneOf(paths), session.warnings], [[], []])
  await session.prompt("x", { session_id: "another" })
  for (const path of paths.slice(0, 9)) await gone(path)
  assert.lengthOf(goneOf(paths), 9)
})

it("a session is not at rest that failed, is being delivered, waits for a command, or used a tool since", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const upload = Promise.withResolvers<void>()
  const slow = async () => {
    upload.resolve()
    await answered
    return Response.json({ success: true, code_blocks_stored: 1, message: "", vote_pending: false })
  }
  const session = sessions([found(match("one", "a.py")), slow, ...Array(80).fill(found(match("one", "a.py")))])
  let delivery: Promise<unknown> | undefined
  const states: { readonly [name: string]: () => Promise<unknown> } = {
    delivering: async () => {
      await session.writes("delivering")
      delivery = session.stops("delivering")
      await upload.promise
    },
    begun: async () => {},
    failed: () => session.happens("StopFailure", { session_id: "failed" }),
    waiting: async () => {
      await session.bash("make", { session_id: "waiting", tool_response: { backgroundTaskId: "b1" } })
      await session.happens("Stop", { session_id: "waiting", background_tasks: [{ id: "b1" }] })
    },
    used: async () => {
      await session.stops("used")
      await session.bash("true", { session_id: "used" })
    }
  }
  const paths: Array<string> = []
  for (const [name, comes] of Object.entries(states)) {
    paths.push(await session.begins(name))
    await comes()
  }
  const others: Array<string> = []
  for (let n = 0; n < 40; n++) others.push(await session.rests(String(n)))
  assert.deepStrictEqual(goneOf(paths), [])
  for (const path of others.slice(0, 13)) await gone(path)
  assert.deepStrictEqual([goneOf(paths), goneOf(others).length], [[], 13])
  answer()
  await delivery
  assert.deepInclude(session.delivered(), ["delivering", "delivering.py"])
})

it("of more than a thousand under way the one longest without an event goes, with one warning", async () => {
  const session = sessions()
  const path = await session.begins("first")
  for (let n = 1; n < 1_000; n++) await session.bash("true", { session_id: String(n) })
  assert.deepStrictEqual([existsSync(path), session.warnings], [true, []])
  await session.bash("true", { session_id: "1000" })
  await gone(path)
  await session.bash("true", { session_id: "1001" })
  assert.lengthOf(session.warnings, 1)
  assert.include(session.warnings[0], "More than 1000 sessions are under way")
})
