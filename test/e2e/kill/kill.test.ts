import { rmSync } from "node:fs"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import * as Layers from "#src/layers.ts"
import { replay } from "#src/replay.ts"
import { noGit } from "#test/infra/git/git.ts"
import { startModel } from "./agent.ts"
import { findSnippet, post } from "./calls.ts"
import { Ledger } from "./Ledger.ts"
import { checkAnswers, checkOrder, checkRuns, checkVotes, type Sql } from "./log.ts"
import { greeted, isAlive, newDataFolder, postmasterOf, type ServiceProcess, startService, until } from "./process.ts"
import { checkRepositories, checkWorkspaces } from "./repositories.ts"
import { Workload } from "./Workload.ts"

const rounds = Number(process.env["CAIRN_KILL_ROUNDS"] ?? 20)
const minutes = 60_000

const dataDir = newDataFolder()
const ledger = new Ledger()
const startups: Array<number> = []
const defects: Array<string> = []
const upTo = (limit: number) => Math.floor(Math.random() * limit)
const soon = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, upTo(milliseconds)))

const holds = (word: string, turn: number): boolean => {
  const chat = ledger.of("chat").find((chat) => chat.word === word)
  if (chat === undefined || chat.holdAt !== turn) return false
  chat.holdAt = undefined
  return true
}

/** Everything that the command line stands on, beside the service. */
const beside = () => ManagedRuntime.make(Layers.tool({ dataDir, databaseUrl: undefined }))

const withSql = async <A>(use: (sql: Sql) => Promise<A>): Promise<A> => {
  const runtime = beside()
  try {
    return await use((statement, parameters = []) =>
      runtime.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement, parameters)))
    )
  } finally {
    await runtime.dispose()
  }
}

/** What a killed service had started ends with it; Postgres alone goes on. */
const endedWith = (children: ReadonlyArray<number>) => {
  const left = () => children.filter((pid) => pid !== postmasterOf(dataDir) && isAlive(pid))
  return until(
    () => left().length === 0,
    () => `processes of the killed service go on: ${left()}`
  )
}

