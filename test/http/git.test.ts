import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { assert, describe, it, vi } from "vitest"
import { fsck, noGit } from "#test/infra/git/git.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { ownerKey } from "#test/service.ts"
import { service, startsAgent } from "./agent.ts"
import { clonesAndFetches, git, good, makesClones, noise, place, run, urlOf, wrote } from "./clone.ts"
import { refused } from "./problem.ts"

startsAgent()
makesClones()

describe("git over HTTP", () => {
  describe.skipIf(noGit)("with native git", () => {
    clonesAndFetches("smart", () => service)

    it("clones shallowly and deepens, with either version of the protocol", async () => {
      const made = []
      for (let n = 0; n < 4; n++) made.push(await wrote("shallow", { "n.txt": `${n}\n` }))
      for (const version of ["0", "1", "2"]) {
        const clone = place()
        const protocol = ["-c", `protocol.version=${version}`]
        await good(...protocol, "clone", "-q", "--depth=1", urlOf(made[0].workspace_id), clone)
        assert.strictEqual(await good("-C", clone, "rev-list", "--count", "HEAD"), "1")
        await good("-C", clone, ...protocol, "fetch", "-q", "--unshallow")
        assert.strictEqual(await good("-C", clone, "rev-list", "--count", "HEAD"), "4")
        assert.strictEqual(fsck(clone), "")
      }
    })

    it("takes a negotiation that git sends gzipped", async () => {
      const { workspace_id: id } = await wrote("gzipped", { "a.txt": "one\n" })
      const clone = place()
      await good("clone", "-q", urlOf(id), clone)
      // many commits that the service has never seen, which the client offers
      const me = ["-c", "user.name=n", "-c", "user.email=n@n"]
      // the newest are offered first
      const newer = { GIT_COMMITTER_DATE: "2090-01-01T00:00:00Z" }
      for (let n = 0; n < 80; n++) await run(newer, ["-C", clone, ...me, "commit", "-q", "--allow-empty", "-m", `${n}`])
      assert.strictEqual(await good("-C", clone, "rev-list", "--count", "HEAD"), "81")
      await wrote("gzipped", { "a.txt": "two\n" })
      const fetching = ["-C", clone, "-c", "protocol.version=0", "fetch", "origin"]
      const { code, err } = await run({ GIT_TRACE_CURL: "1", GIT_TRACE_CURL_NO_DATA: "1" }, fetching)
      assert.strictEqual(code, 0, err)
      assert.match(err, /Content-Encoding: gzip/i)
      assert.strictEqual(await good("-C", clone, "show", "origin/main:a.txt"), "two")
    })

    it("is of the workspace as it stands: after a restore, and after an erasure", async () => {
      const one = await wrote("stands", { "a.txt": "one\n" })
      await wrote("stands", { "a.txt": "two\n" })
      const id = one.workspace_id
      const { json } = await service.call("POST", `/api/workspaces/${id}/restore`, { commit: one.commit })
      const clone = place()
      await good("clone", "-q", urlOf(id), clone)
      assert.strictEqual(await good("-C", clone, "rev-parse", "HEAD"), json.commit)
      assert.strictEqual(readFileSync(join(clone, "a.txt"), "utf8"), "one\n")
      await service.call("DELETE", `/api/workspaces/${id}`)
      assert.notStrictEqual((await git("-C", clone, "fetch", "-q")).code, 0)
      const anew = await wrote("stands", { "b.txt": "new\n" })
      const second = place()
      await good("clone", "-q", urlOf(id), second)
      assert.strictEqual(await good("-C", second, "log", "--format=%H"), anew.commit)
    })

    it("clones beside many fetches that are half sent", async () => {
      const { workspace_id: id } = await wrote("held", { "a.txt": "one\n" })
      const { hostname, port } = new URL(service.url)
      const halves = Array.from({ length: 16 }, () => {
        const half = request({
          method: "POST",
          hostname,
          port,
          agent: false,
          path: `/git/${id}.git/git-upload-pack`,
          headers: {
            authorization: `Bearer ${ownerKey}`,
            "content-length": 100_000,
            "content-type": "application/x-git-upload-pack-request"
          }
        })
        half.on("error", () => {})
        half.write("0014command=ls-refs\n")
        return half
      })
      await good("clone", "-q", urlOf(id), place())
      for (const half of halves) half.destroy()
    })

    it("is for live keys of the tenant", async () => {
      const { workspace_id: id } = await wrote("guarded", { "a.txt": "one\n" })
      const stranger = await organization(service, "ENTERPRISE")
      const member = await memberKey(service.call, "reader@example.org", "reader", { acts_for: "any" })
      await good("ls-remote", urlOf(id, member.key))
      assert.strictEqual((await service.call("POST", "/api/keys/org/revoke", { key_id: member.id })).status, 200)
      const wrong = `cairn_live_${"x".repeat(43)}`
      for (const key of [member.key, wrong, "nothing", ""]) {
        const { code, err } = await git("clone", "-q", urlOf(id, key), place())
        assert.notStrictEqual(code, 0)
        assert.match(err, /Authentication failed|could not read/)
      }
      const path = `/git/${id}.git/info/refs?service=git-upload-pack`
      const basic = (key: string, user = "git") => ({
        authorization: `Basic ${Buffer.from(`${user}:${key}`).toString("base64")}`
      })
      for (const [headers, code] of [
        [{ authorization: "" }, "auth/missing_api_key"],
        [basic(""), "auth/missing_api_key"],
        [{ authorization: "Basic !!!" }, "auth/missing_api_key"],
        [basic(wrong), "auth/invalid_api_key"],
        [basic(member.key), "auth/invalid_api_key"]
      ] as const) {
        const answer = await service.call("GET", path, undefined, headers)
        refused(answer, 401, code)
        assert.match(answer.headers.get("www-authenticate") ?? "", /^Basic realm="/)
      }
      assert.strictEqual((await service.call("GET", path, undefined, basic(ownerKey, "a:b".slice(0, 1)))).status, 200)
      refused(await stranger.call("GET", path), 404, "not_found/workspace")
      const { code, err } = await git("clone", "-q", urlOf(id, stranger.key), place())
      assert.notStrictEqual(code, 0)
      assert.match(err, /not found/)
    })

    it("answers what is no git request with its error body", async () => {
      const { workspace_id: id } = await wrote("odd", { "a.txt": "one\n" })
      for (const path of [
        "config",
        "../../postgres/PG_VERSION",
        "objects/../config",
        "objects/pack/../../config",
        "objects/%2e%2e/config",
        "cairn-bytes",
        "refs/heads/main",
        "objects/info/alternates"
      ])
        assert.include(
          ["not_found/file", "not_found/workspace", "not_found/route"],
          (await service.call("GET", `/git/${id}.git/${path}`)).json?.code,
          path
        )
      refused(await service.call("GET", "/git/nothing.git/info/refs"), 404, "not_found/workspace")
      refused(await service.call("GET", `/git/${id}/info/refs`), 404, "not_found/workspace")
      refused(await service.call("POST", `/git/${id}.git/info/refs`, "0000"), 404, "not_found/file")
      refused(
        await service.call("POST", `/git/${id}.git/git-upload-pack`, "0000", { "content-encoding": "br" }),
        400,
        "validation/invalid_body"
      )
      // no bytes of git's: it says so in its own way, or ends
      const nonsense = await service
        .call("POST", `/git/${id}.git/git-upload-pack`, "no packets at all")
        .catch(() => undefined)
      assert.isBelow(nonsense?.status ?? 0, 500)
      const broken = await service
        .call("POST", `/git/${id}.git/git-upload-pack`, "not gzip", { "content-encoding": "gzip" })
        .catch(() => undefined)
      assert.isBelow(broken?.status ?? 0, 500)
      assert.strictEqual((await service.call("GET", "/health")).status, 200)
    })

    it("packs what has gathered, in the background, and reads on", async () => {
      const files = Object.fromEntries(Array.from({ length: 350 }, (_, n) => [`d${n % 7}/${n}.txt`, `file ${n}\n`]))
      const { workspace_id: id, commit } = await wrote("gathered", files)
      const packs = join(service.dataDir, "workspaces", `${id}.git`, "objects", "pack")
      await vi.waitFor(() => assert.isTrue(readdirSync(packs).some((name) => name.endsWith(".idx"))), {
        timeout: 60_000
      })
      const { json } = await service.call("GET", `/api/workspaces/${id}/tree?at=${commit}`)
      assert.strictEqual(json.files.length, 350)
      assert.strictEqual((await service.call("GET", `/api/workspaces/${id}/files/d2/9.txt`)).text, "file 9\n")
      await wrote("gathered", { "d2/9.txt": "changed\n" })
      const clone = place()
      await good("clone", "-q", urlOf(id), clone)
      assert.strictEqual(readFileSync(join(clone, "d2/9.txt"), "utf8"), "changed\n")
      assert.strictEqual(fsck(clone), "")
    })

    it("ends native git when the client goes away", async () => {
      // a few files a chat: what a model says at once is bounded
      let { workspace_id: id, commit } = await wrote("large", { "n.txt": noise(400_000, 0) })
      for (let n = 1; n < 20; n += 4) {
        const files = Object.fromEntries([0, 1, 2, 3].map((m) => [`n${n + m}.txt`, noise(400_000, n + m)]))
        ;({ workspace_id: id, commit } = await wrote("large", files))
      }
      const want = `want ${commit} ofs-delta no-progress\n`
      const packet = `${(want.length + 4).toString(16).padStart(4, "0")}${want}00000009done\n`
      const { hostname, port } = new URL(service.url)
      const sending = request({
        method: "POST",
        hostname,
        port,
        path: `/git/${id}.git/git-upload-pack`,
        agent: false,
        headers: { authorization: `Bearer ${ownerKey}` }
      })
      sending.on("error", () => {})
      sending.end(packet)
      await new Promise<void>((resolve) => {
        sending.once("response", (response) => {
          response.on("error", () => {})
          // the rest is not taken: the pack waits in the pipes
          response.once("data", () => {
            response.pause()
            resolve()
          })
        })
      })
      const running = async () => {
        const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
          const ps = spawn("ps", ["-eo", "args"], { stdio: ["ignore", "pipe", "ignore"] })
          let stdout = ""
          ps.stdout.on("data", (chunk) => {
            stdout += chunk
          })
          ps.once("close", () => resolve({ stdout }))
          ps.once("error", () => resolve({ stdout: "" }))
        })
        return stdout.split("\n").filter((line) => line.includes("upload-pack") && line.includes(id)).length
      }
      assert.isAbove(await running(), 0)
      sending.destroy()
      await vi.waitFor(async () => assert.strictEqual(await running(), 0), { timeout: 60_000 })
    })
  })
})
