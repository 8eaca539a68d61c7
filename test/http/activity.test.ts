import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Asker } from "#engine/ask.ts"
import { Activity } from "#projections/Activity.ts"
import { organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { Cairn, PermissionDeniedError } from "../../clients/typescript/src/index.ts"

let service: Service
const clientFor = (apiKey = ownerKey) => new Cairn({ apiKey, baseUrl: service.url, maxRetries: 0 })
const sum = (hours: ReadonlyArray<object>) => {
  const total: { [kind: string]: number } = {}
  for (const hour of hours)
    for (const [kind, count] of Object.entries(hour)) if (kind !== "at") total[kind] = (total[kind] ?? 0) + count
  return total
}

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

describe("activity", () => {
  it("counts what happened, hour by hour, as soon as it has", async () => {
    const cairn = clientFor()
    const { codeBlockId } = await cairn.snippets.create({
      name: "rows",
      source: "rows = 1\n",
      entrypoint: "rows",
      language: "python",
      description: "parse a CSV file"
    })
    await cairn.snippets.vote({ codeBlockId, task: "t", succeeded: true })
    await cairn.snippets.vote({ codeBlockId, task: "u", succeeded: false })
    await cairn.snippets.comment(codeBlockId, "good")
    await cairn.executions.record({ codeBlockId, triggeringTask: "t", inputData: {}, outputData: 1 })
    await cairn.chat("parse a CSV file", { user: "ada", org: "acme", model: "local" })
    const found = await cairn.system.activity()
    assert.isAtMost(Date.parse(found.since), Date.parse(found.until))
    assert.deepInclude(sum(found.hours), {
      uploads: 1,
      votesFor: 1,
      votesAgainst: 1,
      comments: 1,
      executions: 1,
      chats: 1,
      chatsFailed: 0
    })
    for (const { at } of found.hours) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/)
    assert.strictEqual(found.pendingGradings, 0)
    const before = await cairn.system.activity({ until: new Date(Date.now() - 7_200_000).toISOString() })
    assert.deepStrictEqual(before.hours, [])
  })

  it("is another organization's own, and its owners' and admins' alone", async () => {
    const other = await organization(service, "ENTERPRISE")
    assert.deepStrictEqual((await clientFor(other.key).system.activity()).hours, [])
    const { key } = await clientFor().keys.create({ email: "m@example.org", keyName: "m", role: "member" })
    const error = await clientFor(key)
      .system.activity()
      .then(
        () => undefined,
        (error: unknown) => error
      )
    assert.instanceOf(error, PermissionDeniedError)
  })

  it("is refused where there is no such time, or too much of it", async () => {
    const outside = ["since=0000-01-01&until=0000-01-02", "until=9999-12-31T23:59:59-05:00"]
    for (const query of ["since=2026-13-01", "since=2020-01-01", "since=2030-01-01", "until=yesterday", ...outside]) {
      const answer = await fetch(`${service.url}/api/activity?${query}`, {
        headers: { authorization: `Bearer ${ownerKey}` }
      })
      assert.strictEqual(answer.status, 400, query)
    }
  })

  it("is of any hour that four digits write, and a time without a zone is in UTC", async () => {
    const since = { since: "2026-01-31T12:00", until: "2026-01-31T13:00:00" }
    const told = await clientFor().system.activity(since)
    assert.deepStrictEqual([told.since, told.until], ["2026-01-31T12:00:00.000Z", "2026-01-31T13:00:00.000Z"])
    for (const day of ["0001-01-01", "9999-12-31"])
      assert.deepStrictEqual((await clientFor().system.activity({ since: day, until: day })).hours, [])
    // the day before it would begin before there are times
    const first = await clientFor().system.activity({ until: "0001-01-01T00:30:00Z" })
    assert.strictEqual(first.since, "0001-01-01T00:00:00.000Z")
  })

  it("goes with its organization: no row of an erased one is left", () => {
    assert.hasAllKeys(Activity.tables.hours.drops, ["OrganizationErased", "OrganizationErasureEnded"])
  })
})

describe("the service's status", () => {
  it("says what it is and how far all of it is", async () => {
    const status = await clientFor().system.status()
    assert.strictEqual(status.version, "0.1.0")
    assert.isAtMost(Date.parse(status.startedAt), Date.now())
    assert.match(status.runtime, /^(Deno|Node) \d/)
    assert.deepStrictEqual(status.missing, [])
    const names = status.readModels.map(({ name }) => name)
    assert.includeMembers(names, ["keys", "snippets", "activity"])
    for (const { fault, position } of status.readModels) {
      assert.strictEqual(fault, null)
      assert.notStrictEqual(position, null)
    }
    assert.strictEqual(status.search.fault, null)
    assert.deepStrictEqual(status.chats, { running: 0, waiting: 0 })
  })

  it("says of each model that can be named when it answered, and asks none only to see", async () => {
    const before = (await clientFor().system.status()).models
    assert.includeMembers(
      before.map(({ name }) => name),
      ["local"]
    )
    assert.deepStrictEqual((await clientFor().system.status()).models, before)
    const began = Date.now()
    await clientFor().workspaces.chat("Say hello", { user: "ada", org: "acme", model: "local" })
    const local = (await clientFor().system.status()).models.find(({ name }) => name === "local")
    assert.isAtLeast(Date.parse(local!.answeredAt!), began)
    assert.isNull(local!.failedAt)
  })

  it("looks at the read models once, beside the look for its key", async () => {
    const asker = (await service.run(Asker)) as { look: Effect.Effect<unknown, unknown> }
    const { look } = asker
    let looks = 0
    const during = async (call: () => PromiseLike<unknown>) => {
      looks = 0
      await call()
      return looks
    }
    asker.look = Effect.andThen(
      Effect.sync(() => looks++),
      look
    )
    try {
      const ofAnyCall = await during(() => clientFor().system.access())
      assert.strictEqual(await during(() => clientFor().system.status()), ofAnyCall + 1)
    } finally {
      asker.look = look
    }
  })

  it("is the operator's alone: another organization's owner is refused", async () => {
    const other = await organization(service, "ENTERPRISE")
    const answer = await fetch(`${service.url}/api/admin/status`, { headers: { authorization: `Bearer ${other.key}` } })
    assert.strictEqual(answer.status, 403)
    assert.strictEqual(((await answer.json()) as { code: string }).code, "permission/operator_required")
  })
})
