import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { replay } from "#src/audit/replay.ts"
import { upToDate } from "#src/cli/log.ts"
import { projections } from "#src/readModels.ts"
import { type EmbeddingsApi, startEmbeddingsApi } from "#test/EmbeddingsApi.ts"
import { filesWith, fillWith, tablesWith } from "#test/erased.ts"
import { type Gates, gatesOn } from "#test/gates.ts"
import { write } from "#test/http/agent.ts"
import { findByName, matches, stored } from "#test/http/store.ts"
import { isLong } from "#test/long.ts"
import { type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { send } from "#test/service/call.ts"
import { startProcess } from "#test/service/process.ts"
import { organization } from "#test/service/tenants.ts"
import { newInstallation, ownerKey, removeInstallation, type Service, startService } from "#test/service.ts"
import { erasing, isOver } from "./gates.ts"

/** In all that the organization has, and in nothing of others. */
const word = "zebrafish"
const waiting = { timeout: 240_000, interval: 20 }

/**
 * Of the steps those at which CI kills it: each start of a process costs a second of the processor, and there are some
 * thirty. Every fifth event, one of them lost and the next one written; of what follows from them what goes over users,
 * over repositories, and over what lies beside the log. What a kill has done again is looked at for all that follows:
 * at the end they see all events anew, in a start that is made anyway.
 */
const sample = "^(event [0-9]*[05]|reactions (erase_users|remove_repositories|erase_embeddings))$"

describe("the erasure of an organization", () => {
  let [model, embeddings]: [MessagesApi | undefined, EmbeddingsApi | undefined] = [undefined, undefined]
  let installation: Awaited<ReturnType<typeof newInstallation>>
  const environment = () => ({
    CAIRN_OWNER_KEY: ownerKey,
    CAIRN_RATE_LIMITS: "off",
    ANTHROPIC_API_KEY: model!.key,
    ANTHROPIC_BASE_URL: model!.url,
    CAIRN_EMBEDDINGS_URL: embeddings!.url,
    CAIRN_EMBEDDINGS_MODEL: "of-a-test",
    CAIRN_EMBEDDINGS_DIMENSIONS: "256",
    CAIRN_EMBEDDINGS_API_KEY: embeddings!.key
  })
  let service: Service | undefined
  let gates: Gates | undefined
  beforeAll(async () => {
    model = await startMessagesApi(({ body }) =>
      body.messages.length === 1 ? write(`${word}.txt`, `dear ${word}\n`) : says(`Done with ${word}.`)
    )
    embeddings = await startEmbeddingsApi(256)
    installation = await newInstallation()
  })
  afterAll(async () => {
    await gates?.close()
    await service?.stop()
    await model?.close()
    await embeddings?.close()
    removeInstallation(installation)
  })

  // in a long run at all of its steps, and before each read model has taken in what was erased
  it("that is killed at each of its steps is whole at the end, and each step was done once", async () => {
    service = await startService(environment(), installation)
    const other = await organization(service, "PRO")
    await stored(other.call, "of_others")
    const { id, key, call } = await organization(service, "ENTERPRISE")
    const workspaces = await fillWith(call, word)
    const { sql } = service
    const count = async (statement: string) => Number((await sql<{ n: string }>(statement))[0]!.n)
    const ofType = (type: string) =>
      count(`SELECT count(*) AS n FROM events WHERE tenant = '${id}' AND type = '${type}'`)
    // what nobody waits for is there, too
    await vi.waitFor(async () => {
      assert.strictEqual(await ofType("UploadStored"), 1)
      assert.isAbove(await ofType("SearchAnswered"), 0)
      const all = await count("SELECT count(*) AS n FROM events WHERE type = 'SnippetUploaded'")
      assert.strictEqual(await count("SELECT count(*) AS n FROM embedded"), all)
    }, waiting)
    assert.isAbove((await tablesWith(sql, word)).length, 5)
    const snippets = await ofType("SnippetUploaded")
    const usage = await call("GET", "/api/workspaces")
    const commits = usage.json.workspaces.reduce((sum: number, one: { commits: number }) => sum + one.commits, 0)
    const repositories = workspaces.map((one) => join(installation.dataDir, "workspaces", `${one}.git`))
    for (const repository of repositories) assert.isTrue(existsSync(repository))
    await service.stop()
    service = undefined

    gates = isLong
      ? await gatesOn(installation, erasing(id, ["reactions", "read_models"]))
      : await gatesOn(installation, erasing(id, ["reactions"]), sample)
    const seen: Array<string> = []
    let asked = false
    for (let round = 0; ; round++) {
      const running = startProcess(installation, environment())
      if (!asked) {
        const [, url] = await running.said(/Cairn is at (http:\S+)/)
        const authorization = { authorization: `Bearer ${key}` }
        const answer = send(url!, "POST", "/api/organization/delete", { slug: word }, authorization).catch(
          () => undefined
        )
        // the first of all is lost with its process, and asked for again
        asked = seen.length > 0
        if (!asked) void answer
      }
      const stopped = await vi.waitFor(async () => {
        const at = await gates!.waiting()
        assert.isTrue(at.length > 0 || (await gates!.query(isOver(id))).length > 0, running.output.text)
        return at
      }, waiting)
      await running.stop(stopped.length === 0 ? "SIGTERM" : "SIGKILL")
      if (stopped.length === 0) break
      seen.push(...stopped)
      // what it was about to write is lost, or is there and nobody heard of it
      await gates.open(stopped, round % 2 === 0 ? "lost" : "written")
    }
    const ofIt = `SELECT count(*)::int AS n FROM events WHERE tenant = '${id}' OR data LIKE '%${id}%'`
    const events = await gates.query(ofIt)
    // as if each of what follows from events had been killed behind all that it did, before its place was kept
    await gates.query("UPDATE reactions SET position = 0 WHERE name NOT LIKE 'retention%'")
    await gates.close()
    gates = undefined
    assert.strictEqual(seen[0], "event 0")
    assert.deepStrictEqual([...new Set(seen)], seen)
    for (const step of [
      "event 5",
      "reactions erase_users",
      "reactions remove_repositories",
      "reactions erase_embeddings"
    ])
      assert.include(seen, step)

    service = await startService(environment(), installation)
    const again = service.sql
    await vi.waitFor(async () => assert.lengthOf(await again(isOver(id)), 1), waiting)
    assert.deepStrictEqual(await again(ofIt), events)
    const told = (await service.as("")("GET", `/api/erasures/${id}`)).json
    assert.deepInclude(told, { state: "erased", left: { snippets: 0, workspaces: 0 } })
    assert.deepInclude(told.erased, { members: 2, keys: 2, snippets, workspaces: 2, commits, chats: 1 })
    for (const type of ["OrganizationErased", "OrganizationErasureEnded"])
      assert.strictEqual(
        await service.sql("SELECT FROM events WHERE type = $1", [type]).then(({ length }) => length),
        1
      )
    const twice = await service.sql(
      `SELECT type, stream FROM events WHERE type IN ('SnippetDeleted', 'WorkspaceErased', 'UploadErased')
       GROUP BY type, stream HAVING count(*) > 1`
    )
    assert.deepStrictEqual(twice, [])
    assert.lengthOf(await service.sql("SELECT FROM events WHERE type = 'SlugFreed' AND data LIKE $1", [`%${id}%`]), 2)

    // nothing of it can be read
    await service.run(upToDate(...projections))
    assert.deepStrictEqual(await tablesWith(service.sql, word), [])
    assert.lengthOf(await service.sql("SELECT FROM payloads WHERE tenant = $1", [id]), 0)
    assert.lengthOf(await service.sql("SELECT FROM embedded"), 1)
    assert.lengthOf(await service.sql("SELECT FROM embeddings"), 1)
    for (const repository of repositories) assert.isFalse(existsSync(repository))
    assert.deepStrictEqual(filesWith(installation.dataDir, word), [])
    const found = await matches(
      service.call,
      "public task",
      { min_verdict_score: 0 },
      { "x-cairn-public-snips": "true" }
    )
    assert.notInclude(JSON.stringify(found), word)
    assert.strictEqual((await service.as(key)("GET", "/api/workspaces")).status, 401)
    assert.isDefined(await findByName(service.as(other.key), "of_others"))
    for (const projection of projections) {
      const { differences } = await service.run(replay(projection, { promote: false, progress: () => undefined }))
      assert.deepStrictEqual(differences, [], projection.name)
    }
  }, 900_000)
})
