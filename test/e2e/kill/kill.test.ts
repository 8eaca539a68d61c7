import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { beginning } from "#engine/Position.ts"
import { typesOf } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { replay } from "#src/audit/replay.ts"
import { projections } from "#src/readModels.ts"
import { noGit } from "#test/infra/git/git.ts"
import { isLong } from "#test/long.ts"
import { findSnippet, post } from "./calls.ts"
import { checkAnswers, checkOrder, checkRuns, checkVotes } from "./log.ts"
import { isAlive, postmasterOf, until } from "./process.ts"
import { checkRepositories, checkWorkspaces } from "./repositories.ts"
import { Scene } from "./Scene.ts"
import { Workload } from "./Workload.ts"

/**
 * Rounds by their number, which says of which kinds they are (`Scene.play`): the fifth, sixth and seventh are one of
 * each. CI leaves out the others, which are the same kinds at other moments.
 */
const numbers =
  process.env["CAIRN_KILL_ROUNDS"] || isLong
    ? Array.from({ length: Number(process.env["CAIRN_KILL_ROUNDS"] || 20) }, (_, index) => index + 1)
    : [5, 6, 7]
const rounds = numbers.length
const minutes = 60_000

describe(`a service that is killed ${rounds} times`, () => {
  const scene = new Scene()
  const { dataDir, ledger } = scene
  let seconds = 0
  let cutOff = 0
  let done = true

  afterAll(() => scene.close())

  const test = (name: string, limit: number, check: () => Promise<unknown>, skip = false) =>
    it.live.skipIf(skip)(
      name,
      () =>
        Effect.promise(async () => {
          assert.isTrue(done, "what comes before has failed")
          await check()
        }),
      limit * minutes
    )
  /** What the others look at the outcome of: without it they have nothing to say. */
  const step = (name: string, limit: number, take: () => Promise<unknown>) =>
    it.live(
      name,
      () =>
        Effect.promise(async () => {
          assert.isTrue(done, "what comes before has failed")
          done = false
          await take()
          done = true
        }),
      limit * minutes
    )

  step("comes back each time, with all that it had acknowledged", Math.max(5, rounds), async () => {
    const started = performance.now()
    for (const round of numbers) {
      await scene.play(round).catch((error) => {
        throw new Error(`round ${round} of ${numbers}; the service said:\n${scene.service?.output()}`, { cause: error })
      })
    }
    seconds = (performance.now() - started) / 1000
    assert.deepStrictEqual(scene.defects, [])
  })

  test("ends every run that it was killed in, though nobody asks again", 5, async () => {
    await scene.start(false)
    await scene.withSql(async (sql) => {
      await checkVotes(sql, ledger)
      const open = async () => (await sql("SELECT id FROM workspaces_v5.runs")).length
      await until(
        async () => (await open()) === 0,
        () => `runs have not ended; the service said:\n${scene.service?.output()}`,
        2 * minutes
      )
      await checkRuns(sql)
    })
  })

  step("answers what was cut off when it comes again", 5, async () => {
    const workload = new Workload(scene.service!.url, ledger)
    const { unanswered } = ledger
    cutOff = unanswered.length
    await Promise.all(unanswered.map((operation) => workload.deliver(operation)))
    assert.deepStrictEqual([ledger.unanswered, workload.defects], [[], []])
  })

  test("has a log without gap or repeat, and in it every answer", 1, () =>
    scene.withSql(async (sql) => {
      await checkOrder(sql)
      await checkAnswers(sql, ledger.operations)
      assert.strictEqual(await checkRuns(sql), ledger.of("chat").length, "each chat is one run, however often sent")
    })
  )

  test("finds every upload, and counts every vote once", 2, async () => {
    await scene.withSql((sql) => checkVotes(sql, ledger))
    for (const { word, snippet } of ledger.of("upload").slice(-500)) {
      const { match, text } = await findSnippet(scene.service!.url, word)
      assert.isDefined(match, `${word} is not found: ${text}`)
      if (snippet !== undefined) assert.strictEqual(match!.code_block.id, snippet)
    }
  })

  test("lists every key, once", 1, async () => {
    const { json } = await post(scene.service!.url, "/api/keys/org/list", {})
    const names: ReadonlyArray<string> = json.keys.map(({ name }: { readonly name: string }) => name)
    assert.sameMembers(
      names.filter((name) => name !== "owner"),
      ledger.of("key").map(({ word }) => word)
    )
  })

  test("keeps what each run left, in one commit each", 5, () =>
    scene.withSql((sql) => checkWorkspaces(sql, scene.service!.url, ledger.of("chat")))
  )

  test(
    "has sound repositories whose refs are where the log says",
    5,
    () => scene.withSql((sql) => checkRepositories(sql, dataDir)),
    noGit
  )

  test("has the read models that the log gives", 5, () =>
    scene.beside(async (run) => {
      for (const projection of projections) {
        const { differences, events } = await run(replay(projection, { promote: false, progress: () => {} }))
        assert.deepStrictEqual(differences, [], projection.name)
        // what nobody does here has no events
        const types = typesOf(projection)
        const some = await run(Effect.flatMap(EventStore, (store) => store.readAll(beginning, { types, limit: 1 })))
        assert.strictEqual(events > 0, some.events.length > 0, projection.name)
      }
    })
  )

  test("says what happened, and ends with its Postgres", 1, async () => {
    const [counts] = await scene.withSql((sql) =>
      sql<{ readonly resumed: number; readonly failed: number }>(
        `SELECT count(DISTINCT stream) FILTER (WHERE type = 'ChatResumed')::int AS resumed,
           count(*) FILTER (WHERE type = 'ChatFailed')::int AS failed FROM events`
      )
    )
    const { resumed, failed } = counts!
    const kinds = (["upload", "vote", "chat", "key"] as const).map((kind) => `${ledger.of(kind).length} ${kind}s`)
    const again = ledger.operations.filter(({ sends }) => sends > 1).length
    const startups = [...scene.startups].sort((a, b) => a - b).map((startup) => `${(startup / 1000).toFixed(1)} s`)
    console.log(
      `kill -9: ${rounds} rounds in ${seconds.toFixed(0)} s; acknowledged ${ledger.operations.length} (${kinds.join(", ")}), ` +
        `${again} of them sent again, ${cutOff} after the last round; ${resumed} runs resumed, ${failed} given up; ` +
        `ready in ${startups[startups.length >> 1]}, at most ${startups.at(-1)}; ` +
        `answers 500 while Postgres was down: ${scene.outages.length}`
    )
    assert.isAbove(resumed, 0)
    const postmaster = postmasterOf(dataDir)
    await scene.service!.stop()
    await until(
      () => !isAlive(postmaster),
      () => "Postgres goes on"
    )
  })
})
