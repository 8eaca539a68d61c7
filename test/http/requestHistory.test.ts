import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeRequestHistory } from "#src/http/observed/history.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { Cairn, type RequestHistory } from "../../clients/typescript/src/index.ts"
import { refused } from "./problem.ts"

const minute = 60_000
const began = Date.parse("2026-11-21T09:30:20.000Z")

describe("requests of a process's last day", () => {
  it("are counted by the minute and by what their status says", () => {
    const history = makeRequestHistory(began)
    for (const status of [200, 204, 302, 404, 429, 499, 500, 503]) history.count(status, began)
    history.count(200, began + minute)
    const at = Date.parse("2026-11-21T09:30:00.000Z")
    assert.deepStrictEqual(history.told(began + minute), {
      since: began,
      minutes: [
        { at, answered: 3, refused: 2, failed: 2, left: 1 },
        { at: at + minute, answered: 1, refused: 0, failed: 0, left: 0 }
      ]
    })
  })

  it("are forgotten after a day, and take no more room than that", () => {
    const history = makeRequestHistory(began)
    const days = 3 * 1_440
    for (let past = 0; past < days; past++) history.count(200, began + past * minute)
    const now = began + (days - 1) * minute
    const { since, minutes } = history.told(now)
    assert.lengthOf(minutes, 1_440)
    assert.strictEqual(since, minutes[0]!.at)
    assert.strictEqual(minutes.at(-1)!.at, Math.floor(now / minute) * minute)
    assert.strictEqual(history.size(), 1_440)
    // after a silence of a week what was before it is told no more
    assert.isEmpty(history.told(now + 7 * 1_440 * minute).minutes)
  })
})

describe("a service's requests", () => {
  let service: Service
  const cairn = () => new Cairn({ apiKey: ownerKey, baseUrl: service.url, maxRetries: 0 })
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  const sumOf = ({ minutes }: RequestHistory) => {
    const sum = { answered: 0, refused: 0 }
    for (const { answered, refused: one } of minutes) {
      sum.answered += answered
      sum.refused += one
    }
    return sum
  }

  it("are counted however they end, but for looks at its health, and nothing of a caller's is told", async () => {
    const before = await cairn().system.requests()
    for (let times = 0; times < 3; times++) await service.call("GET", "/health")
    await service.call("GET", "/api/models")
    await service.call("GET", "/api/snippets/somebody@example.org/functions")
    await service.as("no key of ours")("GET", "/api/models")
    const now = await cairn().system.requests()
    // the look before is one of those that were answered since
    assert.deepStrictEqual(sumOf(now), { answered: sumOf(before).answered + 2, refused: sumOf(before).refused + 2 })
    assert.match(now.process, /:\d+$/)
    assert.strictEqual(now.since, before.since)
    assert.isAtMost(Date.parse(now.since), Date.parse(now.until))
    assert.notInclude(JSON.stringify(now), "example.org")
  })

  it("are told to the operator alone, also by a key that only reads", async () => {
    const other = await organization(service, "ENTERPRISE")
    refused(await other.call("GET", "/api/admin/requests"), 403, "permission/operator_required")
    const admin = await memberKey(service.call, "grace@example.org", "admin")
    refused(await service.as(admin.key)("GET", "/api/admin/requests"), 403, "permission/role_required")
    const { keys } = await cairn().keys.list()
    const reads = await cairn().keys.create({ email: keys[0]!.userEmail, keyName: "looks", readOnly: true })
    assert.strictEqual((await service.as(reads.key)("GET", "/api/admin/requests")).status, 200)
  })
})
