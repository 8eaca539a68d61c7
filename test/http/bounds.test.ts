import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { schemaOf } from "#engine/Projection.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { boundsRefusal } from "#src/usage/bounds.ts"
import { calls, type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { memberKey, organization, personal } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { chat, turnOf } from "./agent.ts"
import { refused } from "./problem.ts"

let api: MessagesApi
let service: Service
/** Called before the model answers a turn. */
let before: (turn: number) => Promise<unknown> = async () => {}

beforeAll(async () => {
  api = await startMessagesApi(async (request) => {
    const turn = turnOf(request)
    await before(turn)
    return turn < 4 ? calls({ name: "Write", input: { file_path: `${turn}.txt`, content: "x\n" } }) : says("Done.")
  })
  const prices = { input: 1_000_000, output: 1_000_000 }
  service = await startService({
    ANTHROPIC_API_KEY: api.key,
    ANTHROPIC_BASE_URL: api.url,
    CAIRN_MODELS: JSON.stringify({ priced: { provider: "anthropic", model: "claude-sonnet-5-5", prices } })
  })
})
afterAll(async () => {
  await service.close()
  await api.close()
})

type Call = Service["call"]
const set = async (call: Call, bounds: object) => {
  const answer = await call("POST", "/api/bounds", bounds)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json
}
const usage = async (call: Call, query = "") => {
  const answer = await call("GET", `/api/usage${query}`)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json
}
const done = async (call: Call, user: string, more: object = {}) => {
  const answer = await chat(call, "work", user, more)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json
}
/** The names that a key is told of, and whether it may ask for full ids. */
const modelsOf = async (call: Call): Promise<readonly [Array<string>, boolean]> => {
  const { status, json, text } = await call("GET", "/api/models")
  assert.strictEqual(status, 200, text)
  return [json.models.map(({ name }: { name: string }) => name).sort(), json.full_ids]
}
const requests = () => api.requests.length

describe("bounds", () => {
  it("of chats a day hold for an organization and for each key, before anything begins", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const member = await memberKey(call, "m@example.org", "member", { acts_for: "any" })
    const theirs = service.as(member.key)
    await set(call, { key_id: member.id, chats_per_day: 1 })
    assert.isTrue((await done(theirs, "one")).success)
    const asked = requests()
    const answer = await chat(theirs, "work", "two")
    refused(answer, 403, "bound/reached")
    assert.match(
      answer.json.message,
      /1 chats a day \(chats_per_day\): 1 used\. It resets at \d{4}-\d\d-\d\dT00:00:00\.000Z/
    )
    assert.strictEqual(requests(), asked)
    assert.isTrue((await done(call, "three")).success)
    await set(call, { chats_per_day: 2 })
    refused(await chat(call, "work", "four"), 403, "bound/reached")
    const { bounds } = await usage(call)
    assert.deepStrictEqual(
      bounds.map(({ key_id, bound, limit, used }: Record<string, unknown>) => [key_id, bound, limit, used]),
      [
        [null, "chats_per_day", 2, 2],
        [member.id, "chats_per_day", 1, 1]
      ]
    )
    await set(call, {})
    assert.isTrue((await done(call, "five")).success)
  })

  it("of chats hold for those that are asked for at once: in the log's order, before the model is asked", async () => {
    const { call } = await organization(service, "PRO")
    await set(call, { chats_per_day: 2 })
    const answers = await Promise.all(["a", "b", "c", "d", "e", "f"].map((user) => chat(call, "work", user)))
    const succeeded = answers.filter(({ status, json }) => status === 200 && json.success)
    assert.strictEqual(succeeded.length, 2)
    for (const { status, json } of answers) {
      if (status === 200 && !json.success) assert.include(json.error, "chats_per_day")
    }
  })

  it("of chats are of the day on which a chat was asked for, however long it runs", async () => {
    const { call, id } = await organization(service, "PRO")
    await done(call, "u")
    await set(call, { chats_per_day: 1 })
    const [{ key_id: key }] = (await call("GET", "/api/events?type=ChatRequested")).json.events.map(
      ({ actor }: { actor: { key_id: string } }) => actor
    )
    // answered once the read model that is asked below knows of the chat
    await usage(call)
    const now = Date.now()
    const told = async (recordedAt: number, position: number) =>
      service.run(
        Effect.map(
          boundsRefusal({ tenant: id, key, model: "sonnet", turns: 2, requested: { position, recordedAt } }),
          (refusal) => refusal?._tag
        )
      )
    const last = Number.MAX_SAFE_INTEGER
    assert.deepStrictEqual(
      [await told(now, last), await told(now, 0), await told(now - 86_400_000, last)],
      ["BoundReached", undefined, undefined]
    )
  })

  it("let a chat that is sent again be answered as it ended", async () => {
    const { call } = await organization(service, "PRO")
    await set(call, { chats_per_day: 1 })
    const again = { "idempotency-key": "the same chat" }
    const body = { user_query: "work", user_id: "u", org_id: "o" }
    const first = await call("POST", "/api/agent-chat", body, again)
    const second = await call("POST", "/api/agent-chat", body, again)
    assert.deepStrictEqual([first.status, second.status], [200, 200])
    assert.strictEqual(second.json.session_id, first.json.session_id)
  })

  it("of tokens and of costs end a run at its next turn, with what it had written", async () => {
    for (const [bound, limit] of [
      ["tokens_per_month", 1],
      ["cost_per_month", 0.001]
    ] as const) {
      const { call } = await organization(service, "ENTERPRISE")
      await set(call, { [bound]: limit })
      const asked = requests()
      const ended = await done(call, "u", { model: "priced" })
      assert.strictEqual(requests(), asked + 1)
      assert.isFalse(ended.success)
      assert.include(ended.error, `(${bound})`)
      assert.deepStrictEqual(ended.changed_files, ["1.txt"])
      const { json } = await call("GET", "/api/events?type=ChatFailed")
      assert.deepStrictEqual(
        json.events.map(({ data }: { data: { code: string } }) => data.code),
        ["bound"]
      )
      const { message } = refused(await chat(call, "work", "v", { model: "priced" }), 403, "bound/reached")
      const [told] = (await usage(call)).bounds
      assert.deepInclude(told, { key_id: null, bound, limit })
      assert.isAtLeast(told.used, limit)
      const used = bound === "cost_per_month" ? `$${told.used.toFixed(2)}` : told.used
      assert.include(message, `(${bound}): ${used} used. It resets at ${told.resets_at}`)
      assert.match(told.resets_at, /^\d{4}-\d\d-01T00:00:00\.000Z$/)
    }
  })

  it("of tokens, costs and turns are a key's own, too: another one of the organization goes on", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    for (const [bound, limit, files] of [
      ["tokens_per_month", 1, ["1.txt"]],
      ["cost_per_month", 0.001, ["1.txt"]],
      ["max_turns", 2, ["1.txt", "2.txt"]]
    ] as const) {
      const bounded = await memberKey(call, `${bound}@example.org`, "member", { acts_for: "any" })
      await set(call, { key_id: bounded.id, [bound]: limit })
      const theirs = service.as(bounded.key)
      const ended = await done(theirs, bound, { model: "priced" })
      assert.deepStrictEqual([ended.success, ended.changed_files], [false, files], bound)
      assert.include(ended.error, bound)
      const more = bound === "max_turns" ? { max_turns: 3 } : {}
      const { message } = refused(await chat(theirs, "work", bound, { model: "priced", ...more }), 403, "bound/reached")
      assert.include(message, "This API key")
      assert.isTrue((await done(call, `beside ${bound}`, { model: "priced" })).success)
    }
  })

  it("of a month count nothing of the month before", async () => {
    const { call, id } = await organization(service, "ENTERPRISE")
    await done(call, "u")
    await set(call, { tokens_per_month: 1 })
    refused(await chat(call, "work", "v"), 403, "bound/reached")
    const before = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.unsafe(`UPDATE ${schemaOf(Consumption)}.spent SET day = $1 WHERE tenant = $2`, ["2020-01-31", id])
    )
    await service.run(before)
    assert.deepInclude((await usage(call)).bounds[0], { bound: "tokens_per_month", used: 0 })
    assert.include((await done(call, "v")).error, "(tokens_per_month)")
  })

  it("that are set while a run works hold at its next turn", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    before = async (turn) => {
      if (turn === 2) await set(call, { max_turns: 2 })
    }
    const ended = await done(call, "u")
    before = async () => {}
    assert.isFalse(ended.success)
    assert.include(ended.error, "(max_turns)")
    assert.deepStrictEqual(ended.changed_files, ["1.txt", "2.txt"])
  })

  it("of turns and models are refused by their field; a chat that says nothing of turns has as many as it may", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    await set(call, { max_turns: 4, models: ["sonnet"] })
    const many = await chat(call, "work", "u", { max_turns: 5 })
    refused(many, 403, "bound/reached")
    assert.strictEqual(many.json.field, "max_turns")
    const other = await chat(call, "work", "u", { model: "haiku" })
    refused(other, 403, "bound/model_not_allowed")
    assert.deepStrictEqual(await modelsOf(call), [["sonnet"], false])
    assert.strictEqual(other.json.field, "model")
    assert.isTrue((await done(call, "u")).success)
  })

  it("of costs refuse a model whose price nobody has said", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    await set(call, { cost_per_month: 1_000 })
    refused(await chat(call, "work", "u", { model: "opus" }), 403, "bound/model_not_allowed")
    assert.isFalse((await done(call, "u", { model: "local" })).success)
    assert.deepStrictEqual(await modelsOf(call), [["local", "priced"], false])
    // so are those of one key, which may be fewer
    await set(call, {})
    assert.includeMembers((await modelsOf(call))[0], ["haiku", "local", "opus", "priced", "sonnet"])
    const member = await memberKey(call, "m@example.org", "member", { acts_for: "any", models: ["priced", "opus"] })
    const theirs = service.as(member.key)
    assert.deepStrictEqual(await modelsOf(theirs), [["opus", "priced"], false])
    await set(call, { key_id: member.id, cost_per_month: 1 })
    assert.deepStrictEqual(await modelsOf(theirs), [["priced"], false])
  })

  it("are set by owners and admins of the key's organization only; models of all of it only", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const member = await memberKey(call, "m@example.org", "member", { acts_for: "any" })
    const admin = await memberKey(call, "a@example.org", "admin")
    refused(await service.as(member.key)("POST", "/api/bounds", { max_turns: 9 }), 403, "permission/admin_key_required")
    const { call: alone } = await personal(service, "alone.bounds@example.org")
    refused(await alone("POST", "/api/bounds", { max_turns: 9 }), 403, "permission/not_org_member")
    const { call: others } = await organization(service, "ENTERPRISE")
    refused(await others("POST", "/api/bounds", { key_id: member.id, max_turns: 9 }), 404, "not_found/api_key")
    refused(
      await call("POST", "/api/bounds", { key_id: member.id, models: ["haiku"] }),
      400,
      "validation/invalid_field"
    )
    assert.include(await set(service.as(admin.key), { max_turns: 9 }), { key_id: null, max_turns: 9 })
    await set(call, { key_id: admin.id, max_turns: 3 })
    const [owner] = (await call("POST", "/api/keys/org/list")).json.keys
    const above = await service.as(admin.key)("POST", "/api/bounds", { key_id: owner.id, chats_per_day: 0 })
    refused(above, 403, "permission/only_owner_can_promote")
    assert.deepInclude(await set(service.as(admin.key), { key_id: member.id, max_turns: 2 }), { max_turns: 2 })
    await set(call, { key_id: member.id })
    const seen = async (by: Call) =>
      (await by("GET", "/api/bounds")).json.bounds.map((one: { key_id: unknown }) => one.key_id)
    assert.sameMembers(await seen(call), [null, admin.id, member.id])
    assert.deepStrictEqual(await seen(service.as(member.key)), [null, member.id])
    assert.deepStrictEqual(await seen(others), [])
    assert.strictEqual((await call("POST", "/api/keys/org/revoke", { key_id: admin.id })).status, 200)
    assert.deepStrictEqual(await seen(call), [null, member.id])
  })
})

