import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, beforeEach, it } from "vitest"
import { ignoredOf } from "../../src/agent/ignored.ts"
import { newFolder, removeFolder } from "./standIn.ts"

let root: string
beforeEach(() => {
  root = newFolder()
  mkdirSync(join(root, "lib"))
  writeFileSync(join(root, ".gitignore"), "# remark\n*.tmp\n/top.py\nbuild/\n!keep.tmp\ndocs/**/old\nq?.py\na\\*b.py\n")
  writeFileSync(join(root, "lib/.gitignore"), "/here.py\n")
})
afterEach(() => removeFolder(root))

const paths = [
  ...["a.tmp", "lib/b.tmp", "keep.tmp", "top.py", "lib/top.py", "build/x.py", "lib/build/y/z.py", "builder.py"],
  ...["docs/old", "docs/a/b/old", "docs/olds", "q1.py", "q12.py", "lib/here.py", "here.py", "a*b.py", "axb.py"]
]
const expected = [
  ...["a.tmp", "lib/b.tmp", "top.py", "build/x.py", "lib/build/y/z.py", "docs/old", "docs/a/b/old", "q1.py"],
  ...["lib/here.py", "a*b.py"]
]

it("git's rules hold without git as with it", async () => {
  assert.deepStrictEqual(
    [...(await ignoredOf(root, paths))].filter((path) => path !== ""),
    expected,
    "without a repository"
  )
  mkdirSync(join(root, ".git/objects"), { recursive: true })
  mkdirSync(join(root, ".git/refs"))
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n")
  assert.deepStrictEqual(
    [...(await ignoredOf(root, paths))].filter((path) => path !== ""),
    expected,
    "in a repository"
  )
})

it("a repository names no program to run", async () => {
  mkdirSync(join(root, ".git/objects"), { recursive: true })
  mkdirSync(join(root, ".git/refs"))
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n")
  writeFileSync(join(root, ".git/config"), `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ${root}/ran"\n`)
  await ignoredOf(root, paths)
  const { existsSync } = await import("node:fs")
  assert.isFalse(existsSync(join(root, "ran")))
})
