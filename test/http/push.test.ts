import { spawnSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { verify } from "#src/audit/verify.ts"
import { audit } from "#src/layers.ts"
import { projections } from "#src/readModels.ts"
import { blobOf } from "#test/blobOf.ts"
import { fsck, noGit } from "#test/infra/git/git.ts"
import { organization } from "#test/service/tenants.ts"
import { ownerKey } from "#test/service.ts"
import { commitsOf, service, startsAgent } from "./agent.ts"
import { git, good, makesClones, noise, place, run, urlOf, wrote } from "./clone.ts"
import { refused } from "./problem.ts"

startsAgent()
makesClones()

const me = ["-c", "user.name=Pia Push", "-c", "user.email=pia@example.org"]

/** A workspace with one commit, and a clone of it. */
const cloned = async (user: string) => {
  const { workspace_id: id, commit } = await wrote(user, { "a.txt": "one\n" })
  const clone = place()
  await good("clone", "-q", urlOf(id), clone)
  return { id: id as string, base: commit as string, clone }
}

/** Commits a file, and gives the commit. */
const commit = async (clone: string, path: string, content: string, message = `change ${path}`) => {
  writeFileSync(join(clone, path), content)
  await good("-C", clone, "add", "-A")
  await good("-C", clone, ...me, "commit", "-q", "-m", message)
  return good("-C", clone, "rev-parse", "HEAD")
}
const push = (clone: string, ...more: ReadonlyArray<string>) => git("-C", clone, "push", ...more)

/** Writes a git object as it is given, however wrong it is. */
const object = async (clone: string, type: string, content: string | Uint8Array) => {
  const file = join(clone, ".git", "an-object")
  writeFileSync(file, content)
  return good("-C", clone, "hash-object", "--literally", "-t", type, "-w", file)
}
const entry = (mode: string, name: string | Uint8Array, sha: string) =>
  Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name as string), Buffer.of(0), Buffer.from(sha, "hex")])
/** A commit on top of the clone's, of a tree that is given. */
const commitOf = async (clone: string, tree: string) => {
  const sha = await good("-C", clone, ...me, "commit-tree", tree, "-p", "HEAD", "-m", "hostile")
  await good("-C", clone, "update-ref", "refs/heads/main", sha)
  return sha
}

/** A pack of objects, as git makes it. */
const packOf = (clone: string, objects: ReadonlyArray<string>): Uint8Array =>
  spawnSync("git", ["-C", clone, "pack-objects", "-q", "--stdout"], { input: `${objects.join("\n")}\n` }).stdout

const headOf = async (id: string) => (await commitsOf(id))[0]!.sha
const findings = async () =>
  (await service.run(verify(projections, () => {}).pipe(Effect.provide(audit({ dataDir: service.dataDir }))))).findings
const left = () => readdirSync(join(service.dataDir, "workspaces")).filter((name) => name.startsWith(".incoming-"))

