import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect, Stream } from "effect"
import * as Tar from "effect/encoding/Tar"
import * as Zip from "effect/encoding/Zip"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { git, noGit } from "#test/infra/git/git.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

type TarEntries = ReadonlyArray<Tar.Entry>

const tar = async (...entries: TarEntries): Promise<Uint8Array> => {
  const all = Stream.fromIterable(entries).pipe(Stream.pipeThroughChannel(Tar.encode()), Stream.runCollect)
  return Buffer.concat([...(await Effect.runPromise(all))])
}
const zip = async (...entries: ReadonlyArray<Zip.ContentEntry>): Promise<Buffer> => {
  const all = Stream.fromIterable(entries).pipe(Stream.pipeThroughChannel(Zip.encode()), Stream.runCollect)
  return Buffer.concat([...(await Effect.runPromise(all))])
}
/** Says of each entry in a zip's central directory which mode it has: what only Unix tools write, a link among them. */
const withMode = (archive: Buffer, mode: number): Buffer => {
  const changed = Buffer.from(archive)
  for (let at = changed.indexOf("PK\u0001\u0002"); at >= 0; at = changed.indexOf("PK\u0001\u0002", at + 1))
    changed.writeUInt32LE((mode << 16) >>> 0, at + 38)
  return changed
}
/** Another name of the same length, everywhere in it. */
const renamed = (archive: Uint8Array, from: string, to: string): Buffer =>
  Buffer.from(Buffer.from(archive).toString("latin1").replaceAll(from, to), "latin1")

const opened = async (user_id: string): Promise<string> =>
  (await service.call("POST", "/api/workspaces", { org_id: "acme", user_id })).json.workspace_id

const unpack = (id: string, archive: Uint8Array, query = "", headers = {}) =>
  service.call("POST", `/api/workspaces/${id}/archive${query}`, archive, headers)

const filesOf = async (id: string) => {
  const { json } = await service.call("GET", `/api/workspaces/${id}/tree`)
  const files: ReadonlyArray<{ readonly path: string; readonly mode: string }> = json.files
  return Object.fromEntries(files.map(({ path, mode }) => [path, mode]))
}
const read = async (id: string, path: string) => (await service.call("GET", `/api/workspaces/${id}/files/${path}`)).text

