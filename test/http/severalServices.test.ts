import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { calls, type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { initialize, post } from "#test/mcp/rpc.ts"
import { holdWrites } from "#test/service/cut.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { refused } from "./problem.ts"
import { chatting, creating, fine, revoking, uploading, uploadOf, voting } from "./routes.ts"
import { listen } from "./sse.ts"
import { findByName, stored, upload } from "./store.ts"

let installation: TestInstallation
let model: MessagesApi
let a: Service
let b: Service
let answer = Promise.withResolvers<void>()
beforeAll(async () => {
  installation = await newInstallation()
  // the second turn comes when it is told to
  model = await startMessagesApi(({ body }) => {
    const turn = body.messages.filter(({ role }) => role === "assistant").length
    const write = calls({ name: "Write", input: { file_path: `${turn}.txt`, content: "x" } })
    return turn === 0 ? write : turn === 1 ? { ...write, after: answer.promise } : says("done")
  })
  const environment = {
    ANTHROPIC_API_KEY: model.key,
    ANTHROPIC_BASE_URL: model.url,
    CAIRN_DATABASE_CONNECTIONS: "6",
    CAIRN_RATE_LIMITS: "keys_list=7"
  }
  a = await startService(environment, installation)
  b = await startService(environment, installation)
})
afterAll(async () => {
  await a.stop()
  await b.stop()
  await model.close()
  removeInstallation(installation)
})

const eventsOf = async (type: string) => (await a.sql("SELECT 1 FROM events WHERE type = $1", [type])).length

describe("a key that is revoked at one of two services", () => {
  it("ends a stream of events at the other, and nothing that came after is told", async () => {
    const tenant = await organization(a, "ENTERPRISE")
    const admin = await memberKey(tenant.call, "admin@example.org", "admin")
    const head = await b.head()
    const stream = await listen(b, `/api/events/stream?after=${head}&type=MemberAdded`, admin.key)
    await memberKey(tenant.call, "before@example.org")
    assert.strictEqual((await stream.next())!.event, "MemberAdded")
    fine(await tenant.call("POST", revoking, { key_id: admin.id }))
    await memberKey(tenant.call, "after@example.org")
    const rest = await stream.until(() => false)
    const { event, data } = rest.at(-1)!
    assert.deepStrictEqual([event, data.reason], ["end", "revoked"])
    assert.notInclude(JSON.stringify(rest), "after@example.org")
  })

  it("ends a run at the other before its model is asked again", async () => {
    const tenant = await organization(a, "ENTERPRISE")
    const { id, key } = await memberKey(tenant.call, "m@example.org", "member", { acts_for: "any" })
    answer = Promise.withResolvers()
    const asked = model.requests.length
    const running = b.as(key)("POST", chatting, { user_query: "q", user_id: "u", org_id: "o" })
    await model.arrived(asked + 2)
    fine(await tenant.call("POST", revoking, { key_id: id }))
    answer.resolve()
    const { status, json } = await running
    assert.deepStrictEqual([status, json.success, json.changed_files], [200, false, ["0.txt", "1.txt"]])
    assert.include(json.error, "revoked")
    assert.strictEqual(model.requests.length, asked + 2)
  })

  it("ends a call of MCP at the other before its model is asked again, and its session opens nothing more", async () => {
    const tenant = await organization(a, "ENTERPRISE")
    const { id, key } = await memberKey(tenant.call, "m@example.org", "member", { acts_for: "any" })
    answer = Promise.withResolvers()
    const asked = model.requests.length
    const session = await initialize(a.url, key)
    const given = { user_query: "q", user_id: "u", org_id: "o" }
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "chat", arguments: given } }
    const running = post(b.url, key, call, session)
    await model.arrived(asked + 2)
    fine(await tenant.call("POST", revoking, { key_id: id }))
    answer.resolve()
    assert.include((await running).text, "revoked")
    assert.strictEqual(model.requests.length, asked + 2)
    for (const { url } of [a, b])
      refused(await post(url, key, { ...call, id: 2 }, session), 401, "auth/invalid_api_key")
  })

  it("is let in by the other no more, however often it was let in before", async () => {
    const tenant = await organization(a, "ENTERPRISE")
    for (let round = 0; round < 5; round++) {
      const { id, key } = await memberKey(tenant.call, `m${round}@example.org`)
      const asking = () => b.as(key)("GET", "/api/workspaces")
      for (const { status } of await Promise.all([asking(), asking(), asking()])) assert.strictEqual(status, 200)
      fine(await tenant.call("POST", revoking, { key_id: id }))
      for (const refusal of await Promise.all([asking(), asking(), asking()]))
        refused(refusal, 401, "auth/invalid_api_key")
    }
  })
})