describe("usage", () => {
  it("is told by day, model, key, person and workspace: of all for its admins, else of the key", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const member = await memberKey(call, "m@example.org", "member", { acts_for: "any" })
    const first = await done(call, "one", { model: "priced" })
    const second = await done(service.as(member.key), "two")
    const all = await usage(call)
    const turns = 8
    assert.strictEqual(all.by, "day")
    assert.include(all.total, { chats: 2, turns, cost: null })
    assert.isAbove(all.total.input_tokens, 0)
    const of = async (by: string, asking = call) =>
      Object.fromEntries(
        (await usage(asking, `?by=${by}`)).usage.map((row: { of: string; chats: number; turns: number }) => [
          row.of,
          [row.chats, row.turns]
        ])
      )
    assert.deepStrictEqual(await of("model"), { priced: [1, 4], sonnet: [1, 4] })
    assert.deepStrictEqual(await of("workspace"), { [first.workspace_id]: [1, 4], [second.workspace_id]: [1, 4] })
    assert.strictEqual(Object.keys(await of("key")).length, 2)
    assert.deepStrictEqual(await of("key", service.as(member.key)), { [member.id]: [1, 4] })
    const { users } = (await call("GET", "/api/users")).json as { users: ReadonlyArray<{ user_id: string }> }
    assert.deepStrictEqual(await of("user"), Object.fromEntries(users.map(({ user_id }) => [user_id, [1, 4]])))
    // and of an admin whose key is limited: its own, which is nothing
    for (const limits of [{ models: ["sonnet"] }, { workspaces: [first.workspace_id] }, { acts_for: "own" }]) {
      const { key } = await memberKey(call, "a@example.org", "admin", limits)
      assert.deepStrictEqual(await of("key", service.as(key)), {}, JSON.stringify(limits))
    }
    const priced = (await usage(call, "?by=model")).usage.find((row: { of: string }) => row.of === "priced")
    assert.closeTo(priced.cost, priced.input_tokens + priced.output_tokens, 1e-6)
    assert.deepStrictEqual((await usage(call, "?since=2020-01-01&until=2020-12-31")).usage, [])
    refused(await call("GET", "/api/usage?since=2026-02-30"), 400, "validation/invalid_field")
    refused(await call("GET", "/api/usage?since=2026-02-02&until=2026-02-01"), 400, "validation/invalid_field")
  })

  it("is told day by day, each of those that were asked for", async () => {
    const { call, id } = await organization(service, "ENTERPRISE")
    const days = async (query: string) =>
      (await usage(call, query)).usage.map(({ of, chats, turns }: Record<string, unknown>) => [of, chats, turns])
    await done(call, "u")
    const [today] = (await days("")).map(([day]: ReadonlyArray<string>) => day)
    assert.match(today, /^\d{4}-\d\d-\d\d$/)
    assert.deepStrictEqual(await days("?by=day"), [[today, 1, 4]])
    for (const table of ["chats", "spent"]) {
      const statement = `UPDATE ${schemaOf(Consumption)}.${table} SET day = $1 WHERE tenant = $2`
      await service.sql(statement, ["2020-01-30", id])
    }
    await done(call, "u")
    await done(call, "v")
    const first = "?since=2020-01-30"
    assert.deepStrictEqual(await days(first), [
      ["2020-01-30", 1, 4],
      [today, 2, 8]
    ])
    assert.deepStrictEqual(await days(`${first}&until=2020-01-30`), [["2020-01-30", 1, 4]])
    assert.deepStrictEqual(await days("?since=2020-01-31"), [[today, 2, 8]])
  })
})
