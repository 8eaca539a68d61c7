import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeSessions } from "#src/mcp/sessions.ts"
import { refused } from "#test/http/problem.ts"
import { send } from "#test/service/call.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { initialize, post } from "./rpc.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const listing = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }
const lists = (key: string, session: Record<string, string>) => post(service.url, key, listing, session)
const ending = (key: string, session: Record<string, string>) =>
  send(service.url, "DELETE", "/mcp", undefined, { authorization: `Bearer ${key}`, ...session })

describe("a session", () => {
  it("is begun in each version that has them", async () => {
    for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
      const session = await initialize(service.url, ownerKey, version)
      const { json, text } = await lists(ownerKey, session)
      assert.strictEqual(json.result?.tools.length, 5, text)
    }
  })

  it("takes several messages at once in 2025-03-26", async () => {
    const session = await initialize(service.url, ownerKey, "2025-03-26")
    const { status, text } = await post(service.url, ownerKey, [listing, { ...listing, id: 2 }], session)
    assert.strictEqual(status, 200, text)
    const messages = text.startsWith("[")
      ? JSON.parse(text)
      : // what takes longer is one event, or one for each
        [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data]) => JSON.parse(data!))
    assert.sameMembers(
      messages.map(({ id }: { id: number }) => id),
      [1, 2]
    )
  })

  it("refuses several messages of which one is none, or two are one, and says which", async () => {
    const session = await initialize(service.url, ownerKey, "2025-03-26")
    const batches: ReadonlyArray<readonly [unknown, RegExp]> = [
      [[listing, null], /^Message 2 of the batch is none of JSON-RPC/],
      [[5, listing], /^Message 1 /],
      [[[listing]], /^Message 1 /],
      [[listing, { ...listing, id: {} }], /^Message 2 /],
      [[listing, { ...listing, id: 2, jsonrpc: "1.0" }], /^Message 2 /],
      [[listing, { jsonrpc: "2.0", id: 2 }], /^Message 2 /],
      [[listing, { ...listing, id: 2 }, listing], /^Message 3 of the batch has the id of one before it/]
    ]
    for (const [batch, says] of batches) {
      const answer = await post(service.url, ownerKey, batch, session)
      refused(answer, 400, "validation/invalid_body")
      assert.match(answer.json.message, says)
    }
  })

  it("takes many requests at once, and answers each", async () => {
    const session = await initialize(service.url, ownerKey)
    const ids = Array.from({ length: 40 }, (_, id) => id)
    const answers = await Promise.all(
      ids.map((id) => {
        const call = { name: "search", arguments: { task: `task ${id}`, top_k: id === 7 ? 0 : 1 } }
        return post(service.url, ownerKey, { jsonrpc: "2.0", id, method: "tools/call", params: call }, session)
      })
    )
    assert.deepStrictEqual(
      answers.map(({ json, text }) => [json?.id, json?.result?.isError === true, text.length > 0]),
      ids.map((id) => [id, id === 7, true])
    )
  })

  it("is the one that the request's head names, whatever a message says of headers", async () => {
    const session = await initialize(service.url, ownerKey)
    const { key } = await organization(service, "ENTERPRISE")
    const own = await initialize(service.url, key)
    for (const headers of [Object.entries(session), 5, {}]) {
      const answer = await post(service.url, key, { ...listing, headers }, own)
      refused(answer, 400, "validation/invalid_body")
      assert.match(answer.json.message, /^The message has a field that none has/)
    }
    assert.deepStrictEqual(service.log, [])
  })

  it("is its key's own: no other key can use it or end it", async () => {
    const other = await organization(service, "ENTERPRISE")
    const colleague = await memberKey(other.call, "c@example.org")
    const session = await initialize(service.url, other.key)
    for (const key of [ownerKey, colleague.key]) {
      refused(await lists(key, session), 404, "not_found/session")
      refused(await ending(key, session), 404, "not_found/session")
    }
    assert.strictEqual((await lists(other.key, session)).json.result.tools.length, 5)
  })

  it("ends when its key says so", async () => {
    const session = await initialize(service.url, ownerKey)
    assert.strictEqual((await ending(ownerKey, session)).status, 204)
    refused(await lists(ownerKey, session), 404, "not_found/session")
    refused(await ending(ownerKey, session), 404, "not_found/session")
    refused(await ending(ownerKey, {}), 404, "not_found/session")
  })

  it("is one of at most a hundred of its key: the one not used for longest ends", async () => {
    const { key } = await organization(service, "FREE")
    const kept = await initialize(service.url, ownerKey)
    const sessions = []
    for (let n = 0; n < 100; n++) sessions.push(await initialize(service.url, key))
    assert.strictEqual((await lists(key, sessions[0]!)).status, 200)
    sessions.push(await initialize(service.url, key))
    refused(await lists(key, sessions[1]!), 404, "not_found/session")
    for (const session of [sessions[0]!, sessions[2]!, sessions[100]!]) {
      assert.strictEqual((await lists(key, session)).status, 200)
    }
    assert.strictEqual((await lists(ownerKey, kept)).status, 200)
  })

  it("is not begun by a message about a client without end", async () => {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x".repeat(70_000), version: "1" }
    }
    const answer = await post(service.url, ownerKey, { jsonrpc: "2.0", id: 0, method: "initialize", params })
    refused(answer, 400, "validation/invalid_body")
    assert.isNull(answer.headers.get("mcp-session-id"))
  })
})

