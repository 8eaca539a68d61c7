import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { schemaOf } from "#engine/Projection.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { type MessagesApi, type MessagesRequest, says, startMessagesApi } from "#test/MessagesApi.ts"
import { newInstallation, ownerKey, removeInstallation, type TestInstallation } from "#test/service.ts"
import { chat, turnOf, write } from "../http/agent.ts"
import { fine, uploading, uploadOf } from "../http/routes.ts"
import { type Call, send } from "./call.ts"
import { startProcess } from "./process.ts"

const promptOf = ({ body }: MessagesRequest): string => String(body.messages[0]!.content)

describe("processes on one log, of which one is killed", () => {
  let installation: TestInstallation
  let api: MessagesApi
  let open: () => void
  /** Until it is opened, the model thinks about a run's second turn. */
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  beforeAll(async () => {
    installation = await newInstallation()
    api = await startMessagesApi((request) =>
      turnOf(request) === 1 ? write(`${promptOf(request)}.txt`) : { ...says("Done."), after: gate }
    )
  })
  afterAll(async () => {
    await Promise.all([...running].map((service) => service.stop()))
    await api.close()
    removeInstallation(installation)
  })

  /** Those that are up: what one test leaves the other goes on with. */
  const running = new Set<Awaited<ReturnType<typeof start>>>()
  const start = async () => {
    const service = startProcess(installation, {
      CAIRN_OWNER_KEY: ownerKey,
      CAIRN_RATE_LIMITS: "off",
      // that another one takes over is to be well within it
      CAIRN_READ_PATIENCE_MS: "20000",
      ANTHROPIC_API_KEY: api.key,
      ANTHROPIC_BASE_URL: api.url
    })
    const [, url] = await service.said(/Cairn is at (http:\S+)/)
    const call: Call = (method, path, body, headers = {}) =>
      send(url!, method, path, body, { authorization: `Bearer ${ownerKey}`, ...headers })
    const its = { ...service, call }
    running.add(its)
    void service.ended.then(() => running.delete(its))
    return its
  }
  const rows = (query: string) =>
    Effect.gen(function* () {
      const connection = yield* PgConnection.make({ url: installation.database, ssl: false })
      return (yield* connection.query(query, [], false)).rows
    }).pipe(Effect.scoped, Effect.runPromise)
  /** Which of some processes has what is called so (an SQL expression) for itself, and the others. */
  const whoHas = async (name: string, services: ReadonlyArray<Awaited<ReturnType<typeof start>>>) => {
    const owners = await rows(
      `SELECT DISTINCT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND a.datname = current_database()
         AND a.application_name LIKE 'cairn process %'
         AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(current_schema() || ' ' || ${name}, 5020719)`
    )
    assert.lengthOf(owners, 1)
    const number = Number(/process (\d+)/.exec(String(owners[0]!["name"]))![1])
    const owner = services.find(({ pid }) => pid === number)
    assert.isDefined(owner)
    return { owner, others: services.filter((one) => one !== owner) }
  }

  it("goes on with its chat elsewhere, from what is recorded, and who asks again gets that one's answer", async () => {
    const services = await Promise.all([start(), start(), start()])
    const again = { "idempotency-key": "a chat" }
    const ask = ({ call }: (typeof services)[number]) =>
      call("POST", "/api/agent-chat", { user_query: "survive", user_id: "ada", org_id: "acme" }, again)
    const first = ask(services[0]!)
    const cut = first.then(
      () => "answered",
      () => "cut"
    )
    await api.arrived(2)
    // most often it is the one that was asked
    const run = "SELECT data::json->>'workspace' FROM events WHERE type = 'ChatRequested'"
    const { owner, others } = await whoHas(`'workspace ' || (${run})`, services)
    const asked = others.map((one) => (one === services[0] ? first : ask(one)))
    await owner.stop("SIGKILL")
    // taken up by one of those that are left, at the turn that was not recorded
    await api.arrived(3)
    open()
    assert.strictEqual(await cut, owner === services[0] ? "cut" : "answered")
    const [answer, same] = (await Promise.all(asked)).map(fine)
    assert.strictEqual(answer.commit, same.commit)
    assert.deepStrictEqual(answer.workspace_files, ["survive.txt"])
    assert.deepStrictEqual(api.requests.map(turnOf), [1, 2, 2])
    assert.lengthOf(await rows("SELECT 1 FROM events WHERE type = 'ChatResumed'"), 1)
    assert.lengthOf(await rows("SELECT 1 FROM events WHERE type IN ('ChatCompleted', 'ChatFailed')"), 1)
    // a later chat builds on it
    assert.lengthOf(fine(await chat(others[0]!.call, "after", "ada")).workspace_files, 2)
  })

  it("leaves its read models to others: what is written while it dies is found at once", async () => {
    const services = running.size > 1 ? [...running] : [await start(), await start()]
    // as of each of them; the others need not be its own
    const { owner, others } = await whoHas(`'read model ${schemaOf(Snippets)}'`, services)
    const other = others[0]!
    const stored = async (name: string) => fine(await other.call("POST", uploading, uploadOf(name)))
    const found = async (name: string) => {
      const { status, headers, json, text } = await other.call("POST", "/api/retrieve/search", { task: `${name} task` })
      assert.strictEqual(status, 200, text)
      assert.isNull(headers.get("cairn-stale"))
      return JSON.stringify(json).includes(`${name}.py`)
    }
    await stored("before")
    assert.isTrue(await found("before"))
    const killed = owner.stop("SIGKILL")
    for (const name of ["first", "second", "third", "fourth"]) {
      await stored(name)
      assert.isTrue(await found(name), name)
    }
    await killed
  })
})
