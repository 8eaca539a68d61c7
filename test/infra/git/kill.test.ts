import { spawn } from "node:child_process"
import fs from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { layer } from "#test/gitWorkspaceStore.ts"
import { isLong } from "#test/long.ts"
import { fsck, git, noGit, temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))
const committer = fileURLToPath(new URL("./committer.ts", import.meta.url))
const rounds = isLong ? 10 : 4
const runtime = "Deno" in globalThis ? ["run", "-A"] : []

/** Kills a committer while native git packs for it, git with it or not; answers the last commit that it told. */
const killedPacking = (workspace: string, delayMs: number, group: boolean): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...runtime, committer, directory, workspace, "pack"], {
      stdio: ["ignore", "pipe", "inherit"],
      detached: true
    })
    let [text, stopping] = ["", false]
    child.stdout.on("data", (chunk) => {
      text += chunk
      if (stopping || !text.includes("packing")) return
      stopping = true
      setTimeout(() => process.kill(group ? -child.pid! : child.pid!, "SIGKILL"), delayMs)
    })
    child.on("error", reject)
    child.on("exit", async () => {
      // a git that outlived it still moves objects into a pack: nobody can check them one by one meanwhile
      await vi.waitFor(() => assert.throws(() => process.kill(-child.pid!, 0)), { timeout: 60_000 })
      resolve(text.split("\n").findLast((line) => /^[0-9a-f]{40}$/.test(line)) ?? "")
    })
  })

/** Kills a committer in the middle of its work, once it has told so many commits; answers the last one. */
const killed = (workspace: string, after: number, delayMs: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...runtime, committer, directory, workspace], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let [text, stopping] = ["", false]
    child.stdout.on("data", (chunk) => {
      text += chunk
      if (stopping || text.split("\n").length <= after) return
      stopping = true
      setTimeout(() => child.kill("SIGKILL"), delayMs)
    })
    child.on("error", reject)
    child.on("exit", () => resolve(text.split("\n").at(-2) ?? ""))
  })

describe("a committer that is killed", () => {
  it.live.skipIf(noGit)("leaves a sound repository in each round", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      for (let round = 0; round < rounds; round++) {
        // the same repository is gone on with every other time
        const id = `killed-${Math.floor(round / 2)}`
        const told = yield* Effect.promise(() => killed(id, 3 + (round % 3), (round * 7) % 11))
        const gitdir = `${directory}/${id}.git`
        assert.strictEqual(fsck(gitdir), "", `round ${round}`)
        const head = (yield* workspaces.ref(id))!
        assert.isTrue(git(gitdir, ["rev-list", head]).includes(told), "a commit that was told is there")
        const { tree } = (yield* workspaces.readCommit(id, head))!
        const files = yield* workspaces.files(id, tree)
        assert.isAtLeast(files.length, 20)
        for (const { path } of files) assert.isDefined(yield* workspaces.readFile(id, tree, path))
        git(gitdir, ["rev-list", "--objects", "--quiet", head])
      }
    }).pipe(Effect.provide(layer({ directory })))
  )

  it.live.skipIf(noGit)("leaves one also when it is killed while its repository is packed", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      for (let round = 0; round < rounds; round++) {
        const id = `packing-${Math.floor(round / 4)}`
        const told = yield* Effect.promise(() => killedPacking(id, round * 12, round % 2 === 0))
        const gitdir = `${directory}/${id}.git`
        assert.strictEqual(fsck(gitdir), "", `round ${round}`)
        const head = (yield* workspaces.ref(id))!
        assert.isTrue(git(gitdir, ["rev-list", head]).includes(told), "a commit that was told is there")
        const { tree } = (yield* workspaces.readCommit(id, head))!
        for (const { path } of yield* workspaces.files(id, tree))
          assert.isDefined(yield* workspaces.readFile(id, tree, path))
        git(gitdir, ["rev-list", "--objects", "--quiet", head])
      }
    }).pipe(Effect.provide(layer({ directory })))
  )
})