const run = <A>(effect: Effect.Effect<A>) => Effect.runPromise(Effect.provide(effect, TestClock.layer()))

describe("a session that begins", () => {
  it("is there once it is kept; it ends where it can't be, and where its client leaves meanwhile", () =>
    run(
      Effect.gen(function* () {
        const ended: Array<string> = []
        const sessions = makeSessions((id) => Effect.sync(() => void ended.push(id)))
        const begun = <E>(id: string, keeping: Effect.Effect<void, E>) =>
          Effect.forkChild(
            Effect.exit(sessions.begun(id, Effect.andThen(keeping, sessions.opened({ key: "k", tenant: "t" }, id)))),
            { startImmediately: true }
          )
        const kept = Deferred.makeUnsafe<void>()
        const one = yield* begun("one", Deferred.await(kept))
        assert.isFalse(yield* sessions.has("k", "one"))
        yield* Deferred.succeed(kept, undefined)
        assert.isTrue(Exit.isSuccess(yield* Fiber.join(one)))
        assert.isTrue(yield* sessions.has("k", "one"))

        assert.isTrue(Exit.isFailure(yield* Fiber.join(yield* begun("not kept", Effect.fail("away")))))
        yield* Fiber.interrupt(yield* begun("left", Effect.never))
        assert.deepStrictEqual(ended, ["not kept", "left"])
        for (const id of ended) assert.isFalse(yield* sessions.has("k", id))
      }) as Effect.Effect<void>
    ))
})

describe("sessions that nobody uses", () => {
  it("end after an hour, and not while a request is under way", () =>
    run(
      Effect.gen(function* () {
        const ended: Array<string> = []
        const sessions = makeSessions((id) => Effect.sync(() => void ended.push(id)))
        yield* sessions.opened({ key: "k", tenant: "t" }, "idle")
        yield* sessions.opened({ key: "k", tenant: "t" }, "used")
        yield* sessions.opened({ key: "k", tenant: "t" }, "busy")
        yield* TestClock.adjust("59 minutes")
        yield* sessions.using("used", Effect.void)
        yield* sessions.using(
          "busy",
          Effect.gen(function* () {
            yield* TestClock.adjust("1 minute")
            assert.isFalse(yield* sessions.has("k", "idle"))
            assert.isTrue(yield* sessions.has("k", "used"))
            yield* TestClock.adjust("2 hours")
            yield* sessions.opened({ key: "other", tenant: "t" }, "new")
            assert.deepStrictEqual(ended, ["idle", "used"])
            assert.isTrue(yield* sessions.has("k", "busy"))
          })
        )
        assert.isTrue(yield* sessions.has("k", "busy"))
        yield* TestClock.adjust("1 hour")
        assert.isFalse(yield* sessions.has("k", "busy"))
        assert.isFalse(yield* sessions.has("other", "busy"))
      }) as Effect.Effect<void>
    ))

  it("end neither while a request is under way nor as they begin, however many there are", () =>
    run(
      Effect.gen(function* () {
        const ended: Array<string> = []
        const sessions = makeSessions((id) => Effect.sync(() => void ended.push(id)))
        const opened = (id: string) => sessions.opened({ key: "k", tenant: "t" }, id)
        const within = (n: number): Effect.Effect<void> =>
          n === 100
            ? Effect.andThen(opened("new"), opened("newer"))
            : Effect.andThen(
                opened(String(n)),
                sessions.using(
                  String(n),
                  Effect.suspend(() => within(n + 1))
                )
              )
        yield* within(0)
        assert.deepStrictEqual(ended, ["new"])
        assert.isTrue(yield* sessions.has("k", "newer"))
      }) as Effect.Effect<void>
    ))

  it("end where an organization's keys have more than a thousand, whoever else has how many", () =>
    run(
      Effect.gen(function* () {
        const ended: Array<string> = []
        const sessions = makeSessions((id) => Effect.sync(() => void ended.push(id)))
        yield* sessions.opened({ key: "neighbour", tenant: "u" }, "theirs")
        for (let n = 0; n < 1_002; n++) yield* sessions.opened({ key: `k${n % 20}`, tenant: "t" }, String(n))
        assert.deepStrictEqual(ended, ["0", "1"])
        assert.isTrue(yield* sessions.has("neighbour", "theirs"))
      }) as Effect.Effect<void>
    ))
})
