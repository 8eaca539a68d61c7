import { execFile, execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
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
  assert.isFalse(existsSync(join(root, "ran")))
})

it("repositories inside of others, their worktrees, and rules of one's own are git's matter", async () => {
  const git = (cwd: string, ...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, stdio: "ignore" })
  for (const name of ["", "nested"]) {
    mkdirSync(join(root, name), { recursive: true })
    git(join(root, name), "init")
  }
  writeFileSync(join(root, "nested/.gitignore"), "/x.py\n")
  writeFileSync(join(root, ".git/info/exclude"), "mine.py\n")
  git(root, "commit", "--allow-empty", "-m", "one")
  git(root, "worktree", "add", "inner")
  const found = await ignoredOf(root, ["nested/x.py", "nested/y.py", "nested/z.tmp", "inner/a.tmp", "mine.py", "a.py"])
  assert.deepStrictEqual([...found].filter((path) => path !== "").sort(), [
    ...["inner/a.tmp", "mine.py", "nested/x.py", "nested/z.tmp"]
  ])
  writeFileSync(join(root, "inner/.gitignore"), "only.py\n")
  assert.isTrue((await ignoredOf(join(root, "inner"), ["only.py", "a.py"])).has("only.py"))
})

it("another repository that git's own variables name is not asked", async () => {
  mkdirSync(join(root, "other"))
  execFileSync("git", ["init"], { cwd: join(root, "other"), stdio: "ignore" })
  writeFileSync(join(root, "other/.git/info/exclude"), "*.py\n")
  process.env["GIT_DIR"] = join(root, "other/.git")
  try {
    assert.isFalse((await ignoredOf(root, ["a.py"])).has("a.py"))
  } finally {
    delete process.env["GIT_DIR"]
  }
})

/** Which of two files are ignored: as git says, and without it. */
const both = async () => {
  const ignored = async () => [...(await ignoredOf(root, ["a.py", "lib/b.py"]))].filter((path) => path !== "")
  const byGit = await ignored()
  const { PATH } = process.env
  process.env["PATH"] = join(root, "nowhere")
  try {
    return [byGit, await ignored()]
  } finally {
    process.env["PATH"] = PATH
  }
}
const all = ["a.py", "lib/b.py"]

it.skipIf(process.platform === "win32")(
  "where rules are a link, all files stay here, with git and without",
  async () => {
    execFileSync("git", ["init"], { cwd: root, stdio: "ignore" })
    rmSync(join(root, "lib/.gitignore"))
    writeFileSync(join(root, "rules"), "*.tmp\n")
    for (const to of ["../rules", "nowhere"]) {
      symlinkSync(to, join(root, "lib/.gitignore"))
      assert.deepStrictEqual(await both(), [all, all], to)
      rmSync(join(root, "lib/.gitignore"))
    }
    mkdirSync(join(root, "lib/.gitignore"))
    assert.deepStrictEqual(await both(), [[], []], "a folder has no rules")
  }
)

it.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
  "where somebody may not read the rules, all files stay here, with git and without, whatever language git speaks",
  async () => {
    execFileSync("git", ["init"], { cwd: root, stdio: "ignore" })
    chmodSync(join(root, "lib/.gitignore"), 0)
    process.env["LANGUAGE"] = "de"
    try {
      assert.deepStrictEqual(await both(), [all, all])
    } finally {
      delete process.env["LANGUAGE"]
    }
  }
)

const flags = "Deno" in globalThis ? ["run", "-A"] : ["--disable-warning=ExperimentalWarning"]

it.skipIf(process.platform === "win32")(
  "git that can't be started takes nobody with it; where rules can't be read, all files stay here",
  async () => {
    execFileSync("git", ["init"], { cwd: root, stdio: "ignore" })
    const holder = fileURLToPath(new URL("./ignored.holder.ts", import.meta.url))
    // more than a runtime takes to begin, with what it inherits on a busy machine
    const limited = ["-c", 'ulimit -n 1024; exec "$@"', "sh", process.execPath, ...flags, holder, root]
    const { stdout } = await promisify(execFile)("/bin/sh", limited)
    assert.deepStrictEqual(JSON.parse(stdout), { without: ["a.tmp", "b.py"], afterwards: ["a.tmp"], late: false })
  }
)
