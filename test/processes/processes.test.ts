import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Postgres from "#infra/postgres/client.ts"
import { hasNginx, startNginx } from "#test/deploy/nginx.ts"
import { startModel } from "#test/e2e/kill/agent.ts"
import { Ledger } from "#test/e2e/kill/Ledger.ts"
import { checkAnswers, checkOrder, checkRuns, checkVotes, type Sql } from "#test/e2e/kill/log.ts"
import { type ServiceProcess, startService, until } from "#test/e2e/kill/process.ts"
import { checkRepositories, checkWorkspaces } from "#test/e2e/kill/repositories.ts"
import { freePort } from "#test/freePort.ts"
import { noGit } from "#test/infra/git/git.ts"
import { isLong } from "#test/long.ts"
import { freshDatabase } from "#test/postgres.ts"
import { startCli } from "#test/service/process.ts"
import { Clients } from "./Clients.ts"
import { checkTurns } from "./runs.ts"

/**
 * How long processes are killed for, one after another, each of them once at least; what clients have begun then is
 * carried out. CI leaves it at the once: what is lost or doubled at few of many kills is for nights.
 */
const seconds = isLong ? 120 : 0
const processes = Number(process.env["CAIRN_TEST_PROCESSES"] || (isLong ? 4 : 3))
const minutes = 60_000

describe.skipIf(!hasNginx || noGit)(
  `${processes} processes behind nginx, killed one after another, each of them once at least`,
  () => {
    const dataDir = mkdtempSync(join(tmpdir(), "cairn-processes-"))
    const ledger = new Ledger()
    const services: Array<ServiceProcess> = []
    const ports: Array<number> = []
    let holding = true
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let database: Redacted.Redacted
    let model: Awaited<ReturnType<typeof startModel>>
    let nginx: Awaited<ReturnType<typeof startNginx>>
    let clients: Clients
    let kills = 0
    let lasted = 0
    /** By processes that were killed. */
    const said: Array<string> = []
    let sql: Sql
    let stopAsking = async () => {}
    let done = false

    const start = async (n: number) => {
      const environment = {
        DATABASE_URL: Redacted.value(database),
        PORT: String(ports[n]),
        CAIRN_DATABASE_CONNECTIONS: "6",
        // longer than any process is gone: no search has to say that it is behind
        CAIRN_READ_PATIENCE_MS: "30000"
      }
      services[n] = await startService(dataDir, model, environment)
    }

    beforeAll(async () => {
      database = await Effect.runPromise(freshDatabase)
      model = await startModel((word, turn) => holding && ledger.holds(word, turn), held)
      for (let n = 0; n < processes; n++) ports.push(await freePort())
      // all at once, on a database that is new
      await Promise.all(ports.map((_, n) => start(n)))
      const runtime = ManagedRuntime.make(Postgres.layer(database, { connections: 3 }))
      sql = (statement, parameters = []) =>
        runtime.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement, parameters)))
      stopAsking = () => runtime.dispose()
      // whoever comes next, and nobody twice
      const edit = (_: string, text: string) => text.replace(/^ *least_conn;\n/m, "")
      nginx = await startNginx({ services: ports, edit })
      clients = new Clients(nginx.url, ledger)
    }, 10 * minutes)

    afterAll(async () => {
      await nginx?.close()
      await Promise.all(services.map((service) => service.kill()))
      await stopAsking()
      await model?.close()
      rmSync(dataDir, { recursive: true, force: true })
    })

    const told = () => {
      const { searches, stale, deleted, again } = clients
      const kinds = (["upload", "vote", "chat"] as const).map((kind) => `${ledger.of(kind).length} ${kind}s`)
      const took = searches.toSorted((a, b) => a - b)
      const [p50, p99] = [0.5, 0.99].map((share) => took[Math.floor(share * took.length)]?.toFixed(0))
      return (
        `${processes} processes, ${kills} times kill -9 in ${(lasted / 1000).toFixed(0)} s: ${kinds.join(", ")}, ${deleted.length} deletions; ` +
        `${took.length} searches, p50 ${p50} ms, p99 ${p99} ms, ${stale} of them stale; ` +
        `${again} requests sent again`
      )
    }

    const test = (name: string, limit: number, check: () => Promise<unknown>) =>
      it(
        name,
        async () => {
          assert.isTrue(done, "what comes before has failed")
          await check()
        },
        limit * minutes
      )

    it(
      "answer 32 clients, who find what they have stored, and not what they have deleted",
      async () => {
        const over = clients.run()
        const since = performance.now()
        while (kills < processes || performance.now() - since < seconds * 1000) {
          const n = kills % processes
          await new Promise((resolve) => setTimeout(resolve, 1000 + Math.random() * 1000))
          await services[n]!.kill()
          said.push(services[n]!.output())
          kills += 1
          await start(n)
        }
        lasted = performance.now() - since
        clients.end()
        // a model that never answers holds its run until the process that has it is killed
        holding = false
        letGo()
        let ended = false
        void over.then(() => {
          ended = true
        })
        await until(
          () => ended,
          () => `clients are not answered: ${ledger.unanswered.map(({ kind, word }) => `${kind} ${word}`).join(", ")}`,
          5 * minutes
        )
        console.log(told())
        assert.deepStrictEqual(clients.defects, [])
        assert.strictEqual(clients.stale, 0, "searches that did not wait for what was written before them")
        done = true
      },
      (seconds / 60 + 10) * minutes
    )

    test("lose and double nothing that was acknowledged", 2, async () => {
      await checkOrder(
        sql,
        clients.deleted.map(({ snippet }) => snippet!)
      )
      // all began at once, on a database without any
      assert.lengthOf(await sql("SELECT 1 FROM events WHERE type = 'OrganizationRegistered'"), 1)
      await checkAnswers(sql, [...ledger.operations, ...clients.deleted])
      await checkVotes(sql, ledger)
    })

    test("end every run once, and ask the model once for each turn", 2, async () => {
      assert.strictEqual(await checkRuns(sql), ledger.of("chat").length, "each chat is one run, however often sent")
      const warned = [...said, ...services.map((service) => service.output())].flatMap(
        (text) => text.match(/^.*(?:WARN|ERROR).*$/gm) ?? []
      )
      const resumed = await checkTurns(sql, ledger.of("chat"), model.requests).catch((error) => {
        console.log(warned.join("\n"))
        throw error
      })
      console.log(`${resumed} runs taken up`)
    })

    test("keep what each run left, in sound repositories", 5, async () => {
      await checkWorkspaces(sql, nginx.url, ledger.of("chat"))
      await checkRepositories(sql, dataDir)
    })

    test("have the read models that the log gives", 5, async () => {
      const verifying = startCli({ database, dataDir }, "verify")
      assert.strictEqual(await verifying.ended, 0, verifying.output.text)
    })
  }
)
