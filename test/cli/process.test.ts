import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"
import { makeFolder } from "./cairn.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** What only a process of its own shows: arguments, exit codes, both outputs, and who reads them. */
describe("cairn, as a process", () => {
  const folder = makeFolder()
  afterAll(folder.remove)
  const { spawned } = folder

  /** `node start.cjs cairn …` from another folder, as npm runs it. */
  const started = (from: string, ...args: ReadonlyArray<string>) =>
    spawn("node", [join(root, "start.cjs"), "cairn", ...args], {
      cwd: from,
      stdio: ["pipe", "pipe", "pipe"] as const,
      env: { ...process.env, CAIRN_DATA_DIR: folder.dataDir, DATABASE_URL: "", INIT_CWD: from }
    })

  it("answers on stdout with exit code 0, and leaves no Postgres running", async () => {
    const args = ["--name", "Acme", "--tier", "PRO", "--owner-email", "ada@acme.test", "--json"]
    const { code, out, err } = await spawned("org", "create", ...args)
    assert.strictEqual(code, 0, err)
    assert.match(JSON.parse(out).key, /^cairn_live_[0-9A-Za-z]{43}$/)
    assert.match(readFileSync(`${folder.dataDir}/postgres/server.log`, "utf8"), /database system is shut down\s*$/)
  })

  it("says what is wrong in one line on stderr, with exit code 1", async () => {
    for (const args of [["nothing"], ["key", "list", "--org", "nobody"]]) {
      const { code, out, err } = await spawned(...args)
      assert.deepStrictEqual([code, out], [1, ""], err)
      assert.match(err, /^cairn: .*\n$/)
    }
  })

  it("prints its help on stdout", async () => {
    const { code, out } = await spawned("--help")
    assert.strictEqual(code, 0)
    for (const verb of ["org", "key", "import", "replay", "workspace"]) assert.include(out, verb)
  })

  it("reads files from where its user is, and standard input", async () => {
    folder.file("here.jsonl", [JSON.stringify({ name: "h", source: "h = 1\n", language: "python" })])
    const child = started(folder.dataDir, "import", "here.jsonl", "--json")
    let out = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (out += text))
    assert.deepStrictEqual(await once(child, "close"), [0, null])
    assert.include(JSON.parse(out), { success: true, stored: 1 })

    const piped = started(folder.dataDir, "import", "-", "--json")
    out = ""
    piped.stdout.setEncoding("utf8").on("data", (text: string) => void (out += text))
    piped.stdin.end(`${JSON.stringify({ name: "i", source: "i = 2\n", language: "python" })}\n`)
    assert.deepStrictEqual(await once(piped, "close"), [0, null])
    assert.include(JSON.parse(out), { success: true, stored: 1 })
  })

  it("ends without a word when the reader of its output has gone", async () => {
    const child = started(folder.dataDir, "export")
    child.stdout.destroy()
    let err = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (err += text))
    const [code] = await once(child, "close")
    assert.deepStrictEqual([code, err], [1, ""])
  })
})
