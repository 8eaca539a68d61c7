import { existsSync } from "node:fs"
import { assert, it } from "vitest"
import { found, match, sessionWith, useFolders } from "./hooked.ts"

const folders = useFolders()

it("thirty-two sessions are kept; the one that was longest without an event goes, and begins anew", async () => {
  const session = sessionWith({ ...folders, cacheDir: undefined }, Array(40).fill(found(match("one", "a.py"))))
  const begins = async (session_id: string) => /→ `([^`]+)`/.exec(await session.prompt("x", { session_id }))![1]!
  const gone = async (path: string) => {
    while (existsSync(path)) await new Promise((resolve) => setImmediate(resolve))
  }
  const paths: Array<string> = []
  for (let n = 0; n < 32; n++) paths.push(await begins(String(n)))
  await session.bash("true", { session_id: "0" })
  await session.happens("SessionEnd", { session_id: "of another program" })
  assert.isTrue(paths.every((path) => existsSync(path)))

  paths.push(await begins("32"))
  await gone(paths[1]!)
  assert.deepStrictEqual(
    paths.flatMap((path, n) => (existsSync(path) ? [] : [n])),
    [1]
  )
  const reads = (n: number, file_path: string) =>
    session.happens("PreToolUse", { session_id: String(n), tool_name: "Read", tool_input: { file_path } })
  assert.deepStrictEqual(await reads(1, paths[1]!), {})
  await gone(paths[2]!)
  const anew = await begins("1")
  assert.notStrictEqual(anew, paths[1])
  assert.notDeepEqual(await reads(1, anew), {})
  assert.isTrue(existsSync(paths[0]!) && existsSync(paths[3]!))

  for (let n = 0; n < 33; n++) await session.happens("SessionEnd", { session_id: String(n) })
  assert.isFalse([...paths, anew].some((path) => existsSync(path)))
})
