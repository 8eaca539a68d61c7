import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ProtocolDouble } from "#test/kurrent/ProtocolDouble.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { from, rowsOf, run, to } from "./command.ts"
import { fill, model, seen, sees } from "./filled.ts"

describe("a service that was moved to KurrentDB, and back", () => {
  const double = new ProtocolDouble()
  let api: MessagesApi
  let installation: TestInstallation
  let service: Service
  const environment = (more: { readonly [name: string]: string } = {}) => ({
    ANTHROPIC_API_KEY: api.key,
    ANTHROPIC_BASE_URL: api.url,
    ...more
  })
  /** What callers hold of the log that they were served from. */
  const held = async () => {
    const page = (await service.call("GET", "/api/events?limit=2")).json
    const { json: keys } = await service.call("POST", "/api/keys/org/list?limit=1")
    return {
      after: page.next_after as string,
      id: page.events[0].position as string,
      cursor: keys.next_cursor as string
    }
  }
  /** Each of them is refused, and named. */
  const refused = async ({ after, id, cursor }: Awaited<ReturnType<typeof held>>) => {
    const { call } = service
    const listed = await call("POST", `/api/keys/org/list?limit=1&cursor=${cursor}`)
    assert.strictEqual(listed.status, 400)
    assert.match(listed.json.message, /^cursor: is none of this list/)
    for (const answer of [
      await call("GET", `/api/events?after=${after}`),
      await call("GET", `/api/events/stream?after=${after}`),
      await call("GET", "/api/events/stream", undefined, { "last-event-id": id })
    ]) {
      assert.strictEqual(answer.status, 400, answer.text)
      assert.match(answer.json.message, /^(after|Last-Event-ID) is a position of another log/)
    }
  }

  beforeAll(async () => {
    await double.start()
    api = await startMessagesApi(model)
    installation = await newInstallation()
  })
  afterAll(async () => {
    await service.stop()
    double.stop()
    await api.close()
    removeInstallation(installation)
  })

  it("answers as before with its log in KurrentDB, does nothing again, and refuses positions that it was told before", async () => {
    service = await startService(environment(), installation)
    await fill(service)
    const before = await seen(service.call)
    const holding = await held()
    await service.stop()
    const asked = api.requests.length

    const target = await Effect.runPromise(freshDatabase)
    const kurrent = { KURRENTDB_URL: double.url }
    const copied = await run(
      { ...from(installation.database), ...to(target), CAIRN_COPY_TO_KURRENTDB: double.url },
      "copy",
      "--json"
    )
    assert.strictEqual(copied.code, 0, copied.err)
    const { database, dataDir } = installation
    const stand = "SELECT name, position FROM reactions ORDER BY name"
    const ours = await rowsOf<{ name: string }>(installation.database, stand)
    const theirs = await rowsOf<{ name: string; position: bigint }>(target, stand)
    const names = [...ours.map(({ name }) => name), "finish_erasures"]
    assert.deepStrictEqual(
      theirs.map(({ name }) => name),
      names.toSorted()
    )
    const [known] = await rowsOf<{ known: bigint }>(target, "SELECT known FROM kurrent_log")
    assert.deepInclude(theirs, { name: "finish_erasures", position: known!.known })
    assert.deepStrictEqual(
      await rowsOf(target, "SELECT secret FROM installation"),
      await rowsOf(database, "SELECT secret FROM installation")
    )
    assert.strictEqual((await run({ ...from(target, dataDir), ...kurrent }, "installation", "adopt")).code, 0)
    installation = { database: target, dataDir }

    service = await startService(environment(kurrent), installation)
    await sees(service.call, before)
    assert.strictEqual(api.requests.length, asked)
    await refused(holding)
    const at = await held()
    assert.match(at.after, /^[a-z]{4}-\d+$/)
    assert.strictEqual((await service.call("POST", `/api/keys/org/list?limit=1&cursor=${at.cursor}`)).status, 200)
    const { status, json } = await service.call("GET", `/api/events?after=${at.id}&limit=1`)
    assert.strictEqual(status, 200)
    assert.strictEqual(json.events[0].position, at.after)
    const asOf = await run({ ...from(target, dataDir), ...kurrent }, "replay", "--as-of", holding.id)
    assert.match(asOf.err, /is a position of another log/)
    assert.deepStrictEqual(double.refused, [])
  })

  it("answers as before, back in Postgres, and all of it is as it was written", async () => {
    const before = await seen(service.call)
    const holding = await held()
    await service.stop()
    const asked = api.requests.length
    const target = await Effect.runPromise(freshDatabase)
    const { database, dataDir } = installation
    const copied = await run({ ...from(database), KURRENTDB_URL: double.url, ...to(target) }, "copy")
    assert.strictEqual(copied.code, 0, copied.err)
    assert.match(copied.out, /Event by event they are equal/)
    assert.strictEqual((await run(from(target, dataDir), "installation", "adopt")).code, 0)
    installation = { database: target, dataDir }
    const verified = await run(from(target, dataDir), "verify")
    assert.strictEqual(verified.code, 0, verified.out)
    service = await startService(environment(), installation)
    await sees(service.call, before)
    assert.strictEqual(api.requests.length, asked)
    await refused(holding)
  })
})
