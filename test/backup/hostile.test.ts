import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Manifest } from "#src/audit/backup/manifest.ts"
import { from, run } from "#test/copy/command.ts"
import { fill, model } from "#test/copy/filled.ts"
import { ended } from "#test/http/agent.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"

const last = "backups/000002.json"

/** The last manifest, to be made to say what it should not. */
type Forged = { -readonly [K in keyof Manifest]: Manifest[K] extends ReadonlyArray<infer A> ? Array<A> : Manifest[K] }

describe("a folder of backups that somebody has changed", () => {
  let api: MessagesApi
  let service: Service
  let original: TestInstallation
  const base = mkdtempSync(join(tmpdir(), "cairn-hostile-"))
  const good = join(base, "good")
  const here = () => from(original.database, original.dataDir)
  let folders = 0

  beforeAll(async () => {
    api = await startMessagesApi(model)
    original = await newInstallation()
    service = await startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url }, original)
    await fill(service)
    assert.strictEqual((await run(here(), "backup", good)).code, 0)
    await ended(service.call, "three", "ada")
    assert.strictEqual((await run(here(), "backup", good)).code, 0)
  })
  afterAll(async () => {
    await service.stop()
    await api.close()
    removeInstallation(original)
    rmSync(base, { recursive: true, force: true })
  })

  const changed = (change: (folder: string) => void) => {
    const folder = join(base, String(folders++))
    cpSync(good, folder, { recursive: true })
    change(folder)
    return folder
  }
  const forged = (change: (manifest: Forged, folder: string) => void) =>
    changed((folder) => {
      const manifest = JSON.parse(readFileSync(join(folder, last), "utf8"))
      change(manifest, folder)
      writeFileSync(join(folder, last), JSON.stringify(manifest))
    })
  /** Other bytes, which the manifest calls its own. */
  const rewritten = (holds: string, write: (text: string, manifest: Forged) => string | Buffer) =>
    forged((manifest, folder) => {
      const at = manifest.files.findIndex((file) => file.holds === holds)
      const { name } = manifest.files[at]!
      const made = write(gunzipSync(readFileSync(join(folder, name))).toString("utf8"), manifest)
      const bytes = typeof made === "string" ? gzipSync(made) : made
      writeFileSync(join(folder, name), bytes)
      const sha256 = createHash("sha256").update(bytes).digest("hex")
      manifest.files[at] = { ...manifest.files[at]!, bytes: bytes.length, sha256 }
    })
  /** On one line, with nothing that is not foreseen. */
  const failed = async (env: { readonly [name: string]: string }, ...args: ReadonlyArray<string>) => {
    const { code, err, out } = await run(env, ...args)
    assert.strictEqual(code, 1, out)
    assert.strictEqual(err.trimEnd().split("\n").length, 1, err)
    assert.notInclude(err, "unexpected")
    return err
  }
  const restoring = async (folder: string) => {
    const dataDir = mkdtempSync(join(base, "to-"))
    const said = await failed(from(await Effect.runPromise(freshDatabase), dataDir), "restore", folder)
    // the folder of repositories is prepared before the log is brought, and seen to be damaged
    const prepared = ["workspaces", join("workspaces", ".installation.new")]
    const left = readdirSync(dataDir, { recursive: true }).map(String)
    assert.isEmpty(left.filter((name) => !prepared.includes(name)))
    return said
  }

  const impossible: { readonly [title: string]: (manifest: Forged) => void } = {
    "no rows beside the log": (m) => void (m.files = m.files.filter(({ holds }) => holds !== "beside")),
    "no erasures": (m) => void (m.files = m.files.filter(({ holds }) => holds !== "erasures")),
    "events without a file": (m) => void (m.files = m.files.filter(({ holds }) => holds !== "log")),
    "a pack without its index": (m) => void (m.files = m.files.filter(({ holds }) => holds !== "index")),
    "a pack of no repository": (m) => void (m.files = m.files.map(({ repository: _, ...file }) => file)),
    "a repository elsewhere": (m) =>
      void (m.files = m.files.map((file) => ({ ...file, repository: "../../elsewhere" }))),
    "a commit that is none": (m) => void (m.files = m.files.map((file) => ({ ...file, commit: "main\n" }))),
    "an erased repository elsewhere": (m) => void (m.erased = ["../elsewhere"]),
    "a file elsewhere": (m) => void (m.files[0] = { ...m.files[0]!, name: "../../../etc/passwd" }),
    "a file of another backup": (m) => void (m.files[0] = { ...m.files[0]!, name: "beside/000001.ndjson.gz" }),
    "a gap behind the backup before": (m) => void (m.log = { ...m.log, after: m.log.after + 1 })
  }
  it.each(Object.keys(impossible))("by a manifest with %s is refused to all who read it", async (title) => {
    const folder = forged(impossible[title]!)
    const said = /000002\.json is damaged: it says what no backup has/
    assert.match(await restoring(folder), said)
    assert.match(await failed(here(), "backup", folder), said)
    assert.match(await failed({}, "backup", folder, "--verify"), said)
  })

  it("by a pipe, a folder or another file in the place of one is refused, and waits for nobody", async () => {
    const log = "log/000001-000001.ndjson.gz"
    for (const name of ["cairn-backup.json", last, log]) {
      const folder = changed((folder) => {
        unlinkSync(join(folder, name))
        execFileSync("mkfifo", [join(folder, name)])
      })
      assert.match(await restoring(folder), /is no file/)
      assert.match(await failed({}, "backup", folder, "--verify"), /is no file/)
    }
    const swapped = changed((folder) => {
      renameSync(join(folder, log), join(folder, "kept"))
      renameSync(join(folder, log.replaceAll("000001-", "000002-")), join(folder, log))
      renameSync(join(folder, "kept"), join(folder, log.replaceAll("000001-", "000002-")))
    })
    assert.match(await restoring(swapped), /2 files .* not as written/)
  })

  it("by a file that no manifest names loses it with the next backup, and nothing else", async () => {
    const left = "log/000003-000001.ndjson.gz"
    const folder = changed((folder) => writeFileSync(join(folder, left), "of one that was interrupted"))
    const before = readdirSync(join(folder, "log")).filter((name) => !left.endsWith(name))
    assert.strictEqual((await run(here(), "backup", folder)).code, 0)
    assert.includeMembers(readdirSync(join(folder, "log")), before)
    for (const name of readdirSync(join(folder, "log")))
      assert.notInclude(readFileSync(join(folder, "log", name), "latin1"), "of one that was interrupted", name)
    assert.strictEqual((await run({}, "backup", folder, "--verify")).code, 0)
  })

  it("so that a file is missing, shorter or longer gets no further backup", async () => {
    const missing = changed((folder) => unlinkSync(join(folder, "log/000001-000001.ndjson.gz")))
    assert.match(await failed(here(), "backup", missing), /log\/000001-000001\.ndjson\.gz is missing/)
    const shorter = changed((folder) => writeFileSync(join(folder, "beside/000001.ndjson.gz"), "x"))
    assert.match(await failed(here(), "backup", shorter), /beside\/000001\.ndjson\.gz has 1 bytes?, and had/)
    const longer = changed((folder) => appendFileSync(join(folder, "beside/000001.ndjson.gz"), "x"))
    assert.match(await failed(here(), "backup", longer), /beside\/000001\.ndjson\.gz has \d+ bytes, and had/)
  })

  it("by a manifest of another run, or of another number, is refused to all who read it", async () => {
    const said = /000002\.json is not the backup that follows on the one before it/
    for (const others of [{ previous: { number: 1, sha256: "0".repeat(64) } }, { number: 3 }]) {
      const folder = forged((manifest) => Object.assign(manifest, others))
      assert.match(await restoring(folder), said)
      assert.match(await failed(here(), "backup", folder), said)
      assert.match(await failed({}, "backup", folder, "--verify"), said)
    }
  })

  it("with digests that fit is found out by what is in it: nothing of a log that is not all there is served", async () => {
    const lines = (text: string) => text.trimEnd().split("\n")
    const cases: ReadonlyArray<readonly [Parameters<typeof rewritten>[1], RegExp]> = [
      [() => "nonsense\n", /a line that is no event/],
      [() => "{}\n", /a line that is no event/],
      [() => Buffer.from("plain"), /can't be read to its end/],
      [(text) => lines(text).slice(0, -1).join("\n"), /events up to position \d+ where its manifest says/],
      [
        (text) => [lines(text)[0], ...lines(text).slice(2)].join("\n"),
        /events up to position \d+ where its manifest says/
      ],
      [
        (text) => text.replace(/"position":(\d+)(?=[^\n]*\n$)/, (_, last) => `"position":${Number(last) + 1}`),
        /events up to position \d+ where its manifest says/
      ],
      [(text) => text.replace(/"position":\d+/, '"position":1'), /not in their order/],
      [(text) => text.replace(/"type":"\w+"/, '"type":"Nonsense"'), /can't be read by this version/]
    ]
    for (const [write, said] of cases) assert.match(await restoring(rewritten("log", write)), said)
    const origins: ReadonlyArray<Parameters<typeof rewritten>[1]> = [
      () => "",
      () => "null\n",
      (text) => text.replace(/"secret":"..../, '"secret":"0000')
    ]
    for (const write of origins) {
      assert.match(await restoring(rewritten("beside", write)), /is another Cairn's, or damaged|is damaged/)
    }
  })
})
