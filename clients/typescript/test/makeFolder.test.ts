import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, beforeEach, it } from "vitest"
import { failure, stub } from "../../../test/clients/typescript/stub.ts"
import { CacheFolder } from "../src/agent/cacheFolder.ts"
import { makeFolder } from "../src/codeFiles/makeFolder.ts"
import { found, match } from "./agent/hooked.ts"
import { newFolder, removeFolder } from "./agent/standIn.ts"

let root: string
beforeEach(() => {
  root = newFolder()
})
afterEach(() => removeFolder(root))

const codeOf = async (path: string) => ((await failure(makeFolder(path))) as { readonly code?: string }).code

it("a folder is made with those above it, once and by several at once", async () => {
  const path = join(root, "a/b/c")
  await Promise.all([makeFolder(path), makeFolder(join(path, "d")), makeFolder(`${path}/`)])
  await makeFolder(path)
  assert.isTrue(existsSync(join(path, "d")))
  mkdirSync(join(root, "real"))
  symlinkSync("real", join(root, "way"))
  await makeFolder(join(root, "way/e"))
  assert.isTrue(existsSync(join(root, "real/e")))
})

it("where none can be made, that is said: below a file, behind a link to nowhere, in /proc", async () => {
  writeFileSync(join(root, "file"), "")
  symlinkSync("nowhere", join(root, "link"))
  assert.strictEqual(await codeOf(join(root, "file")), "EEXIST")
  assert.strictEqual(await codeOf(join(root, "file/a")), "ENOTDIR")
  assert.strictEqual(await codeOf(join(root, "link/a")), "EEXIST")
  if (process.platform !== "linux") return
  assert.strictEqual(await codeOf("/proc/x/y"), "ENOENT")
})

it.skipIf(process.platform !== "linux")(
  "so whoever wants snippets there is told, and not held up for ever",
  async () => {
    const { cairn } = stub([found(match("one", "a.py"))])
    const given = { task: "x", cacheDir: "/proc/x/y" }
    assert.include(String(await failure(cairn.getCodeFiles(given))), "ENOENT")
    assert.include(String(await failure(new CacheFolder("/proc/x/y").make(root))), "ENOENT")
  }
)
