import fs from "node:fs"
import { afterAll, assert, layer as withLayer } from "@effect/vitest"
import { Effect } from "effect"
import { type CommitInfo, type Sha, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { layer } from "#test/gitWorkspaceStore.ts"
import { fsck, git, noGit, temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))
const gitdir = (id: string) => `${directory}/${id}.git`

const info = (tree: Sha, parents: ReadonlyArray<Sha> = []): CommitInfo => ({
  tree,
  parents,
  author: { name: "Ada", email: "a@cairn" },
  time: 1_700_000_000_000,
  message: "m"
})

const content = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join("")

/** Before and after of files that a diff has to get right; `null`: there is none. */
const changed: Record<string, readonly [string | null, string | null]> = {
  "added.txt": [null, "a\nb\n"],
  "gone.txt": ["a\nb\n", null],
  "made empty": ["a\n", ""],
  "was empty": ["", "a\n"],
  "new empty": [null, ""],
  "no newline": ["a\nb", "a\nc"],
  "newline added": ["a\nb", "a\nb\n"],
  "far apart": [numbers(0, 100), `first\n${numbers(0, 50)}middle\n${numbers(51, 100)}last\n`],
  "near.c": [
    `int main() {\n${numbers(0, 30)}`,
    `int main() {\n${numbers(0, 10)}x\n${numbers(12, 17)}y\n${numbers(17, 30)}`
  ],
  "all other": [numbers(0, 50), numbers(50, 120)],
  'quo"te\té.txt': ["a\n", "b\n"],
  "latin1.txt": ["caf\xe9\n", "caf\xe9s\n"],
  "crlf.txt": ["a\r\nb\r\n", "a\r\nc\r\n"],
  "dir/deep/f": ["x\n", "y\n"],
  "binary.bin": ["\0\x01", "\0\x02"]
}

