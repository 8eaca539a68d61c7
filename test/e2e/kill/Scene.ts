import { rmSync } from "node:fs"
import { Effect, type Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { tool } from "#src/commandLine.ts"
import { startModel } from "./agent.ts"
import { Ledger } from "./Ledger.ts"
import { checkAnswers, checkOrder, checkVotes, type Sql } from "./log.ts"
import {
  greeted,
  isAlive,
  killProcess,
  newDataFolder,
  postmasterOf,
  type ServiceProcess,
  startService,
  until
} from "./process.ts"
import { Workload } from "./Workload.ts"

type Tool = Layer.Success<ReturnType<typeof tool>>

const upTo = (limit: number) => Math.floor(Math.random() * limit)

/** What a round waits for comes within minutes, or never: then it is said how far its clients came. */
const soon = async (waiting: Promise<unknown>, { acknowledged, defects }: Workload): Promise<void> => {
  const late = Promise.withResolvers<never>()
  const say = () => late.reject(new Error(`nothing more comes: ${JSON.stringify({ acknowledged, defects })}`))
  const timer = setTimeout(say, 240_000)
  await Promise.race([waiting, late.promise]).finally(() => clearTimeout(timer))
}

/** One data folder, the service that is started on it again and again, and what its clients have sent. */
export class Scene {
  readonly dataDir = newDataFolder()
  readonly ledger = new Ledger()
  /** Milliseconds that each start took. */
  readonly startups: Array<number> = []
  /** Answers that name a fault of the service, while Postgres ran. */
  readonly defects: Array<string> = []
  /** The same while it did not. */
  readonly outages: Array<string> = []
  model: Awaited<ReturnType<typeof startModel>> | undefined
  service: ServiceProcess | undefined

  async start(holding: boolean): Promise<ServiceProcess> {
    await this.model?.close()
    this.model = await startModel((word, turn) => holding && this.ledger.holds(word, turn))
    this.service = await startService(this.dataDir, this.model)
    this.startups.push(this.service.startup)
    return this.service
  }

  async close(): Promise<void> {
    await this.model?.close()
    await this.service?.stop()
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  /** Runs with what the command line stands on, beside the running service. */
  async beside<A>(use: (run: <B, E>(effect: Effect.Effect<B, E, Tool>) => Promise<B>) => Promise<A>): Promise<A> {
    const runtime = ManagedRuntime.make(tool({ dataDir: this.dataDir, databaseUrl: undefined }))
    try {
      return await use((effect) => runtime.runPromise(effect))
    } finally {
      await runtime.dispose()
    }
  }

  withSql<A>(use: (sql: Sql) => Promise<A>): Promise<A> {
    return this.beside((run) =>
      use((statement, parameters = []) =>
        run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement, parameters)))
      )
    )
  }

  /**
   * One round: a start, a look at what is there, work of many clients, and the kill in the middle of it. Now and then
   * Postgres is killed as well: its backends while the service goes on, or all of it together with the service.
   */
  async play(round: number): Promise<void> {
    const { url, kill } = await this.start(true)
    await this.withSql(async (sql) => {
      await checkOrder(sql)
      await checkVotes(sql, this.ledger)
      await checkAnswers(sql, this.ledger.operations.slice(-300))
    })
    const workload = new Workload(url, this.ledger)
    const over = workload.run(round)
    if (round % 7 === 0) {
      const votes = 1 + upTo(10)
      await soon(Promise.race([over, workload.reached(({ vote }) => vote >= votes)]), workload)
      await this.#killBackends()
    }
    await soon(Promise.race([over, this.#trigger(round, workload)]), workload)
    workload.end()
    const postmaster = postmasterOf(this.dataDir)
    const killed = kill()
    if (round % 5 === 0) process.kill(postmaster, "SIGKILL")
    await over
    await this.#endedWith(await killed)
    const found = workload.defects.map((defect) => `round ${round}: ${defect}`)
    ;(round % 7 === 0 ? this.outages : this.defects).push(...found)
    if (round % 6 === 0) {
      // also one that has just begun to take up what was left
      const again = await greeted(this.dataDir, this.model!)
      await this.#endedWith(await again.kill())
    }
  }

  /** What ends a round: some answers, some finished runs, or a run somewhere in its middle; and a moment. */
  async #trigger(round: number, workload: Workload): Promise<void> {
    const count = 1 + upTo(80)
    if (round % 3 === 0) {
      await workload.reached(({ upload, vote, chat, key }) => upload + vote + chat + key >= count)
    } else if (round % 3 === 1) await workload.reached(({ chat }) => chat >= 1 + (count % 4))
    else await this.model!.arrived(1 + (count % 12))
    await new Promise((resolve) => setTimeout(resolve, upTo(30)))
  }

  /** What a killed service had started ends with it; Postgres alone goes on. */
  #endedWith(children: ReadonlyArray<number>): Promise<void> {
    const left = () => children.filter((pid) => pid !== postmasterOf(this.dataDir) && isAlive(pid))
    return until(
      () => left().length === 0,
      () => `processes of the killed service go on: ${left()}`
    )
  }

  #killBackends(): Promise<void> {
    return this.withSql(async (sql) => {
      const backends = await sql<{ readonly pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
      )
      // the postmaster ends the others at once when it hears of the first
      for (const { pid } of backends) killProcess(pid)
    })
  }
}
