import { existsSync } from "node:fs"
import { afterEach, assert, it, vi } from "vitest"
import { found, match, sessionWith, stored, useFolders } from "./hooked.ts"

const folders = useFolders()
afterEach(() => vi.restoreAllMocks())

const now = performance.now.bind(performance)
/** From now on it is so many minutes later. */
const minutesLater = (minutes: number) =>
  vi.spyOn(performance, "now").mockImplementation(() => now() + minutes * 60_000)

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

it("those whose last turn failed make room after those at rest, and before one that is under way", async () => {
  const session = sessions()
  const underWay = await session.begins("under way")
  await session.writes("under way")
  const fails = async (name: string) => {
    const path = await session.begins(name)
    await session.happens("StopFailure", { session_id: name })
    return path
  }
  const failed: Array<string> = []
  for (let n = 0; n < 15; n++) failed.push(await fails(`failed ${n}`))
  const resting: Array<string> = []
  for (let n = 0; n < 16; n++) resting.push(await session.rests(`at rest ${n}`))
  for (let n = 15; n < 34; n++) failed.push(await fails(`failed ${n}`))
  for (const path of [...resting, ...failed.slice(0, 3)]) await gone(path)
  assert.deepStrictEqual([goneOf(resting).length, goneOf(failed), goneOf([underWay])], [16, [0, 1, 2], []])
  await session.stops("under way")
  assert.deepStrictEqual([session.delivered().at(-1), session.warnings], [["under way", "under way.py"], []])
})

it("those without an event for twenty minutes are given up then, with one warning", async () => {
  const session = sessions()
  const paths: Array<string> = []
  for (let n = 0; n < 40; n++) paths.push(await session.begins(String(n)))
  minutesLater(19)
  await session.bash("true", { session_id: "0" })
  const another = await session.begins("another")
  assert.deepStrictEqual([goneOf([...paths, another]), session.warnings], [[], []])
  minutesLater(21)
  const last = await session.begins("last")
  for (const path of paths.slice(1, 11)) await gone(path)
  assert.deepStrictEqual(goneOf([...paths, another, last]), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  assert.lengthOf(session.warnings, 1)
  assert.include(session.warnings[0], "one without an event for 20 minutes is given up")
})

it("one whose first event is no prompt sends what its tools wrote, below the folder of that event, and rests", async () => {
  const session = sessions(Array(100).fill(stored))
  for (let n = 0; n < 31; n++) {
    await session.writes(String(n))
    await session.bash("cd lib", { session_id: String(n), cwd: `${folders.cwd}/lib` })
    await session.happens("Stop", { session_id: String(n), cwd: `${folders.cwd}/lib` })
  }
  assert.deepStrictEqual(
    session.delivered(),
    Array.from({ length: 31 }, (_, n) => [String(n), `${n}.py`])
  )
  const { bash, writes, stops, rests } = sessions()
  for (let n = 0; n < 31; n++) {
    await writes(String(n))
    await stops(String(n))
  }
  const path = await rests("begun by a prompt")
  for (let n = 0; n < 31; n++) await bash("true", { session_id: `another ${n}` })
  await new Promise((resolve) => setImmediate(resolve))
  assert.isTrue(existsSync(path), "the others were longer without an event")
  await bash("true", { session_id: "one more" })
  await gone(path)
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