describe.skipIf(noGit)("git push", () => {
  it("puts commits on the head as one event, with their authors, and chats go on from there", async () => {
    const { id, base, clone } = await cloned("pushes")
    await commit(clone, "b.txt", "two\n", "first of two")
    const tip = await commit(clone, "a.txt", "three\n", "second of two")
    const before = await service.head()
    const { code, err } = await push(clone, "origin", "main")
    assert.strictEqual(code, 0, err)
    assert.strictEqual(await service.head(), before + 1)
    const [event] = (await service.call("GET", `/api/events?after=${before}`)).json.events
    assert.strictEqual(event.type, "CommitsPushed")
    assert.deepInclude(event.data, {
      commit: tip,
      parent: base,
      commits: 2,
      created: 1,
      modified: 1,
      deleted: 0,
      files: 2
    })
    const [last] = await commitsOf(id)
    assert.deepInclude(last as never, {
      sha: tip,
      message: "second of two\n",
      author: { name: "Pia Push", email: "pia@example.org" },
      session_id: null,
      changes: [
        { path: "a.txt", status: "modified", sha: blobOf("three\n") },
        { path: "b.txt", status: "created", sha: blobOf("two\n") }
      ]
    })
    assert.strictEqual((await service.call("GET", `/api/workspaces/${id}/files/a.txt`)).text, "three\n")
    // the same again is there already
    assert.match((await push(clone, "origin", "main")).err, /Everything up-to-date/)
    const next = await wrote("pushes", { "c.txt": "four\n" })
    assert.deepStrictEqual(next.workspace_files, ["a.txt", "b.txt", "c.txt"])
    await good("-C", clone, "pull", "-q", "--ff-only")
    assert.strictEqual(await good("-C", clone, "rev-parse", "HEAD~1"), tip)
    assert.strictEqual(fsck(clone), "")
    const { json } = await service.call("POST", `/api/workspaces/${id}/restore`, { commit: tip })
    assert.strictEqual(json.success, true)
    assert.deepStrictEqual(await findings(), [])
    assert.deepStrictEqual(left(), [])
  })

  it("takes merges, modes, links, empty commits and more than git sends in one piece", async () => {
    const { id, clone } = await cloned("large")
    await good("-C", clone, "checkout", "-q", "-b", "side")
    await commit(clone, "big.txt", noise(5_000_000, 3))
    await good("-C", clone, "checkout", "-q", "main")
    await commit(clone, "run.sh", "#!/bin/sh\n")
    await good("-C", clone, "update-index", "--chmod=+x", "run.sh")
    await good("-C", clone, ...me, "commit", "-q", "-m", "mode")
    await good("-C", clone, ...me, "merge", "-q", "--no-ff", "-m", "merge", "side")
    await good("-C", clone, ...me, "commit", "-q", "--allow-empty", "-m", "empty")
    const { code, err } = await push(clone, "origin", "main")
    assert.strictEqual(code, 0, err)
    const { json } = await service.call("GET", `/api/workspaces/${id}/tree`)
    assert.deepStrictEqual(
      json.files.map(({ path, mode }: { path: string; mode: string }) => [path, mode]),
      [
        ["a.txt", "100644"],
        ["big.txt", "100644"],
        ["run.sh", "100755"]
      ]
    )
    // one that changes no file
    await good("-C", clone, ...me, "commit", "-q", "--allow-empty", "-m", "empty again")
    assert.strictEqual((await push(clone, "origin", "main")).code, 0)
    assert.strictEqual(await headOf(id), await good("-C", clone, "rev-parse", "HEAD"))
    const second = place()
    await good("clone", "-q", urlOf(id), second)
    assert.strictEqual(fsck(second), "")
    assert.deepStrictEqual(await findings(), [])
  })

  it("is taken from a shallow clone, whose history is here; from one of another history it is refused", async () => {
    const { id, clone } = await cloned("shallow-push")
    await commit(clone, "a.txt", "two\n")
    await good("-C", clone, "push", "-q", "origin", "main")
    const shallow = place()
    await good("clone", "-q", "--depth=1", urlOf(id), shallow)
    assert.strictEqual(await good("-C", shallow, "rev-list", "--count", "HEAD"), "1")
    const tip = await commit(shallow, "b.txt", "three\n")
    const { code, err } = await push(shallow, "origin", "HEAD:main")
    assert.strictEqual(code, 0, err)
    assert.strictEqual(await headOf(id), tip)
    const [last, ...before] = await commitsOf(id)
    assert.deepStrictEqual([last!.sha, last!.parents, before.length], [tip, [before[0]!.sha], 2])
    const { clone: other } = await cloned("another-history")
    await commit(other, "a.txt", "other\n")
    await good("-C", other, "push", "-q", "origin", "main")
    const elsewhere = place()
    await good("clone", "-q", "--depth=1", await good("-C", other, "remote", "get-url", "origin"), elsewhere)
    await commit(elsewhere, "c.txt", "c\n")
    const refusal = await push(elsewhere, urlOf(id), "HEAD:main")
    assert.notStrictEqual(refusal.code, 0)
    assert.notInclude(refusal.err, "HTTP 4")
    assert.strictEqual(await headOf(id), tip)
    assert.deepStrictEqual(await findings(), [])
    assert.deepStrictEqual(left(), [])
  })

  it("is fast-forward only, onto main only, and of two at once takes one", async () => {
    const { id, clone } = await cloned("races")
    const other = place()
    await good("clone", "-q", urlOf(id), other)
    const mine = await commit(clone, "mine.txt", "m\n")
    await commit(other, "other.txt", "o\n")
    const done = await Promise.all([push(clone, "origin", "main"), push(other, "origin", "main")])
    assert.deepStrictEqual(done.map(({ code }) => code).sort(), [0, 1])
    const [loser, winner] = done[0].code === 0 ? [other, clone] : [clone, other]
    const head = await headOf(id)
    assert.strictEqual(head, await good("-C", winner, "rev-parse", "HEAD"))
    const before = await service.head()
    for (const args of [
      ["--force", "origin", "main"],
      ["origin", "main:refs/heads/other"],
      ["origin", "HEAD:refs/tags/v1"],
      ["origin", ":main"]
    ]) {
      const { code, err } = await push(loser, ...args)
      assert.notStrictEqual(code, 0, args.join(" "))
      assert.match(err, /rejected|deleted|deleting/i)
    }
    // also of what is larger than its sender's and the service's buffers hold: it hears why
    await good("-C", loser, "checkout", "-q", "-b", "large")
    await commit(loser, "large.bin", noise(12_000_000, 7))
    assert.match((await push(loser, "origin", "large")).err, /only refs\/heads\/main can be pushed to/)
    // whose history is another one
    await good("-C", loser, "checkout", "-q", "--orphan", "anew")
    await good("-C", loser, ...me, "commit", "-q", "-m", "anew")
    assert.match((await push(loser, "--force", "origin", "anew:main")).err, /non-fast-forward/)
    assert.deepStrictEqual([await headOf(id), await service.head()], [head, before])
    // and on top it is taken
    await good("-C", loser, "checkout", "-q", "main")
    await good("-C", loser, ...me, "pull", "-q", "--rebase")
    assert.strictEqual((await push(loser, "origin", "main")).code, 0)
    assert.isString(mine)
  })

  it.each<[string, RegExp, (clone: string, blob: string) => Promise<string>]>([
    [
      "a .git folder",
      /fsck refuses it \(hasDotgit\)/,
      async (clone, blob) =>
        object(clone, "tree", entry("40000", ".git", await object(clone, "tree", entry("100644", "config", blob))))
    ],
    [
      "a path that leads out",
      /fsck refuses it \(hasDotdot\)/,
      async (clone, blob) =>
        object(clone, "tree", entry("40000", "..", await object(clone, "tree", entry("100644", "x", blob))))
    ],
    [
      "a tree that names a file twice",
      /fsck refuses it \(duplicateEntries\)/,
      (clone, blob) => object(clone, "tree", Buffer.concat([entry("100644", "a", blob), entry("100644", "a", blob)]))
    ],
    [
      "a .gitmodules that git would run",
      /fsck|gitmodules/,
      async (clone) =>
        object(
          clone,
          "tree",
          entry("100644", ".gitmodules", await object(clone, "blob", '[submodule "x"]\n\tpath = -x\n\turl = -u\n'))
        )
    ],
    [
      "a .gitmodules that is not plain",
      /gitmodules/,
      async (clone) =>
        object(clone, "tree", entry("100644", ".gitmodules", await object(clone, "blob", "[core]\n\tfsmonitor = x\n")))
    ],
    ["a backslash", /backslash/, (clone, blob) => object(clone, "tree", entry("100644", "..\\x", blob))],
    [
      "a name that is no UTF-8",
      /UTF-8/,
      (clone, blob) => object(clone, "tree", entry("100644", Buffer.of(0xff, 0xfe), blob))
    ],
    ["too long a name", /255/, (clone, blob) => object(clone, "tree", entry("100644", "n".repeat(300), blob))],
    [
      "a submodule",
      /submodule/,
      async (clone) => object(clone, "tree", entry("160000", "sub", await good("-C", clone, "rev-parse", "HEAD")))
    ],
    [
      "a link without a target",
      /target/,
      async (clone) => object(clone, "tree", entry("120000", "l", await object(clone, "blob", "")))
    ],
    [
      "too many files",
      /50,000/,
      async (clone, blob) =>
        object(
          clone,
          "tree",
          Buffer.concat(Array.from({ length: 50_001 }, (_, n) => entry("100644", `f${`${n}`.padStart(6, "0")}`, blob)))
        )
    ],
    [
      "a tree that names itself a thousandfold",
      /files|names/,
      async (clone, blob) => {
        let tree = await object(clone, "tree", entry("100644", "f", blob))
        for (let depth = 0; depth < 9; depth++) {
          const level = tree
          tree = await object(
            clone,
            "tree",
            Buffer.concat(Array.from({ length: 10 }, (_, n) => entry("40000", `d${n}`, level)))
          )
        }
        return tree
      }
    ]
  ])("refuses %s, and moves nothing", async (_, said, made) => {
    const { id, base, clone } = await cloned("hostile pushes")
    const tree = await made(clone, await object(clone, "blob", "x"))
    await commitOf(clone, tree)
    const before = await service.head()
    const objects = () => readdirSync(join(service.dataDir, "workspaces", `${id}.git`, "objects", "pack")).length
    const packs = objects()
    const { code, err } = await push(clone, "origin", "main")
    assert.notStrictEqual(code, 0)
    assert.match(err, said)
    assert.deepStrictEqual([await headOf(id), await service.head(), objects()], [base, before, packs])
    assert.deepStrictEqual(left(), [])
  })

  describe("that is not git's", () => {
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text
    const send = (id: string, body: string | Uint8Array, key = ownerKey) =>
      service.call("POST", `/git/${id}.git/git-receive-pack`, body, {
        authorization: `Basic ${Buffer.from(`x:${key}`).toString("base64")}`,
        "content-type": "application/x-git-receive-pack-request"
      })

    it("is refused, whatever it is: no pack, half a pack, objects that are missing", async () => {
      const { id, base, clone } = await cloned("raw")
      const tip = await commit(clone, "b.txt", noise(20_000, 5))
      const update = line(`${base} ${tip} refs/heads/main\0 report-status`)
      const { out } = await run({}, ["-C", clone, "rev-list", "--objects", tip, `^${base}`])
      const packed = packOf(
        clone,
        out
          .trim()
          .split("\n")
          .map((one) => one.slice(0, 40))
      )
      const without = packOf(clone, [tip])
      const head = await service.head()
      const request = (pack: Uint8Array) => Buffer.concat([Buffer.from(`${update}0000`), pack])
      for (const pack of [
        new Uint8Array(),
        Buffer.from("PACKnonsense"),
        Buffer.from("PACK\0\0\0\u0002\0\0\0\u0001nonsense"),
        packed.subarray(0, packed.length - 30),
        without,
        Buffer.from(packed).fill(0, 100, 120),
        // behind the first object's kind and size: git says that it can't inflate it
        Buffer.from(packed).fill(0xff, 14, 24)
      ]) {
        const { status, text } = await send(id, request(pack))
        assert.strictEqual(status, 200)
        assert.match(text, /ng refs\/heads\/main /)
        assert.notMatch(text, /fsck/, "a broken pack breaks no rule of git's")
      }
      const other = Buffer.concat([
        Buffer.from(`${line(`${base} ${tip} refs/heads/other\0 report-status`)}0000`),
        packed
      ])
      assert.match((await send(id, other)).text, /ng refs\/heads\/other only refs\/heads\/main/)
      const two = Buffer.concat([Buffer.from(`${update}${line(`${base} ${tip} refs/heads/other`)}0000`), packed])
      assert.match((await send(id, two)).text, /ng refs\/heads\/main [\s\S]*ng refs\/heads\/other /)
      assert.include(
        refused(await send(id, "nonsense"), 400, "validation/invalid_body").message,
        "no push as git makes"
      )
      refused(await send(id, ""), 400, "validation/invalid_body")
      assert.strictEqual((await send(id, "0000")).status, 200)
      assert.deepStrictEqual([await headOf(id), await service.head()], [base, head])
      // and whole it is taken, once; sent again it is there
      for (let times = 0; times < 2; times++)
        assert.match((await send(id, request(packed))).text, /ok refs\/heads\/main/)
      assert.deepStrictEqual([await headOf(id), await service.head()], [tip, head + 1])
      assert.deepStrictEqual(left(), [])
    })

    it("is refused without a key, and with a foreign one", async () => {
      const { id } = await cloned("whose push")
      const { key } = await organization(service, "PRO")
      refused(await send(id, "0000", key), 404, "not_found/workspace")
      assert.strictEqual((await send(id, "0000", "nothing")).status, 401)
    })
  })
})
