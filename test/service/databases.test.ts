import { createServer } from "node:net"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freshDatabase } from "#test/postgres.ts"
import { newInstallation, removeInstallation, type TestInstallation } from "#test/service.ts"
import { startCli, startProcess } from "./process.ts"

const run = (statement: string) =>
  Effect.flatMap(freshDatabase, (url) =>
    Effect.andThen(PgConnection.make({ url, ssl: false }), (admin) => Effect.as(admin.query(statement, [], false), url))
  ).pipe(Effect.scoped, Effect.runPromise)

describe("a database that nothing can be kept in", () => {
  let installation: TestInstallation
  beforeAll(async () => {
    installation = await newInstallation()
  })
  afterAll(() => removeInstallation(installation))

  /** The exit code, and the one line. */
  const refused = async (database: Redacted.Redacted<string>) => {
    const service = startProcess({ ...installation, database })
    const code = await service.ended
    const lines = service.output.text.trim().split("\n")
    assert.lengthOf(lines, 1, service.output.text)
    return [code, lines[0]!] as const
  }

  it("is refused in one line: for its encoding, and while it only reads, which passes", async () => {
    const ascii = new URL(Redacted.value(await run("SELECT 1")))
    ascii.pathname += "_ascii"
    await run(`CREATE DATABASE ${ascii.pathname.slice(1)} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`)
    const [encoding, said] = await refused(Redacted.make(ascii.href))
    assert.strictEqual(encoding, 78)
    assert.match(said, /^cairn: DATABASE_URL names a database .+ its encoding is SQL_ASCII, and UTF8 is needed\.$/)

    const standby = installation.database
    const name = new URL(Redacted.value(standby)).pathname.slice(1)
    await run(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const [reading, why] = await refused(standby)
    assert.strictEqual(reading, 75)
    assert.match(why, /^cairn: DATABASE_URL names a database .+ it only reads, as a standby does/)
    const listing = startCli(installation, "org", "list")
    assert.strictEqual(await listing.ended, 1)
    assert.match(listing.output.text, /it only reads, as a standby does/)
    await run(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
  })

  it("is refused where no Postgres answers, or nobody does, with the password in no line", async () => {
    // speaks, and not as Postgres does
    const other = createServer((socket) => socket.on("error", () => {}).end("HTTP/1.1 400 Bad Request\r\n\r\n"))
    const silent = createServer((socket) => socket.on("error", () => {}))
    // what is no Postgres is the operator's to mend; who says nothing may speak later
    const secrets = [
      [other, "me:hunter2@", "", 78],
      [silent, "", "?user=me&password=hunter2", 75]
    ] as const
    for (const [server, before, behind, ends] of secrets) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as { port: number }
      const [code, line] = await refused(Redacted.make(`postgres://${before}127.0.0.1:${port}/cairn${behind}`))
      assert.strictEqual(code, ends)
      assert.include(line, `cairn: the database cairn at 127.0.0.1:${port} (DATABASE_URL) can't be used: `)
      assert.notInclude(line, "hunter2")
      server.close()
    }
  })
})
