import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { found, later, match, sessionWith, source, stored, useFolders } from "./hooked.ts"

const folders = useFolders()
const edited = source.replace("sum([a, b])", "a + b")
const failed = { error: "Exit code 1\nTraceback" }

const offered = async (cacheDir = folders.cacheDir, replies = [found(match("one", "a.py"))]) => {
  const session = sessionWith({ ...folders, cacheDir }, replies)
  await session.prompt("add numbers")
  const path = join(cacheDir, "a.py")
  const run = (event: object = {}) => session.bash(`python3 ${path}`, event)
  const edit = (content: string) => {
    writeFileSync(path, content)
    return session.tool("Edit", { file_path: path })
  }
  const read = () => session.tool("Read", { file_path: path })
  const end = async () => {
    await session.happens("Stop")
    const { uploaded, left } = session.reports.at(-1)!
    return { uploaded, left: left.map(({ path, reason }) => `${path}: ${reason}`), votes: session.votes() }
  }
  return { ...session, path, run, edit, read, end }
}

describe("an offered file that the session changed", () => {
  it("gets its snippet no vote when it runs, and is uploaded", async () => {
    for (const event of [{}, failed]) {
      const session = await offered()
      await session.edit("print('something else')\n")
      await session.run(event)
      assert.deepStrictEqual(await session.end(), { uploaded: ["a.py"], left: [], votes: [] })
      const [upload] = session.uploads()
      assert.deepStrictEqual(upload?.["file_written"], { path: "a.py", content: "print('something else')\n" })
      assert.include(upload?.["execution_logs"], `$ python3 ${session.path}`)
      writeFileSync(session.path, source)
    }
  })

  it("gets none for a change of blanks either, and has nothing new to upload", async () => {
    const session = await offered()
    await session.edit(`${source}\n`)
    await session.run(failed)
    assert.deepStrictEqual(await session.end(), { uploaded: [], left: [], votes: [] })
  })

  it("is no snippet that is read; what was read before counts as for any other file", async () => {
    const after = await offered()
    await after.edit(edited)
    await after.read()
    await after.bash(`cat ${after.path}`)
    assert.deepStrictEqual(await after.end(), { uploaded: ["a.py"], left: [], votes: [] })
    writeFileSync(after.path, source)
    const before = await offered()
    await before.read()
    await before.edit(edited)
    await before.run(failed)
    assert.deepStrictEqual(await before.end(), { uploaded: ["a.py"], left: [], votes: [["one", true]] })
  })

  it("keeps the vote of runs before, and has it again once it is what it was", async () => {
    const session = await offered()
    await session.run()
    await session.edit(edited)
    await session.run(failed)
    assert.deepStrictEqual((await session.end()).votes, [["one", true]])
    writeFileSync(session.path, source)
    const restored = await offered()
    await restored.edit(edited)
    await restored.edit(source)
    await restored.run(failed)
    assert.deepStrictEqual(await restored.end(), { uploaded: [], left: [], votes: [["one", false]] })
  })

  it("is uploaded when a command changed it, once; not when somebody else did", async () => {
    const session = await offered(folders.cacheDir, [found(match("one", "a.py")), found(), stored, found()])
    await later()
    writeFileSync(session.path, "print('by the user while the model thought')\n")
    await later()
    await session.tool("Glob", {})
    await later()
    await session.bash("true", { duration_ms: 1 })
    assert.deepStrictEqual((await session.end()).uploaded, [])
    await session.prompt("go on")
    await later()
    writeFileSync(session.path, edited)
    await session.bash(`sed -i s/x/y/ ${session.path}`)
    assert.deepStrictEqual((await session.end()).uploaded, ["a.py"])
    await session.prompt("go on")
    await session.bash("make", { tool_response: { backgroundTaskId: "b1" } })
    assert.deepStrictEqual((await session.end()).uploaded, [])
  })

  it("is none that another file was only copied over by a command, unless a tool names it", async () => {
    const before = "print('was in the project before')\n"
    writeFileSync(join(folders.cwd, "mine.py"), before)
    const replies = [found(match("one", "a.py"), match("two", "b.py")), found(), found(), stored, found()]
    const session = await offered(folders.cacheDir, replies)
    const copied = async (content: string, path: string) => {
      await session.prompt("go on")
      await later()
      writeFileSync(path, content)
      await session.bash(`cp it ${path}`)
      return (await session.end()).uploaded
    }
    assert.deepStrictEqual(await copied(before, session.path), [])
    assert.deepStrictEqual(await copied(edited, session.path), ["a.py"])
    assert.deepStrictEqual(await copied(edited, join(folders.cacheDir, "b.py")), [])
    await session.edit(before)
    assert.deepStrictEqual((await session.end()).uploaded, ["a.py"])
  })

  it("stays by the rules for all files: a secret, an ignored folder, too many", async () => {
    const secret = await offered()
    await secret.edit("api_key = 'abcdefgh12345678'\n")
    assert.deepStrictEqual((await secret.end()).left, ["a.py: secret"])
    writeFileSync(secret.path, source)

    const many = await offered()
    for (let n = 0; n < 20; n++) await many.writes(`${n}.py`, `print('number ${n}')\n`)
    await many.edit(edited)
    const { uploaded, left } = await many.end()
    assert.deepStrictEqual([uploaded.length, left], [20, ["a.py: too many"]])

    const ignored = await offered(join(folders.cwd, ".cairn"))
    ignored.puts(".cairn/.gitignore", "*\n")
    await ignored.edit(edited)
    assert.deepStrictEqual((await ignored.end()).left, ["a.py: ignored"])
  })

  it("stays where it is when its snippet is offered again, which still has one vote", async () => {
    const session = await offered(folders.cacheDir, Array(2).fill(found(match("one", "a.py"))))
    await session.edit(edited)
    const again = join(folders.cacheDir, "a-2.py")
    assert.include(await session.prompt("and again"), `\`${again}\``)
    assert.deepStrictEqual([readFileSync(session.path, "utf8"), readFileSync(again, "utf8")], [edited, source])
    await session.bash(`python3 ${again}`)
    assert.deepStrictEqual(await session.end(), { uploaded: ["a.py"], left: [], votes: [["one", true]] })
  })
})
