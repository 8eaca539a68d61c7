import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { found, later, sessionWith, useFolders } from "./hooked.ts"
import { newFolder, removeFolder } from "./standIn.ts"

const folders = useFolders()
const begun = async (replies = [found()], options: object = {}, cwd = folders.cwd) => {
  const session = sessionWith({ ...folders, cwd }, replies, options)
  const end = async (event: object = {}) => {
    await session.happens("Stop", event)
    const { uploaded, left } = session.reports.at(-1)!
    return { uploaded: [...uploaded].sort(), left: left.map(({ path, reason }) => `${path}: ${reason}`).sort() }
  }
  return { ...session, end }
}
const uploadedBy = (uploaded: ReadonlyArray<string>, left: ReadonlyArray<string> = []) => ({ uploaded, left })

describe("what is uploaded", () => {
  it("is what tools wrote, and what commands made or changed; with the content at the end", async () => {
    const session = await begun()
    session.puts("changed.py", "print('old')\n")
    await session.prompt()
    for (const name of ["Write", "Edit", "MultiEdit"]) {
      session.puts(`${name}.py`, `print('${name}')\n`)
      await session.tool(name, { file_path: join(folders.cwd, `${name}.py`) })
    }
    session.puts("cells.ipynb", '{"cells": []}\n')
    await session.tool("NotebookEdit", { notebook_path: join(folders.cwd, "cells.ipynb") })
    session.puts("changed.py", "print('new')\n")
    session.puts("lib/made.py", "print('made')\n")
    await session.bash("python3 gen.py")
    session.puts("tool.py", "print('by a tool of a server')\n")
    await session.tool("mcp__maker__make", {})
    session.puts("Write.py", "print('as it was at last')\n")
    assert.deepStrictEqual(
      await session.end(),
      uploadedBy(["Edit.py", "MultiEdit.py", "Write.py", "cells.ipynb", "changed.py", "lib/made.py", "tool.py"])
    )
    const sent = session.uploads().find((body) => body["file_written"].path === "Write.py")
    assert.strictEqual(sent?.["file_written"].content, "print('as it was at last')\n")
  })

  it("is the work of subagents, too, and what a command goes on to make in the background", async () => {
    const session = await begun([found()])
    await session.prompt("write one")
    session.puts("sub.py", "print('by a subagent')\n")
    await session.tool("Write", { file_path: join(folders.cwd, "sub.py") }, { agent_id: "a1" })
    await session.bash("make server", { tool_response: { backgroundTaskId: "b1" }, duration_ms: 1 })
    const background_tasks = [{ id: "b1", type: "shell", status: "running" }]
    assert.deepStrictEqual(await session.end({ background_tasks }), uploadedBy(["sub.py"]))
    await later()
    session.puts("late.py", "print('made in the background')\n")
    await session.prompt("<task-notification>b1 ended</task-notification>")
    assert.deepStrictEqual(await session.end({ background_tasks: [] }), uploadedBy(["late.py"]))
    assert.deepStrictEqual(
      session.uploads().map(({ task }) => task),
      ["write one", "write one"],
      "the machine's own turn goes on with what was asked"
    )
    await later()
    session.puts("mine.py", "print('by the user, when nothing runs any more')\n")
    await session.prompt("thanks")
    await session.bash("true", { duration_ms: 1 })
    assert.deepStrictEqual(await session.end(), uploadedBy([]))
  })

  it("is nothing that the user or another program wrote meanwhile", async () => {
    const session = await begun()
    session.puts("mine.py", "print('mine')\n")
    await session.prompt()
    await later()
    session.puts("mine.py", "print('edited by the user while the model thought')\n")
    session.puts("new.py", "print('new, by the user')\n")
    await later()
    await session.tool("Read", { file_path: join(folders.cwd, "mine.py") })
    await later()
    session.puts("made.py", "print('made')\n")
    // it may be told of late
    await later()
    await session.bash("python3 gen.py", { duration_ms: 1 })
    await later()
    session.puts("after.py", "print('by the user, after the command')\n")
    assert.deepStrictEqual(await session.end(), uploadedBy(["made.py"]))
  })

  it("is nothing when no tool ran that could have made it", async () => {
    const session = await begun()
    await session.prompt()
    session.puts("by_the_user.py", "print('user')\n")
    await session.tool("Read", { file_path: join(folders.cwd, "by_the_user.py") })
    await session.tool("Agent", { prompt: "look around" })
    await session.bash("cd . && git pull")
    assert.deepStrictEqual(await session.end(), uploadedBy([]))
  })

  it("is not what was only touched, moved, copied, written as it was, or removed again", async () => {
    const session = await begun()
    for (const name of ["touched", "moved", "copied", "again", "mode"]) session.puts(`${name}.py`, `print('${name}')\n`)
    await session.prompt()
    utimesSync(join(folders.cwd, "touched.py"), new Date(), new Date())
    renameSync(join(folders.cwd, "moved.py"), join(folders.cwd, "elsewhere.py"))
    copyFileSync(join(folders.cwd, "copied.py"), join(folders.cwd, "copy.py"))
    session.puts("again.py", "print('again')\n")
    chmodSync(join(folders.cwd, "mode.py"), 0o755)
    await session.writes("gone.py", "print('gone')\n")
    rmSync(join(folders.cwd, "gone.py"))
    await session.bash("much")
    assert.deepStrictEqual(await session.end(), uploadedBy([]))
  })

  it("is not sent again by a later success that did not change it", async () => {
    const session = await begun([found()])
    await session.prompt("one")
    await session.writes("a.py", "print('a')\n")
    session.puts("b.py", "print('b')\n")
    await session.bash("make")
    assert.deepStrictEqual(await session.end(), uploadedBy(["a.py", "b.py"]))
    await session.prompt("two")
    await session.bash("make")
    assert.deepStrictEqual(await session.end(), uploadedBy([]))
  })
})