describe("a rate", () => {
  it("is one for both services together, and both say when to come again", async () => {
    const { key } = await organization(a, "ENTERPRISE")
    const list = (service: Service) => service.as(key)("POST", "/api/keys/org/list", {})
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => list(n % 2 === 0 ? a : b)))
    assert.lengthOf(
      answers.filter(({ status }) => status === 200),
      7
    )
    for (const service of [a, b]) {
      const over = await list(service)
      refused(over, 429, "rate_limit/exceeded")
      const seconds = Number(over.headers.get("retry-after"))
      assert.isTrue(seconds >= 1 && seconds <= 61, String(seconds))
    }
  })
})

describe("an Idempotency-Key at two services", () => {
  const keyed = (key: string) => ({ "idempotency-key": key })

  it("makes one write of requests at once, and of those that come one after the other", async () => {
    await stored(a.call, "both")
    const { code_block } = (await findByName(b.call, "both"))!
    for (let round = 0; round < 10; round++) {
      const key = randomUUID()
      const body = { task: `t${round}`, code_block_id: code_block.id, succeeded: true }
      const before = await eventsOf("VoteCast")
      const log = await holdWrites(installation)
      const together = [a, b].map(({ call }) => call("POST", voting, body, keyed(key)))
      await log.waiting(2)
      await log.release()
      const answers = await Promise.all(together)
      for (const { call } of [b, a, b]) answers.push(await call("POST", voting, body, keyed(key)))
      answers.forEach(fine)
      // whether it counts yet is what each of them was told of its own moment
      assert.lengthOf(new Set(answers.map(({ headers }) => headers.get("cairn-position"))), 1)
      assert.strictEqual(await eventsOf("VoteCast"), before + 1)
    }
  })

  it("makes one upload, and one key, whichever is asked first", async () => {
    for (let round = 0; round < 5; round++) {
      const [first, then] = round % 2 === 0 ? [a, b] : [b, a]
      const body = uploadOf(`keyed${round}`)
      const one = await first!.call("POST", uploading, body, keyed(`upload ${round}`))
      const two = await then!.call("POST", uploading, body, keyed(`upload ${round}`))
      assert.deepStrictEqual(
        [two.status, two.text, two.headers.get("cairn-position")],
        [200, one.text, one.headers.get("cairn-position")]
      )
      const made = await first!.call(
        "POST",
        creating,
        { email: `k${round}@example.org`, key_name: "k" },
        keyed(`k${round}`)
      )
      const again = await then!.call(
        "POST",
        creating,
        { email: `k${round}@example.org`, key_name: "k" },
        keyed(`k${round}`)
      )
      assert.include(refused(again, 409, "conflict/already_created").message, fine(made).id)
    }
  })

  it("refuses another request under it at the other service, also right after the first", async () => {
    await stored(a.call, "reused")
    const { code_block } = (await findByName(b.call, "reused"))!
    for (let round = 0; round < 10; round++) {
      const [first, then] = round % 2 === 0 ? [a, b] : [b, a]
      const body = { task: `t${round}`, code_block_id: code_block.id, succeeded: true }
      const before = await eventsOf("VoteCast")
      fine(await first!.call("POST", voting, body, keyed(`reused ${round}`)))
      const other = await then!.call("POST", voting, { ...body, succeeded: false }, keyed(`reused ${round}`))
      refused(other, 409, "conflict/idempotency_key_reused")
      const elsewhere = await then!.call("POST", uploading, uploadOf(`elsewhere${round}`), keyed(`reused ${round}`))
      refused(elsewhere, 409, "conflict/idempotency_key_reused")
      assert.strictEqual(await eventsOf("VoteCast"), before + 1)
    }
  })
})

describe("what is stored at two services at once", () => {
  it("keeps within a bound that all of them know", async () => {
    const { call, key } = await organization(a, "ENTERPRISE")
    fine(await call("POST", "/api/bounds", { snippets: 5 }))
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => upload((n % 2 === 0 ? a : b).as(key), `bounded_${n}`))
    )
    const refusals = answers.filter(({ status }) => status !== 200)
    for (const answer of refusals) refused(answer, 403, "bound/reached")
    assert.lengthOf(refusals, 7)
    assert.strictEqual((await call("GET", "/api/usage")).json.stored.snippets, 5)
  })
})