describe("an archive", () => {
  const entries = [
    Tar.directory("./lib"),
    Tar.file("./lib/a.py", "a = 1\n"),
    Tar.file("run.sh", "#!/bin/sh\n", { mode: 0o755 }),
    Tar.symlink("lib/b.py", "a.py"),
    Tar.file(`deep/${"d".repeat(90)}/${"e".repeat(90)}.txt`, "deep")
  ]
  const expected = {
    [`deep/${"d".repeat(90)}/${"e".repeat(90)}.txt`]: "100644",
    "lib/a.py": "100644",
    "lib/b.py": "120000",
    "run.sh": "100755"
  }

  it.each(["tar", "tar with gzip"])(
    "that is a %s becomes one commit and one event, with its modes and links",
    async (kind) => {
      const id = await opened(kind)
      const archive = await tar(...entries)
      const head = await service.head()
      const { status, json, headers } = await unpack(id, kind === "tar" ? archive : gzipSync(archive))
      assert.deepInclude(json, { success: true, created: 4, modified: 0, deleted: 0 })
      assert.strictEqual(status, 200)
      assert.strictEqual(await service.head(), head + 1)
      assert.strictEqual(Number(headers.get("cairn-position")), head + 1)
      assert.deepStrictEqual(await filesOf(id), expected)
      assert.strictEqual(await read(id, "lib/b.py"), "a.py")
      const [commit] = (await service.call("GET", `/api/workspaces/${id}/commits`)).json.commits
      assert.deepInclude(commit, { sha: json.commit, author: { name: kind, email: `${id}@cairn` } })
      assert.match(commit.message, /^Unpack an archive\n\nCairn-Event: /)
      // the same once more changes nothing
      assert.deepInclude((await unpack(id, archive)).json, { commit: json.commit, created: 0, modified: 0 })
      assert.strictEqual(await service.head(), head + 1)
    }
  )

  it("that is a zip does so too", async () => {
    const id = await opened("zip")
    const archive = await zip(
      Zip.directory("lib"),
      Zip.file("lib/a.py", "a = 1\n"),
      Zip.file("b", new Uint8Array(70_000))
    )
    assert.deepInclude((await unpack(id, archive)).json, { success: true, created: 2 })
    assert.strictEqual(await read(id, "lib/a.py"), "a = 1\n")
    const script = withMode(await zip(Zip.file("run.sh", "#!/bin/sh\n")), 0o100755)
    assert.strictEqual((await unpack(id, script)).status, 200)
    const link = withMode(await zip(Zip.file("link", "lib/a.py")), 0o120777)
    assert.strictEqual((await unpack(id, link)).status, 200)
    assert.deepStrictEqual(await filesOf(id), {
      b: "100644",
      "lib/a.py": "100644",
      link: "120000",
      "run.sh": "100755"
    })
  })

  it.skipIf(noGit).each(["tar", "tar.gz", "zip"])("that git made is unpacked as git has it: %s", async (format) => {
    const clone = mkdtempSync(join(tmpdir(), "cairn-archived-"))
    try {
      const long = `${"d".repeat(90)}/${"e".repeat(90)}`
      mkdirSync(join(clone, "ä", long), { recursive: true })
      for (const [path, content] of [
        ["run.sh", "#!/bin/sh\n"],
        ["empty", ""],
        [`ä/${long}/ü.txt`, "deep\n"]
      ] as const)
        writeFileSync(join(clone, path), content)
      chmodSync(join(clone, "run.sh"), 0o755)
      symlinkSync("run.sh", join(clone, "link"))
      git(clone, ["init", "-q", "-b", "main"])
      git(clone, ["add", "-A"])
      git(clone, ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "c"])
      const archive = join(clone, "archive")
      git(clone, ["archive", `--format=${format}`, "-o", archive, "HEAD"])
      const id = await opened(`git's ${format}`)
      assert.deepInclude((await unpack(id, readFileSync(archive))).json, { success: true, created: 4 })
      const [, tree] = /^tree (\w+)/m.exec(git(clone, ["cat-file", "-p", "HEAD"]))!
      const { commits } = (await service.call("GET", `/api/workspaces/${id}/commits`)).json
      const bare = join(service.dataDir, "workspaces", `${id}.git`)
      assert.strictEqual(git(bare, ["rev-parse", `${commits[0].sha}^{tree}`]).trim(), tree)
    } finally {
      rmSync(clone, { recursive: true })
    }
  })

  it("goes into a folder, over what is there or in its stead", async () => {
    const id = await opened("folder")
    await unpack(id, await tar(Tar.file("keep", "k"), Tar.file("d/old", "o"), Tar.file("d/same", "s")))
    const more = await tar(Tar.file("same", "changed"), Tar.file("new", "n"))
    assert.deepInclude((await unpack(id, more, "?path=d")).json, { created: 1, modified: 1, deleted: 0 })
    assert.deepStrictEqual(Object.keys(await filesOf(id)), ["d/new", "d/old", "d/same", "keep"])
    assert.deepInclude((await unpack(id, more, "?path=d&replace=true")).json, { created: 0, modified: 0, deleted: 1 })
    assert.deepStrictEqual(Object.keys(await filesOf(id)), ["d/new", "d/same", "keep"])
    assert.deepInclude((await unpack(id, more, "?replace=true")).json, { created: 2, deleted: 3 })
    assert.deepStrictEqual(Object.keys(await filesOf(id)), ["new", "same"])
    refused(await unpack(id, more, "?path=../out"), 400, "validation/invalid_path")
    refused(await unpack(id, more, "?replace=maybe"), 400, "validation/invalid_field")
  })

  it("goes into each folder that it is sent to, also at once, and by one Idempotency-Key into one", async () => {
    const id = await opened("folders")
    const one = await tar(Tar.file("x", "x"))
    const answers = await Promise.all(["a", "b", "c"].map((path) => unpack(id, one, `?path=${path}`)))
    for (const { json } of answers) assert.deepInclude(json, { success: true, created: 1 })
    assert.deepStrictEqual(Object.keys(await filesOf(id)), ["a/x", "b/x", "c/x"])
    const headers = { "idempotency-key": "of folders" }
    const first = await unpack(id, one, "?path=d&replace=false", headers)
    assert.deepInclude(first.json, { success: true, created: 1 })
    // the same write, whatever the order of what it asks for
    assert.strictEqual((await unpack(id, one, "?replace=false&path=d", headers)).json.commit, first.json.commit)
    for (const other of ["?path=d&replace=true", "?path=e&replace=false", ""])
      refused(await unpack(id, one, other, headers), 409, "conflict/idempotency_key_reused")
    assert.deepStrictEqual(Object.keys(await filesOf(id)), ["a/x", "b/x", "c/x", "d/x"])
    // nor is one that asks for something the same as one that asked for nothing, or for something else behind a `?`
    const plain = { "idempotency-key": "of no folder" }
    assert.strictEqual((await unpack(id, one, "", plain)).status, 200)
    refused(await unpack(id, one, "?path=e", plain), 409, "conflict/idempotency_key_reused")
    const odd = { "idempotency-key": "of odd folders" }
    for (const headers of [odd, {}]) {
      const folder = "idempotency-key" in headers ? "q" : "r"
      assert.strictEqual((await unpack(id, one, `?path=${folder}?1`, headers)).status, 200)
      const next = await unpack(id, one, `?path=${folder}?2`, headers)
      if (headers === odd) refused(next, 409, "conflict/idempotency_key_reused")
      else assert.deepInclude(next.json, { success: true, created: 1 })
    }
    const all = ["a/x", "b/x", "c/x", "d/x", "q?1/x", "r?1/x", "r?2/x", "x"]
    assert.deepStrictEqual(Object.keys(await filesOf(id)), all)
  })

  const escapes: ReadonlyArray<readonly [string, () => Promise<Uint8Array>]> = [
    ["a path that leads out", () => tar(Tar.file("../../etc/cron.d/x", "x"))],
    ["an absolute path", async () => renamed(await tar(Tar.file("Xetc/passwd", "x")), "Xetc", "/etc")],
    ["a .git folder", () => tar(Tar.file(".git/hooks/post-checkout", "x"))],
    ["a .GIT folder", () => tar(Tar.file("d/.GIT/config", "x"))],
    ["a link that leads out", () => tar(Tar.symlink("l", "../../etc"))],
    [
      "a link that leads out by another one, however it seems",
      () => tar(Tar.symlink("d/up", ".."), Tar.symlink("l", "d/up/../../etc/passwd"))
    ],
    ["a link right above", () => tar(Tar.symlink("l", ".."))],
    [
      "a link behind a link of its own",
      () => tar(Tar.symlink("a/b/up", "../.."), Tar.symlink("a/b/up/l", "../../../etc"))
    ],
    ["a link that goes back behind a name", () => tar(Tar.symlink("l", "./d//x/../y"))],
    ["an absolute link", () => tar(Tar.symlink("l", "/etc"))],
    ["a file behind a link of its own", () => tar(Tar.directory("d"), Tar.symlink("l", "d"), Tar.file("l/x", "x"))],
    ["a hard link", () => tar(Tar.file("a", "x"), Tar.hardlink("b", "a"))],
    ["a file and a folder of one name", () => tar(Tar.file("a/b", "x"), Tar.file("a", "x"))],
    ["a .gitmodules that git would run", () => tar(Tar.file(".gitmodules", '[submodule "x"]\n\tupdate = !sh\n'))],
    ["a zip's path that leads out", async () => renamed(await zip(Zip.file("XXX/x", "x")), "XXX", "../")],
    ["a zip's absolute path", async () => renamed(await zip(Zip.file("Xetc", "x")), "Xetc", "/etc")],
    ["a zip's backslashes", async () => renamed(await zip(Zip.file("..Xx", "x")), "..Xx", "..\\x")],
    ["a zip's link that leads out", async () => withMode(await zip(Zip.file("l", "../../etc")), 0o120777)],
    ["a zip's device", async () => withMode(await zip(Zip.file("null", "")), 0o020666)],
    ["a zip that is cut off", async () => (await zip(Zip.file("a", "x".repeat(1000)))).subarray(0, 100)],
    ["a tar that is cut off", async () => (await tar(Tar.file("a", "x".repeat(5000)))).subarray(0, 1024)],
    ["a gzip that is cut off", async () => gzipSync(await tar(Tar.file("a", "x".repeat(5000)))).subarray(0, 40)],
    ["a gzip of something else", async () => gzipSync(Buffer.alloc(5000, 65))],
    ["no archive", async () => Buffer.from("hello")],
    ["nothing", async () => new Uint8Array()]
  ]
  it.each(escapes)("is refused as a whole for %s, and nothing is written", async (_, made) => {
    const id = await opened("hostile")
    await unpack(id, await tar(Tar.directory("d"), Tar.file("d/there", "x")))
    const head = await service.head()
    const { message } = refused(await unpack(id, await made()), 400, "validation/invalid_archive")
    assert.isBelow(message.length, 1_000)
    assert.strictEqual(await service.head(), head)
    assert.deepStrictEqual(Object.keys(await filesOf(id)), ["d/there"])
  })

  it("takes the place of no folder behind a link, also where it has folders only", async () => {
    const id = await opened("behind a link")
    await unpack(id, await tar(Tar.file("real/sub/there", "x"), Tar.symlink("link", "real")))
    const head = await service.head()
    const folders = await tar(Tar.directory("d"))
    refused(await unpack(id, folders, "?path=link/sub&replace=true"), 400, "validation/invalid_path")
    assert.strictEqual(await service.head(), head)
    assert.deepStrictEqual(Object.keys(await filesOf(id)), ["link", "real/sub/there"])
  })

  it("is refused when it is a bomb, before all of it is there", async () => {
    const id = await opened("bomb")
    const mebibyte = new Uint8Array(1024 * 1024)
    const zeros = (count: number) => Buffer.alloc(count * 1024 * 1024)
    const bombs = [
      gzipSync(await tar(Tar.file("zeros", zeros(129)))),
      // what is behind its end, in no entry
      gzipSync(Buffer.concat([await tar(Tar.file("a", "x")), zeros(300)])),
      await zip(...Array.from({ length: 130 }, (_, index) => Zip.file(`${index}`, mebibyte))),
      gzipSync(await tar(...Array.from({ length: 10_001 }, (_, index) => Tar.file(`${index}`, ""))))
    ]
    const head = await service.head()
    for (const bomb of bombs) refused(await unpack(id, bomb), 400, "validation/invalid_archive")
    // one that says that it is small
    const liar = await zip(Zip.file("liar", zeros(1)))
    const central = liar.indexOf("PK\u0001\u0002")
    liar.writeUInt32LE(10, central + 24)
    refused(await unpack(id, liar), 400, "validation/invalid_archive")
    // one whose digest is another's
    const other = await zip(Zip.file("other", "x"))
    other.writeUInt32LE(1, other.indexOf("PK\u0001\u0002") + 16)
    refused(await unpack(id, other), 400, "validation/invalid_archive")
    // and one whose bytes are others
    const broken = await zip(Zip.file("broken", "x".repeat(10_000)))
    broken.fill(0xff, 40, 50)
    refused(await unpack(id, broken), 400, "validation/invalid_archive")
    assert.strictEqual(await service.head(), head)
  })

  it("is refused when it is larger than 32 MiB, and by a foreign workspace", async () => {
    const id = await opened("large")
    refused(await unpack(id, new Uint8Array(32 * 1024 * 1024 + 1)), 413, "body/too_large")
    refused(await unpack("nothing", await tar(Tar.file("a", "x"))), 404, "not_found/workspace")
  })
})