withLayer(layer({ directory }))("beside native git", (it) => {
  const sides = Effect.fnUntraced(function* (id: string) {
    const workspaces = yield* WorkspaceStore
    const [before, after] = [yield* workspaces.open(id, undefined), yield* workspaces.open(id, undefined)]
    for (const [path, [old, now]] of Object.entries(changed)) {
      if (old !== null) yield* before.writeFile(path, content(old))
      if (now !== null) yield* after.writeFile(path, content(now))
    }
    yield* before.writeFile("mode only", content("x"))
    yield* after.writeFile("mode only", content("x"), { executable: true })
    yield* before.writeFile("mode and text", content("x\n"))
    yield* after.writeFile("mode and text", content("y\n"), { executable: true })
    yield* before.writeFile("becomes link", content("x\n"))
    yield* after.symlink("added.txt", "becomes link")
    yield* before.symlink("a", "link")
    yield* after.symlink("b", "link")
    return [yield* workspaces.save(id, before), yield* workspaces.save(id, after)] as const
  })

  it.effect.skipIf(noGit)("prints what `git diff` prints, and `git apply` takes it", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const [before, after] = yield* sides("diff")
      const theirs = git(gitdir("diff"), ["diff", "--no-renames", "--no-color", before, after])
      const ours = yield* workspaces.diff("diff", before, after)
      assert.strictEqual(ours, theirs)

      // a binary file's diff can't be applied, and text that is no UTF-8 isn't the same in a string
      const plain = yield* workspaces.open("diff", after)
      const target = yield* workspaces.open("diff", before)
      for (const path of ["binary.bin", "latin1.txt"]) yield* Effect.andThen(plain.remove(path), target.remove(path))
      const [from, to] = [yield* workspaces.save("diff", target), yield* workspaces.save("diff", plain)]
      const work = temporaryDirectory()
      git(work, ["init", "-q"])
      fs.writeFileSync(`${work}/.git/objects/info/alternates`, `${gitdir("diff")}/objects\n`)
      git(work, ["read-tree", from])
      git(work, ["apply", "--cached", "--whitespace=nowarn"], yield* workspaces.diff("diff", from, to))
      assert.strictEqual(git(work, ["write-tree"]).trim(), to)
      fs.rmSync(work, { recursive: true })
    })
  )

  it.effect.skipIf(noGit)("gives diffs that apply, of whatever texts", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      // a small generator, the same in every run
      let state = 7
      const random = (below: number) => (state = (state * 48271) % 2147483647) % below
      const before = yield* workspaces.open("random", undefined)
      const after = yield* workspaces.open("random", undefined)
      for (let file = 0; file < 60; file++) {
        const lines = Array.from({ length: random(60) }, () => `${random(8)}`)
        yield* before.writeFile(`f${file}`, content(lines.join("\n")))
        for (let edits = random(12); edits > 0; edits--) {
          lines.splice(random(lines.length + 1), random(4), ...Array.from({ length: random(4) }, () => `${random(8)}`))
        }
        yield* after.writeFile(`f${file}`, content(lines.join("\n") + (random(2) ? "\n" : "")))
      }
      const large = (skip: number) => Array.from({ length: 6000 }, (_, index) => `${(index * skip) % 6007}\n`).join("")
      yield* before.writeFile("large", content(large(1)))
      yield* after.writeFile("large", content(large(5)))
      const [from, to] = [yield* workspaces.save("random", before), yield* workspaces.save("random", after)]
      const patch = yield* workspaces.diff("random", from, to)
      const work = temporaryDirectory()
      git(work, ["init", "-q"])
      fs.writeFileSync(`${work}/.git/objects/info/alternates`, `${gitdir("random")}/objects\n`)
      git(work, ["read-tree", from])
      git(work, ["apply", "--cached", "--whitespace=nowarn"], patch)
      assert.strictEqual(git(work, ["write-tree"]).trim(), to)
      fs.rmSync(work, { recursive: true })
    })
  )

  it.effect.skipIf(noGit)("is clean to `git fsck --strict`, clones and checks out", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const [before, after] = yield* sides("clean")
      const first = yield* workspaces.commit("clean", info(before))
      const second = yield* workspaces.commit("clean", info(after, [first]))
      yield* workspaces.moveRef("clean", second)
      assert.strictEqual(fsck(gitdir("clean")), "")
      const work = temporaryDirectory()
      git(work, ["clone", "-q", gitdir("clean"), "copy"])
      assert.strictEqual(git(`${work}/copy`, ["status", "--porcelain"]), "")
      assert.strictEqual(fs.readlinkSync(`${work}/copy/becomes link`), "added.txt")
      assert.strictEqual(git(`${work}/copy`, ["log", "--format=%H"]), `${second}\n${first}\n`)
      fs.rmSync(work, { recursive: true })
    })
  )

  it.effect.skipIf(noGit)("commits an empty workspace", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const overlay = yield* workspaces.open("empty", undefined)
      yield* overlay.mkdir("a/b", { recursive: true })
      const commit = yield* workspaces.commit("empty", info(yield* workspaces.save("empty", overlay)))
      yield* workspaces.moveRef("empty", commit)
      assert.strictEqual(fsck(gitdir("empty")), "")
      assert.deepStrictEqual(
        yield* workspaces.files("empty", (yield* workspaces.readCommit("empty", commit))!.tree),
        []
      )
    })
  )

  it.effect.skipIf(noGit)("reads on after native git has packed everything, deltas too", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      let tree: Sha | undefined
      let commit: Sha | undefined
      for (let round = 0; round < 8; round++) {
        const overlay = yield* workspaces.open("packed", tree)
        yield* overlay.writeFile("big.txt", content(numbers(0, 2000) + numbers(round, 10 * round)))
        yield* overlay.writeFile(`d/${round}`, content(`${round}`))
        tree = yield* workspaces.save("packed", overlay)
        commit = yield* workspaces.commit("packed", info(tree, commit === undefined ? [] : [commit]))
        yield* workspaces.moveRef("packed", commit)
      }
      git(gitdir("packed"), ["repack", "-adq"])
      git(gitdir("packed"), ["pack-refs", "--all"])
      assert.strictEqual(git(gitdir("packed"), ["count-objects"]).split(" ")[0], "0")
      const later = yield* Effect.gen(function* () {
        const cold = yield* WorkspaceStore
        assert.strictEqual(yield* cold.ref("packed"), commit)
        assert.strictEqual((yield* cold.files("packed", tree!)).length, 9)
        assert.isUndefined(yield* cold.readCommit("packed", "1".repeat(40)))
        const overlay = yield* cold.open("packed", tree)
        assert.strictEqual(
          Buffer.from(yield* overlay.readFile("big.txt")).toString(),
          numbers(0, 2000) + numbers(7, 70)
        )
        yield* overlay.writeFile("d/3", content("three"))
        const next = yield* cold.commit("packed", info(yield* cold.save("packed", overlay), [commit!]))
        yield* cold.moveRef("packed", next)
        return next
      }).pipe(Effect.provide(layer({ directory }), { local: true }))
      assert.strictEqual(yield* workspaces.ref("packed"), later)
      assert.strictEqual(fsck(gitdir("packed")), "")
      assert.strictEqual(git(gitdir("packed"), ["show", "main:d/3"]), "three")
    })
  )

  it.effect.skipIf(noGit)("hides and reports what came from outside under hostile names", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      yield* workspaces.open("foreign", undefined)
      const at = gitdir("foreign")
      const blob = git(at, ["hash-object", "-w", "--stdin"], "evil").trim()
      const names = [".GIT", "git~1", "a\\b", "fine", "caf\xe9"]
      const raw = names.sort().map((name) => Buffer.from(`100644 blob ${blob}\t${name}\0`, "latin1"))
      const evil = git(at, ["mktree", "-z"], Buffer.concat(raw)).trim()
      const lines = [
        `040000 tree ${evil}\tsub`,
        `120000 blob ${blob}\t.gitmodules`,
        `160000 commit ${"1".repeat(40)}\tmodule`
      ]
      const root = git(at, ["mktree", "--missing"], `${lines.join("\n")}\n`).trim()
      const overlay = yield* workspaces.open("foreign", root)
      assert.deepStrictEqual(overlay.paths(), ["sub/fine"])
      const skipped = overlay.skipped().map(({ path }) => path)
      assert.deepStrictEqual([...skipped].sort(), [
        ".gitmodules",
        "module",
        "sub/.GIT",
        "sub/a\\b",
        "sub/caf\ufffd",
        "sub/git~1"
      ])
      assert.deepStrictEqual(yield* overlay.changes(), [])
      yield* overlay.writeFile("sub/more", content("x"))
      const tree = yield* workspaces.save("foreign", overlay)
      assert.deepStrictEqual((yield* workspaces.open("foreign", tree)).skipped(), [])
      assert.strictEqual(git(at, ["ls-tree", "-r", "--name-only", tree]), "sub/fine\nsub/more\n")
    })
  )

  it.effect.skipIf(noGit)("is clean with every special file that is allowed", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const overlay = yield* workspaces.open("special", undefined)
      yield* overlay.writeFile(".gitmodules", content('[submodule "x"]\n\tpath = x\n\turl = ../x.git\n'))
      yield* overlay.writeFile("d/.gitattributes", content(`* ${"x".repeat(2000)}\n`))
      yield* overlay.writeFile(".gitignore/x", content("*\n"))
      yield* overlay.writeFile("ends. ", content(""))
      yield* overlay.writeFile("new\nline", content(""))
      yield* overlay.symlink("/etc/passwd", "abs")
      yield* overlay.symlink("../../..", "up")
      yield* overlay.symlink(".git/config", "config")
      const hostile = { name: "<>", email: "<\n>" }
      const tree = yield* workspaces.save("special", overlay)
      const commit = yield* workspaces.commit("special", {
        ...info(tree),
        author: hostile,
        time: -5,
        message: "a\0b\ud800"
      })
      yield* workspaces.moveRef("special", commit)
      assert.strictEqual(fsck(gitdir("special")), "")
    })
  )
})
