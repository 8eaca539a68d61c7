import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { checkServer } from "#infra/postgres/checkServer.ts"
import { unmigratedOn } from "#infra/postgres/client.ts"
import { transaction } from "#infra/postgres/transaction.ts"
import { EngineUnusable } from "#ports/EngineUnusable.ts"
import { freePort } from "#test/freePort.ts"
import { freshDatabase } from "#test/postgres.ts"

const program = "/usr/sbin/pgbouncer"

describe.skipIf(!existsSync(program))("a server behind PgBouncer", () => {
  const ended: Array<() => void> = []
  afterAll(() => {
    for (const end of ended) end()
  })

  /** A pooler before a new database, which is known to it under its own name. */
  const pooled = async (mode: string, more: ReadonlyArray<string> = []): Promise<Redacted.Redacted<string>> => {
    const url = new URL(Redacted.value(await Effect.runPromise(freshDatabase)))
    const folder = mkdtempSync(join(tmpdir(), "cairn-pooler-"))
    const port = await freePort()
    const [name, user, password] = [url.pathname.slice(1), url.username, decodeURIComponent(url.password)]
    writeFileSync(join(folder, "users.txt"), `"${user}" "${password}"\n`)
    const settings = [
      "[databases]",
      `${name} = host=${url.hostname} port=${url.port} dbname=${name} user=${user} password=${password}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = scram-sha-256",
      `auth_file = ${join(folder, "users.txt")}`,
      `pool_mode = ${mode}`,
      ...more
    ]
    writeFileSync(join(folder, "pooler.ini"), settings.join("\n"))
    // it refuses to be root, and what it reads is no secret
    const root = process.getuid?.() === 0
    if (root) spawnSync("chown", ["-R", "nobody", folder])
    const child: ChildProcess = spawn(program, [...(root ? ["-u", "nobody"] : []), join(folder, "pooler.ini")], {
      stdio: ["ignore", "ignore", "pipe"]
    })
    ended.push(() => {
      child.kill("SIGKILL")
      rmSync(folder, { recursive: true, force: true })
    })
    let said = ""
    await new Promise<void>((resolve, reject) => {
      child.stderr!.setEncoding("utf8").on("data", (text: string) => {
        said += text
        if (said.includes("process up")) resolve()
      })
      child.once("close", () => reject(new Error(`it ended and had said:\n${said}`)))
    })
    url.port = String(port)
    return Redacted.make(url.href)
  }

  const checked = (url: Redacted.Redacted<string>) => Effect.runPromiseExit(checkServer({ url, ssl: false }))
  const why = (exit: Exit.Exit<void, unknown>) =>
    Exit.isFailure(exit) && exit.cause.reasons[0]?._tag === "Fail" ? exit.cause.reasons[0].error : undefined

  it.each([
    ["takes who became free last", []],
    ["takes turns", ["server_round_robin = 1", "min_pool_size = 3"]],
    ["has one session for all", ["default_pool_size = 1"]]
  ])("in transaction mode is refused, also while others are at work, where it %s", async (_, more) => {
    const url = await pooled("transaction", more)
    const refusals = await Promise.all(Array.from({ length: 6 }, () => checked(url)))
    for (const error of refusals.map(why)) {
      assert.instanceOf(error, EngineUnusable)
      assert.match(
        (error as EngineUnusable).message,
        /^DATABASE_URL .+pool_mode = transaction.+LISTEN.+session$|session\.$/
      )
      assert.notInclude((error as EngineUnusable).message, "\n")
    }
  })

  it("in session mode is none that a service would notice", async () => {
    const url = await pooled("session")
    const exits = await Promise.all(Array.from({ length: 3 }, () => checked(url)))
    assert.deepStrictEqual(exits, Array(3).fill(Exit.void))
  })

  it.each([
    ["refuses", []],
    ["leaves out", ["ignore_startup_parameters = idle_in_transaction_session_timeout,tcp_keepalives_idle"]],
    [
      "leaves out all of",
      [
        "ignore_startup_parameters = idle_in_transaction_session_timeout,tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count,tcp_user_timeout"
      ]
    ]
  ])("that %s what a session begins with has it set by each transaction", async (_, more) => {
    const url = await pooled("session", more)
    const told = Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [found] = yield* sql<{
        said: string
      }>`SELECT current_setting('idle_in_transaction_session_timeout') AS said`
      return found!.said
    })
    const both = Effect.flatMap(PgClient.PgClient, (sql) =>
      Effect.all([sql.withTransaction(told), transaction(sql)(told), told])
    )
    const said = await Effect.runPromise(Effect.scoped(Effect.provide(both, unmigratedOn(url, {}))))
    assert.deepStrictEqual(said, ["30s", "30s", "0"])
  })
})
