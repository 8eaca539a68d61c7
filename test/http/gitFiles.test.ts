import { existsSync, readdirSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { fsck, noGit } from "#test/infra/git/git.ts"
import { says } from "#test/MessagesApi.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { ended, environment, scripts, startsAgent, write } from "./agent.ts"
import { clonesAndFetches, folder, git, good, makesClones, noise, place, urlOf, wrote } from "./clone.ts"
import { refused } from "./problem.ts"

startsAgent()
makesClones()

/** The files below a folder that this process, with the services in it, has open. */
const openIn = (folder: string) =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(`${folder}/`) ? [path] : []
    } catch {
      // the one with which the folder was read
      return []
    }
  })

describe("git over HTTP", () => {
  describe.skipIf(noGit)("without native git", () => {
    let plain: Service
    beforeAll(async () => {
      const path = process.env["PATH"]
      process.env["PATH"] = folder
      plain = await startService(environment()).finally(() => {
        process.env["PATH"] = path
      })
    })
    afterAll(() => plain.close())

    clonesAndFetches("file by file", () => plain)

    it.skipIf(process.platform !== "linux")("tells of a file without opening it", async () => {
      const { workspace_id: id, commit } = await wrote(
        "told",
        { "small.txt": "one\n", "large.txt": noise(200_000, 1) },
        plain
      )
      const gitdir = join(plain.dataDir, "workspaces", `${id}.git`)
      const blob = await good("--git-dir", gitdir, "-c", "safe.directory=*", "rev-parse", `${commit}:large.txt`)
      for (const sha of [commit, blob]) {
        const path = `/git/${id}.git/objects/${sha.slice(0, 2)}/${sha.slice(2)}`
        const { status, headers } = await plain.call("GET", path)
        const told = await plain.call("HEAD", path)
        assert.deepStrictEqual([told.status, told.text], [status, ""])
        assert.strictEqual(told.headers.get("content-length"), headers.get("content-length"))
      }
      assert.deepStrictEqual(openIn(gitdir), [])
    })

    it("refuses a push, and says so", async () => {
      const { workspace_id: id, commit } = await wrote("pushes", { "a.txt": "one\n" }, plain)
      const clone = place()
      await good("clone", "-q", urlOf(id, ownerKey, plain), clone)
      const me = ["-c", "user.name=n", "-c", "user.email=n@n"]
      await good("-C", clone, ...me, "commit", "-q", "--allow-empty", "-m", "mine")
      const { code, err } = await git("-C", clone, "push", "-q", "origin", "main")
      assert.notStrictEqual(code, 0)
      assert.include(err, "403")
      refused(await plain.call("POST", `/git/${id}.git/git-receive-pack`, "0000"), 403, "permission/read_only")
      assert.strictEqual(await good("ls-remote", urlOf(id, ownerKey, plain), "main"), `${commit}\trefs/heads/main`)
    })

    it("clones what was packed, and speaks no smart protocol", async () => {
      const { workspace_id: id } = await wrote("packed", { "a.txt": "one\n", "b.txt": "two\n" }, plain)
      const gitdir = join(plain.dataDir, "workspaces", `${id}.git`)
      await good("--git-dir", gitdir, "-c", "safe.directory=*", "repack", "-adq")
      await wrote("packed", { "c.txt": "three\n" }, plain)
      const clone = place()
      await good("clone", "-q", urlOf(id, ownerKey, plain), clone)
      assert.deepStrictEqual((await good("-C", clone, "ls-files")).split("\n"), ["a.txt", "b.txt", "c.txt"])
      assert.strictEqual(fsck(clone), "")
      assert.isTrue(existsSync(join(gitdir, "objects", "pack")))
      refused(await plain.call("POST", `/git/${id}.git/git-upload-pack`, "0000"), 404, "not_found/file")
      refused(await plain.call("GET", `/git/${id}.git/info/refs?service=git-receive-pack`), 403, "permission/read_only")
      const { code } = await git("clone", "-q", urlOf(id, `cairn_live_${"x".repeat(43)}`, plain), place())
      assert.notStrictEqual(code, 0)
    })
  })

  it("counts what a fetch begins with against the key's minute, and not each object", async () => {
    const limited = await startService({ ...environment(), CAIRN_RATE_LIMITS: "other=2" })
    try {
      scripts.set("limited", (turn) => (turn === 1 ? write("a.txt") : says("ok")))
      const { workspace_id: id, commit } = await ended(limited.call, "limited", "limited")
      const get = (path: string) => limited.call("GET", `/git/${id}.git/${path}`)
      for (let n = 0; n < 5; n++)
        assert.strictEqual((await get(`objects/${commit.slice(0, 2)}/${commit.slice(2)}`)).status, 200)
      assert.deepStrictEqual([(await get("info/refs")).status, (await get("info/refs")).status], [200, 200])
      const answer = await get("info/refs")
      refused(answer, 429, "rate_limit/exceeded")
      assert.isAtLeast(Number(answer.headers.get("retry-after")), 1)
      for (const file of ["git-upload-pack", "git-receive-pack"])
        refused(await limited.call("POST", `/git/${id}.git/${file}`, "0000"), 429, "rate_limit/exceeded")
    } finally {
      await limited.close()
    }
  })
})