describe("what stays", () => {
  it("is told with its reason", async () => {
    const session = await begun()
    session.puts(".gitignore", "out/\n*.tmp\n!keep.tmp\n")
    await session.prompt()
    const made = {
      "out/built.py": "print('built')\n",
      "a.tmp": "a",
      "keep.tmp": "kept",
      ".env": "A=1",
      "empty.py": " \n",
      "key.py": "api_key = 'abcdefgh12345678'\n",
      "long.txt": "x".repeat(300_000),
      "package-lock.json": "{}",
      "node_modules/x/i.js": "1",
      ".git/hooks/x.py": "1",
      ".claude/x.py": "1",
      "latin.txt": Uint8Array.of(0xe9)
    }
    for (const [path, content] of Object.entries(made)) session.puts(path, content)
    session.puts("raw.bin", "a\0b")
    symlinkSync("/etc/hostname", join(folders.cwd, "link.py"))
    execFileSync("mkfifo", [join(folders.cwd, "pipe")])
    await session.bash("make")
    assert.deepStrictEqual(
      await session.end(),
      uploadedBy(
        ["keep.tmp"],
        [
          ...[".env: secret", "a.tmp: ignored", "empty.py: empty", "key.py: secret", "latin.txt: binary"],
          ...["long.txt: too large or no regular file", "out/built.py: ignored", "package-lock.json: generated"],
          "raw.bin: binary"
        ]
      )
    )
  })

  it("is what lies outside of the folder or behind a link, and a pipe, which holds nobody up", async () => {
    const session = await begun()
    await session.prompt()
    const outside = newFolder()
    writeFileSync(join(outside, "elsewhere.py"), "print('elsewhere')\n")
    symlinkSync(outside, join(folders.cwd, "out"))
    symlinkSync("/etc/hostname", join(folders.cwd, "host.txt"))
    execFileSync("mkfifo", [join(folders.cwd, "pipe.py")])
    for (const path of ["out/elsewhere.py", "host.txt", "../up.py", ".git/config", "pipe.py"]) {
      await session.tool("Write", { file_path: join(folders.cwd, path) })
    }
    assert.deepStrictEqual(await session.end(), uploadedBy([], ["pipe.py: too large or no regular file"]))
    removeFolder(outside)
  })

  it("is a name that is no text", async () => {
    const session = await begun()
    await session.prompt()
    execFileSync("sh", ["-c", `echo x > "$(printf '\\377\\376').py"`], { cwd: folders.cwd })
    session.puts("größe.py", "print('a name in UTF-8')\n")
    await session.bash("make")
    assert.deepStrictEqual(await session.end(), uploadedBy(["größe.py"]))
  })

  it("is what goes beyond twenty files that tools wrote", async () => {
    const session = await begun()
    await session.prompt()
    for (let n = 0; n < 25; n++) await session.writes(`${n}.py`, `print('number ${n}')\n`)
    const { uploaded, left } = await session.end()
    assert.strictEqual(uploaded.length, 20)
    assert.deepStrictEqual(new Set(left.map((one) => one.split(": ")[1])), new Set(["too many"]))
  })

  it("is all that commands made when that is more than could be sent: it was unpacked, not written", async () => {
    const session = await begun()
    await session.prompt()
    for (let n = 0; n < 30; n++) session.puts(`unpacked/${n}.py`, `print('number ${n}')\n`)
    await session.bash("tar -xf theirs.tar")
    await session.writes("mine.py", "print('mine')\n")
    const { uploaded, left } = await session.end()
    assert.deepStrictEqual([uploaded, left.length], [["mine.py"], 30])
  })
})

it("a folder that is reached through a link is the folder itself", async () => {
  const way = join(folders.cacheDir, "way")
  symlinkSync(folders.cwd, way)
  const session = await begun([found()], {}, way)
  await session.prompt()
  await session.writes("a.py", "print('a')\n")
  session.puts("lib/b.py", "print('b')\n")
  await session.bash("make")
  assert.deepStrictEqual(await session.end(), uploadedBy(["a.py", "lib/b.py"]))
})

it("a folder that can't be read, or is gone, breaks nothing", async () => {
  mkdirSync(join(folders.cwd, "work"))
  const session = await begun([found()], {}, join(folders.cwd, "work"))
  await session.prompt()
  rmSync(join(folders.cwd, "work"), { recursive: true })
  await session.bash("rm -rf .")
  assert.deepStrictEqual(await session.end(), uploadedBy([]))
})
