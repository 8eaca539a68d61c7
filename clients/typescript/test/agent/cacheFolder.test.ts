import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "vitest"
import { found, match, sessionWith, useFolders } from "./hooked.ts"

const folders = useFolders()
const program = (end: string) => [
  ...("Deno" in globalThis ? ["run", "-A"] : []),
  fileURLToPath(new URL("./folder.ts", import.meta.url)),
  end
]

it("of its own is not left behind when the program ends", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, program("now"))
  assert.match(stdout, /cairn-snippets-/)
  assert.isFalse(existsSync(stdout))
})

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  it(`of its own is not left behind after ${signal}, of which the program dies all the same`, async () => {
    const child = spawn(process.execPath, program("never"), { stdio: ["ignore", "pipe", "inherit"] })
    const [path] = (await once(child.stdout, "data")) as [Uint8Array]
    assert.isTrue(existsSync(String(path)))
    child.kill(signal)
    const [code, by] = await once(child, "exit")
    assert.deepStrictEqual([code, by], [null, signal])
    assert.isFalse(existsSync(String(path)))
  })
}

it("a program that listens to a signal itself decides what becomes of it", async () => {
  const child = spawn(process.execPath, program("listens"), { stdio: ["ignore", "pipe", "inherit"] })
  const [path] = (await once(child.stdout, "data")) as [Uint8Array]
  let after = ""
  child.stdout.on("data", (text: Uint8Array) => (after += String(text)))
  child.kill("SIGINT")
  await once(child, "close")
  assert.strictEqual(after, " listened")
  assert.isFalse(existsSync(String(path)))
})

it("each session has its own, which goes at its end", async () => {
  const session = sessionWith({ ...folders, cacheDir: undefined }, [
    found(match("one", "a.py")),
    found(match("two", "a.py"))
  ])
  const offered = async (session_id: string) => /→ `([^`]+)`/.exec(await session.prompt("x", { session_id }))![1]!
  const one = await offered("1")
  const two = await offered("2")
  assert.notStrictEqual(one, two)
  await session.happens("SessionEnd", { session_id: "1" })
  assert.deepStrictEqual([existsSync(one), existsSync(two)], [false, true])
  await session.happens("SessionEnd", { session_id: "2" })
  assert.isFalse(existsSync(two))
})

it("a link in place of it is not followed", async () => {
  const cacheDir = join(folders.cwd, "cache")
  symlinkSync(folders.cacheDir, cacheDir)
  const session = sessionWith({ ...folders, cacheDir }, [found(match("one", "a.py"))])
  assert.strictEqual(await session.prompt(), "")
  assert.deepStrictEqual(readdirSync(folders.cacheDir), [])
  assert.strictEqual(session.warnings.length, 1)
})

it("it may not be the session's folder, nor hold it: files of the project would be replaced", async () => {
  const cwd = join(folders.cwd, "project")
  mkdirSync(cwd)
  writeFileSync(join(cwd, "a.py"), "mine")
  for (const cacheDir of [cwd, folders.cwd]) {
    const session = sessionWith({ cwd, cacheDir }, [found(match("one", "a.py"))])
    assert.strictEqual(await session.prompt(), "")
    assert.match(session.warnings[0]!, /cacheDir holds the session's folder/)
  }
  assert.deepStrictEqual(readdirSync(folders.cwd, { recursive: true }).sort(), ["project", "project/a.py"])
})

it("inside of the session's folder it is no work of the session", async () => {
  const session = sessionWith({ ...folders, cacheDir: join(folders.cwd, ".cairn") }, [found(match("one", "a.py"))])
  await session.prompt()
  await session.writes(".cairn/added.py", "print('into the cache')\n")
  await session.bash("true")
  await session.happens("Stop")
  assert.deepStrictEqual([session.reports[0]!.uploaded, session.reports[0]!.left], [[], []])
})

it("of a session that ended while it searched is not made", async () => {
  const answer = Promise.withResolvers<void>()
  const session = sessionWith({ ...folders, cacheDir: undefined }, [
    async () => {
      await answer.promise
      return Response.json({ matches: [match("one", "a.py")], total_found: 1, cache_hit: false })
    }
  ])
  const prompted = session.prompt()
  while (session.sent.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await session.happens("SessionEnd")
  answer.resolve()
  assert.strictEqual(await prompted, "")
  assert.deepStrictEqual(session.warnings, [])
})
