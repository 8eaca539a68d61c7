import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { ownerKey } from "#test/service.ts"
import { ownerAt, told, use } from "./told.ts"

// Makes what test/upgrades/upgrades.test.ts starts from: a service of some version is used, stopped and packed.
//
//   deno run -A test/upgrades/make.ts CHECKOUT NAME postgres://…/an-empty-database
//
// CHECKOUT is the project at the version to keep, with its packages (`npm ci`); the database is one of a PostgreSQL 15
// or newer whose `pg_dump` is in the PATH (a newer server's dump would have what an older one can't read). Do it for
// each schema that lands, before it changes: a fixture can't be made later by code that has gone on.

const [checkout, name, database] = process.argv.slice(2)
if (checkout === undefined || name === undefined || database === undefined) {
  console.error("make.ts CHECKOUT NAME DATABASE_URL")
  process.exit(2)
}

const data = mkdtempSync(join(tmpdir(), "cairn-upgrade-"))
const service = spawn("node", ["start.cjs", "serve"], {
  cwd: checkout,
  env: {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    PORT: "0",
    CAIRN_DATA_DIR: data,
    CAIRN_OWNER_KEY: ownerKey,
    CAIRN_RATE_LIMITS: "off",
    DATABASE_URL: database
  },
  stdio: ["ignore", "pipe", "inherit"]
})
const ended = new Promise((resolve) => service.on("exit", resolve))
const url = await new Promise<string>((resolve, reject) => {
  let said = ""
  service.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text
    const found = /Cairn is at (http:\S+)/.exec(said)
    if (found !== null) resolve(found[1]!)
  })
  void ended.then(() => reject(new Error(`it ended and had said: ${said}`)))
})
try {
  const call = ownerAt(url)
  await use(call)
  const folder = fileURLToPath(new URL(name, import.meta.url))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "told.json"), `${JSON.stringify(await told(call), null, 2)}\n`)
  service.kill("SIGTERM")
  await ended
  const dump = execFileSync("pg_dump", ["--inserts", "--no-owner", "--no-privileges", database], { encoding: "utf8" })
  // nothing but SQL: those lines are for psql
  const statements = dump.replace(/^\\(?:un)?restrict .*$/gm, "")
  writeFileSync(join(folder, "dump.sql.gz"), gzipSync(statements, { level: 9 }))
  // a service that was stopped has left no lock, and its key is the tests'
  execFileSync("tar", [
    "-czf",
    join(folder, "folder.tar.gz"),
    "--exclude=./service.*",
    "--exclude=./postgres",
    "-C",
    data,
    "."
  ])
} finally {
  service.kill("SIGKILL")
  rmSync(data, { recursive: true, force: true })
}