const killBackends = () =>
  withSql(async (sql) => {
    const backends = await sql<{ readonly pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    for (const { pid } of backends) {
      // the postmaster ends the others at once when it hears of the first
      if (isAlive(pid)) process.kill(pid, "SIGKILL")
    }
  })

describe(`a service that is killed, ${rounds} times`, () => {
  let model: Awaited<ReturnType<typeof startModel>> | undefined
  let service: ServiceProcess | undefined
  let seconds = 0
  let resent = 0
  let [played, settled] = [false, false]

  const start = async (holding = holds) => {
    model = await startModel(holding)
    service = await startService(dataDir, model)
    startups.push(service.startup)
    return service
  }
  const stopModel = async () => {
    await model?.close()
    model = undefined
  }

  afterAll(async () => {
    await stopModel()
    await service?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** What ends a round: some answers, some finished runs, or a run somewhere in its middle. */
  const triggers = [
    (workload: Workload) => {
      const count = 1 + upTo(80)
      return workload.reached(({ upload, vote, chat, key }) => upload + vote + chat + key >= count)
    },
    (workload: Workload) => {
      const count = 1 + upTo(4)
      return workload.reached(({ chat }) => chat >= count)
    },
    () => model!.arrived(1 + upTo(12))
  ]

  const play = async (round: number) => {
    const { url, kill } = await start()
    await withSql((sql) => checkOrder(sql).then(() => checkVotes(sql, ledger)))
    await withSql((sql) => checkAnswers(sql, ledger.operations.slice(-300)))
    const workload = new Workload(url, ledger)
    const over = workload.run(round)
    if (round % 7 === 0) {
      const votes = 1 + upTo(10)
      await Promise.race([over, workload.reached(({ vote }) => vote >= votes)])
      await killBackends()
    }
    await Promise.race([over, triggers[round % triggers.length]!(workload).then(() => soon(30))])
    workload.end()
    const postmaster = postmasterOf(dataDir)
    const killed = kill()
    if (round % 5 === 0) process.kill(postmaster, "SIGKILL")
    await over
    await endedWith(await killed)
    defects.push(...workload.defects.map((defect) => `round ${round}: ${defect}`))
    // also one that has just begun to take up what was left
    if (round % 6 === 0) {
      const again = await greeted(dataDir, model!)
      await endedWith(await again.kill())
    }
    await stopModel()
  }

  const test = (name: string, limit: number, check: () => Promise<unknown>) =>
    it.live(name, () => Effect.promise(check), limit * minutes)
  /** On what the rounds have left. */
  const then = (name: string, limit: number, check: () => Promise<unknown>) =>
    test(name, limit, async () => {
      assert.isTrue(settled, "the rounds did not come to their end")
      await check()
    })

  test("comes back each time, with all that it had acknowledged", Math.max(5, rounds / 4), async () => {
    const started = performance.now()
    for (let round = 1; round <= rounds; round++) {
      await play(round).catch((error) => {
        throw new Error(`round ${round} of ${rounds}; the service said:\n${service?.output()}`, { cause: error })
      })
    }
    seconds = (performance.now() - started) / 1000
    assert.deepStrictEqual(defects, [])
    played = true
  })

  test("takes what was cut off when it comes again, and ends every run", 5, async () => {
    assert.isTrue(played, "the rounds failed")
    const { url } = await start(() => false)
    await withSql((sql) => checkVotes(sql, ledger))
    const workload = new Workload(url, ledger)
    resent = ledger.unanswered.length
    await Promise.all(ledger.unanswered.map((operation) => workload.deliver(operation)))
    assert.deepStrictEqual(ledger.unanswered, [])
    await withSql(async (sql) => {
      const open = async () => (await sql("SELECT id FROM workspaces_v1.runs")).length
      await until(
        async () => (await open()) === 0,
        () => "runs have not ended",
        minutes
      )
    })
  })

  then("has a log without gap or repeat, and in it every answer", 1, () =>
    withSql(async (sql) => {
      await checkOrder(sql)
      await checkAnswers(sql, ledger.operations)
      await checkRuns(sql, ledger.of("chat").length)
    })
  )

  then("finds every upload, and counts every vote once", 2, async () => {
    await withSql((sql) => checkVotes(sql, ledger))
    const uploads = ledger.of("upload")
    for (const { word, snippet } of uploads.length > 500 ? uploads.slice(-500) : uploads) {
      const { match, text } = await findSnippet(service!.url, word)
      assert.isDefined(match, `${word} is not found: ${text}`)
      if (snippet !== undefined) assert.strictEqual(match!.code_block.id, snippet)
    }
  })

  then("lists every key", 1, async () => {
    const { json } = await post(service!.url, "/api/keys/org/list", {})
    const names = json.keys.map(({ name }: { readonly name: string }) => name)
    assert.sameMembers(
      names.filter((name: string) => name !== "owner"),
      ledger.of("key").map(({ word }) => word)
    )
  })

  then("keeps what each run left, in one commit each", 5, () =>
    withSql((sql) => checkWorkspaces(sql, service!.url, ledger.of("chat")))
  )

  it.live.skipIf(noGit)(
    "has sound repositories whose refs are where the log says",
    () => Effect.promise(() => withSql((sql) => checkRepositories(sql, dataDir))),
    5 * minutes
  )

  then("has the read models that the log gives", 5, async () => {
    const runtime = beside()
    try {
      for (const projection of Layers.projections) {
        const options = { promote: false, progress: () => {} }
        const { differences, events } = await runtime.runPromise(replay(projection, options))
        assert.deepStrictEqual(differences, [], projection.name)
        assert.isAbove(events, 0, projection.name)
      }
    } finally {
      await runtime.dispose()
    }
  })

  then("says what happened, and ends with its Postgres", 1, async () => {
    const postmaster = postmasterOf(dataDir)
    const [{ resumed }] = (await withSql((sql) =>
      sql<{ readonly resumed: number }>(
        "SELECT count(DISTINCT stream)::int AS resumed FROM events WHERE type = 'ChatResumed'"
      )
    )) as [{ readonly resumed: number }]
    const count = (kind: "upload" | "vote" | "chat" | "key") => `${ledger.of(kind).length} ${kind}s`
    const kinds = (["upload", "vote", "chat", "key"] as const).map(count).join(", ")
    const startup = [...startups].sort((a, b) => a - b)
    console.log(
      `kill -9: ${rounds} rounds in ${seconds.toFixed(0)} s; acknowledged ${ledger.operations.length} (${kinds}), ` +
        `${ledger.operations.filter(({ sends }) => sends > 1).length} of them sent again (${resent} after the last round); ` +
        `${resumed} runs resumed; ready in ${(startup[startup.length >> 1]! / 1000).toFixed(1)} s (median), ` +
        `${(startup.at(-1)! / 1000).toFixed(1)} s (slowest)`
    )
    assert.isAbove(resumed, 0)
    await service!.stop()
    await until(
      () => !isAlive(postmaster),
      () => "Postgres goes on"
    )
  })
})
