import fs from "node:fs"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findGit } from "#infra/git/native/git.ts"
import * as PushIntakeLayer from "#infra/git/push/layer.ts"
import { PushIntake } from "#ports/PushIntake.ts"
import { git, noGit, temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

const mebibyte = 1024 * 1024
const me = ["-c", "user.name=a", "-c", "user.email=a@b"]

const pushed = (pack: Uint8Array, from: string, to: string) => ({
  from,
  to,
  pack: (async function* () {
    yield pack
  })()
})

describe.skipIf(noGit)("a push", () => {
  it.effect("is refused for a size that none may have: its files together, a link, a commit, a history", () =>
    Effect.gen(function* () {
      const [clone, bare] = [`${directory}/sizes`, `${directory}/sizes.git`]
      git(directory, ["init", "-q", "-b", "main", "sizes"])
      fs.writeFileSync(`${clone}/a.txt`, "x".repeat(600))
      git(clone, ["add", "-A"])
      git(clone, [...me, "commit", "-q", "-m", "c"])
      const from = git(clone, ["rev-parse", "HEAD"]).trim()
      git(directory, ["clone", "-q", "--bare", "sizes", "sizes.git"])
      const treeOf = (line: string) => git(clone, ["mktree"], `${line}\n`).trim()
      const blobOf = (content: string) => git(clone, ["hash-object", "-w", "--stdin"], content).trim()
      const treeOfNow = git(clone, ["rev-parse", "HEAD^{tree}"]).trim()
      const commitOf = (tree: string, message = "m") =>
        git(clone, [...me, "commit-tree", tree, "-p", from, "-F", "-"], message).trim()
      const take = (yield* PushIntake).take!
      const reasonOf = (to: string) => {
        const news = git(clone, ["rev-list", "--objects", to, `^${from}`])
          .trim()
          .split("\n")
          .map((line) => line.slice(0, 40))
        const packed = git(clone, ["pack-objects", "-q", `${directory}/sized`], [...news, ""].join("\n")).trim()
        return take("tenant", "sizes", pushed(fs.readFileSync(`${directory}/sized-${packed}.pack`), from, to)).pipe(
          Effect.scoped,
          Effect.flip,
          Effect.map((refused) => ("reason" in refused ? refused.reason : refused))
        )
      }
      const before = git(bare, ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"])
      const large = commitOf(treeOf(`100644 blob ${blobOf("y".repeat(3 * mebibyte))}\tlarge.txt`))
      assert.strictEqual(yield* reasonOf(large), "no workspace has more than 2 MiB of files")
      const link = commitOf(treeOf(`120000 blob ${blobOf("z".repeat(mebibyte + 1))}\tlink`))
      assert.match(String(yield* reasonOf(link)), /"link": it is longer than it may be|symlinkTargetLength/)
      const told = commitOf(treeOfNow, "w".repeat(300_000))
      assert.strictEqual(yield* reasonOf(told), "a commit's message is longer than 256 KiB")
      const head = "commit refs/heads/long\ncommitter a <a@b> 0 +0000\ndata 1\nm\n"
      const commits = Array.from({ length: 10_001 }, (_, n) => `${head}${n === 0 ? `from ${from}\n` : ""}\n`)
      git(clone, ["fast-import", "--quiet"], commits.join(""))
      const long = git(clone, ["rev-parse", "long"]).trim()
      assert.strictEqual(yield* reasonOf(long), "more than 10000 commits can't be pushed at once")
      const after = git(bare, ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"])
      assert.strictEqual(after, before)
    }).pipe(
      Effect.provide(PushIntakeLayer.layer({ directory, git: findGit(), limits: { bytes: 2 * mebibyte, files: 3 } }))
    )
  )
})
