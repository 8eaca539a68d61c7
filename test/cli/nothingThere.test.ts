import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { launch } from "#infra/postgres/launcher/launcher.ts"
import { freshDatabase } from "#test/postgres.ts"
import { inProcess } from "./cairn.ts"

/** A folder that was mistyped is told as that, not taken for an installation in which all is well. */
describe("a data folder in which there is no Cairn", () => {
  let base: string
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), "cairn-nothing-"))
  })
  afterAll(() => rmSync(base, { recursive: true, force: true }))

  /** One line, and exit code 1. */
  const refused = async (env: { readonly [name: string]: string }, ...args: ReadonlyArray<string>) => {
    const { code, out, err } = await inProcess({ DATABASE_URL: "", INIT_CWD: base, ...env }, args)
    assert.deepStrictEqual([code, out], [1, ""], `${args.join(" ")}: ${err}`)
    assert.match(err, /^cairn: .*\n$/)
    return err
  }

  const verbs = [
    ["verify"],
    ["replay", "--verify"],
    ["replay"],
    ["events"],
    ["events", "--follow"],
    ["export"],
    ["import", "snippets.jsonl"],
    ["usage"],
    ["bounds", "list"],
    ["org", "list"],
    ["key", "list"],
    ["key", "create", "--email", "a@b.test", "--name", "k"],
    ["user", "list"],
    ["workspace", "list"],
    ["workspace", "files", "00000000"],
    ["installation", "adopt"],
    ["backup", "backups"],
    ["copy", "--to", join(tmpdir(), "cairn-nothing-copied")]
  ]

  it.each(verbs.map((verb) => [verb.join(" "), verb] as const))("is made by no `cairn %s`", async (_, verb) => {
    writeFileSync(join(base, "snippets.jsonl"), "")
    const [missing, empty] = [join(base, "typo"), join(base, "empty")]
    mkdirSync(empty, { recursive: true })
    for (const dataDir of [missing, empty]) {
      const said = await refused({ CAIRN_DATA_DIR: dataDir }, ...verb)
      assert.include(said, `There is no Cairn in ${dataDir}: name its data folder by CAIRN_DATA_DIR`)
    }
    assert.isFalse(existsSync(missing))
    assert.deepStrictEqual(readdirSync(empty), [])
    // nor is what was to be written
    assert.deepStrictEqual(readdirSync(base).sort(), ["empty", "snippets.jsonl"])
  })

  it("is told from one that can't be read", async () => {
    assert.match(
      await refused({ CAIRN_DATA_DIR: join(base, "snippets.jsonl") }, "verify"),
      /Cannot use the data folder .*: ENOTDIR.* by CAIRN_DATA_DIR\./
    )
  })

  it("is not one that another process is just making: that is waited for", async () => {
    const dataDir = join(base, "starting")
    const making = Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          yield* launch({ dataDir })
          return yield* Effect.promise(() => asked)
        })
      )
    )
    while (!existsSync(join(dataDir, "service.pid"))) await new Promise((resolve) => setTimeout(resolve, 1))
    assert.isFalse(existsSync(join(dataDir, "postgres")))
    const asked = inProcess({ CAIRN_DATA_DIR: dataDir, DATABASE_URL: "" }, ["org", "list", "--json"])
    const { code, out, err } = await making
    assert.strictEqual(code, 0, err)
    assert.deepStrictEqual(JSON.parse(out), { organizations: [] })
  })

  it("is not adopted by a database that is named", async () => {
    const dataDir = join(base, "typo")
    const env = { CAIRN_DATA_DIR: dataDir, DATABASE_URL: Redacted.value(await Effect.runPromise(freshDatabase)) }
    assert.include(await refused(env, "installation", "adopt"), `There is no folder ${dataDir}`)
    assert.isFalse(existsSync(dataDir))
  })

  it("is made by the first organization, which the operator asks for", async () => {
    const dataDir = join(base, "made")
    const args = ["--name", "Acme", "--tier", "PRO", "--owner-email", "ada@acme.test"]
    const { code, err } = await inProcess({ CAIRN_DATA_DIR: dataDir, DATABASE_URL: "" }, ["org", "create", ...args])
    assert.strictEqual(code, 0, err)
    const listed = await inProcess({ CAIRN_DATA_DIR: dataDir, DATABASE_URL: "" }, ["org", "list"])
    assert.match(listed.out, /Acme/)
  })
})
