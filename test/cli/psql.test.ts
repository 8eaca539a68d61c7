import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { connectTo } from "#test/postgres.ts"
import { type Service, startService } from "#test/service.ts"
import { inProcess } from "./cairn.ts"

describe("cairn psql", () => {
  let dataDir: string
  let service: Service
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "cairn-psql-"))
    service = await startService({}, { database: Redacted.make(""), dataDir })
  }, 120_000)
  afterAll(async () => {
    await service?.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it("prints what reaches the data folder's own Postgres, and the version that its tools have to have", async () => {
    const environment = { CAIRN_DATA_DIR: dataDir, DATABASE_URL: "" }
    const { code, out, err } = await inProcess(environment, ["psql"])
    assert.strictEqual(code, 0, err)
    const [line = "", version = ""] = out.split("\n")
    const [, password = "", url = ""] = /^PGPASSWORD=([0-9a-f]+) psql '([^']+)'$/.exec(line) ?? []
    const at = new URL(url)
    at.password = password
    const connection = await connectTo({ database: Redacted.make(at.href) })
    const asked = async (sql: string) => Object.values((await connection.query(sql))[0] as object)[0]
    assert.strictEqual(await asked("SELECT count(*)::int FROM events WHERE type = 'KeyCreated'"), 1)
    const major = String(await asked("SHOW server_version")).split(".")[0]
    await connection.close()
    assert.include(version, `It is Postgres ${major}: pg_dump has to be of version ${major} or newer`)
    const page = readFileSync(new URL("../../docs/backup.md", import.meta.url), "utf8").replaceAll(/\s+/g, " ")
    assert.include(page, `It is Postgres ${major}, and \`pg_dump\` refuses a server that is newer than itself`)
    assert.include(page, `take ${major} or newer (\`apt-get install postgresql-client-${major}\``)

    const json = JSON.parse((await inProcess(environment, ["psql", "--json"])).out)
    assert.deepInclude(json, { host: at.hostname, port: Number(at.port), username: at.username, password })

    // where there is one, as it is printed
    if (!existsSync("/usr/bin/psql")) return
    const told = execFileSync("/bin/sh", ["-c", `${line} -XAtc 'SELECT 6 * 7'`], { encoding: "utf8" })
    assert.strictEqual(told.trim(), "42")
  })
})
