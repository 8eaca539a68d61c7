import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { run } from "#test/copy/command.ts"
import { nobodysPorts } from "#test/nobodysPorts.ts"
import { newInstallation, ownerKey, removeInstallation, type TestInstallation } from "#test/service.ts"
import { startProcess } from "./process.ts"

const [port] = nobodysPorts

describe("an engine that a service can't use at the start", () => {
  let installation: TestInstallation
  let folder: string
  beforeAll(async () => {
    installation = await newInstallation()
    folder = mkdtempSync(join(tmpdir(), "cairn-engines-"))
  })
  afterAll(() => {
    removeInstallation(installation)
    rmSync(folder, { recursive: true, force: true })
  })

  const password = "hunter2"
  const fileOf = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const refusal = async (environment: Record<string, string>) => {
    const service = startProcess(installation, environment)
    const code = await service.ended
    const lines = service.output.text.trim().split("\n")
    assert.lengthOf(lines, 1, service.output.text)
    assert.notInclude(service.output.text, password)
    return [code, lines[0]!] as const
  }
  const engines: ReadonlyArray<readonly [string, (port: number) => Record<string, string>]> = [
    ["DATABASE_URL", (port) => ({ DATABASE_URL: `postgres://me:${password}@127.0.0.1:${port}/cairn` })],
    ["KURRENTDB_URL", (port) => ({ KURRENTDB_URL: `kurrentdb://me:${password}@127.0.0.1:${port}?tls=false` })],
    [
      "ELASTICSEARCH_URL",
      (port) => ({
        ELASTICSEARCH_URL: `http://127.0.0.1:${port}`,
        ELASTICSEARCH_USERNAME: "me",
        ELASTICSEARCH_PASSWORD: password
      })
    ]
  ]

  it.each(engines)(
    "is one line with %s, the host and the cause, and the code that starts it again",
    async (name, at) => {
      const [code, line] = await refusal(at(port))
      assert.strictEqual(code, 75, line)
      assert.match(
        line,
        new RegExp(`^cairn: .+ at 127\\.0\\.0\\.1:${port} \\(${name}\\) can't be used: .*ECONNREFUSED`)
      )
      assert.notMatch(line, /UNAVAILABLE|Resolution note|Error:/)
    }
  )

  it("is said of one in a file in the same words, also by the command line", async () => {
    const file = fileOf("database", `postgres://me:${password}@127.0.0.1:${port}/cairn\n`)
    const environment = { DATABASE_URL: "", DATABASE_URL_FILE: file }
    const [code, line] = await refusal(environment)
    assert.strictEqual(code, 75)
    assert.include(line, `the database cairn at 127.0.0.1:${port} (DATABASE_URL) can't be used`)
    const { dataDir } = installation
    const tool = await run({ ...environment, CAIRN_DATA_DIR: dataDir }, "org", "list")
    assert.strictEqual(tool.code, 1)
    assert.match(tool.err, new RegExp(`he database cairn at 127\\.0\\.0\\.1:${port} \\(DATABASE_URL\\) can't be used`))
    assert.notInclude(tool.out + tool.err, password)

    const other = fileOf("other", Redacted.value(installation.database))
    const good = await run({ DATABASE_URL_FILE: other, CAIRN_DATA_DIR: dataDir }, "org", "list")
    assert.strictEqual(good.code, 0, good.err)
  })

  it("a secret in no file is refused for the operator, in one line", async () => {
    const [code, line] = await refusal({ DATABASE_URL: "", DATABASE_URL_FILE: join(folder, "nowhere") })
    assert.strictEqual(code, 78)
    assert.match(line, /^cairn: DATABASE_URL_FILE is wrong: expected a file that can be read; \S+ can't be \(ENOENT\)$/)
  })

  it("secrets in files are used, and said nowhere", async () => {
    const files = {
      DATABASE_URL: "",
      DATABASE_URL_FILE: fileOf("url", `${Redacted.value(installation.database)}\n`),
      CAIRN_OWNER_KEY_FILE: fileOf("key", `${ownerKey}\n`)
    }
    const service = startProcess(installation, files)
    const [, url] = await service.said(/Cairn is at (http:\S+)/)
    const answer = await fetch(`${url}/api/workspaces`, { headers: { authorization: `Bearer ${ownerKey}` } })
    assert.strictEqual(answer.status, 200)
    await service.said(/Try it:[\s\S]+curl/)
    assert.include(service.output.text, `$(cat ${files.CAIRN_OWNER_KEY_FILE})`)
    assert.notInclude(service.output.text, ownerKey)
    await service.stop()
  })
})
