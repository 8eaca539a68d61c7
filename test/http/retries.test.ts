import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { calls, type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { type Answer, newPlace, removePlace, type Service, startService } from "#test/service.ts"
import { begin, holdWrites } from "#test/service/cut.ts"
import { memberKey } from "#test/service/tenants.ts"
import { refused } from "./problem.ts"
import { findByName, source, stored, upload, vote } from "./store.ts"

const uploading = "/api/store/execution-result"
const voting = "/api/store/cache-usage"
const deleting = "/api/snippets/delete"
const creating = "/api/keys/org/create"
const revoking = "/api/keys/org/revoke"
const chatting = "/api/agent-chat"

const uploadOf = (name: string, more: object = {}) => ({
  ...{ task: `${name} task`, file_written: { path: `${name}.py`, content: source(name) }, succeeded: true, user_vote: 1 },
  ...more
})

let api: MessagesApi
let service: Service
let gate: PromiseLike<unknown> = Promise.resolve()
beforeAll(async () => {
  // each run writes one file, and is held at its first turn for as long as the gate is shut
  api = await startMessagesApi((request) =>
    request.body.messages.length === 1
      ? { ...calls({ name: "Write", input: { file_path: "a.txt", content: randomUUID() } }), after: gate }
      : says("Done.")
  )
  service = await startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
})
afterAll(async () => {
  await service.close()
  await api.close()
})

const count = async (type: string) => {
  const [row] = await service.sql<{ rows: bigint }>("SELECT count(*) AS rows FROM events WHERE type = $1", [type])
  return Number(row!.rows)
}
/** How many events of a type came while something was done. */
const coming = async (type: string, act: () => Promise<unknown>) => {
  const before = await count(type)
  await act()
  return (await count(type)) - before
}
const post = (path: string, body: unknown, headers = {}) => service.call("POST", path, body, headers)
const fine = ({ status, json, text }: Answer) => {
  assert.deepStrictEqual([status, json?.success ?? true], [200, true], text)
  return json
}
const sendAgainLater = async (path: string, body: unknown, type: string) => {
  const before = await count(type)
  const log = await holdWrites(service)
  const sending = begin(service, path, body)
  await log.waiting(1)
  await sending.cut()
  await log.release()
  await vi.waitFor(async () => assert.strictEqual(await count(type), before + 1))
  return post(path, body)
}

describe("a write whose answer did not arrive", () => {
  const snippet = async (name: string) => {
    await stored(service.call, name)
    return (await findByName(service.call, name))!.code_block.id
  }

  it("was carried out all the same, and is the same when it comes again: upload", async () => {
    const body = uploadOf("late")
    assert.strictEqual(
      await coming("VoteCast", async () => {
        const answer = fine(await sendAgainLater(uploading, body, "SnippetUploaded"))
        assert.deepStrictEqual([answer.code_blocks_stored, answer.snippet_name], [1, "late"])
      }),
      1
    )
    // that answer has arrived: the same again is another one
    assert.strictEqual(await coming("TaskAdded", async () => fine(await post(uploading, body))), 1)
    assert.strictEqual((await findByName(service.call, "late"))!.thumbs_up, 2)
  })

  it("vote", async () => {
    const id = await snippet("latevote")
    const body = { task: "t", code_block_id: id, succeeded: true }
    assert.strictEqual(
      await coming("VoteCast", async () => fine(await sendAgainLater(voting, body, "VoteCast"))),
      1
    )
    assert.strictEqual(await coming("VoteCast", async () => fine(await post(voting, body))), 1)
  })

  it("delete: by its id, and by its name", async () => {
    const id = await snippet("latedelete")
    const answer = fine(await sendAgainLater(deleting, { snippet_id: id }, "SnippetDeleted"))
    assert.strictEqual(answer.deleted_count, 1)
    refused(await post(deleting, { snippet_id: id }), 404, "not_found/snippet")
    await snippet("latename")
    fine(await sendAgainLater(deleting, { snippet_id: "latename" }, "SnippetDeleted"))
    refused(await post(deleting, { snippet_id: "latename" }), 404, "not_found/snippet")
  })

  it("creation of a key: 409 that names the key and not its secret", async () => {
    const body = { email: "late@example.org", key_name: "k" }
    const answer = await sendAgainLater(creating, body, "KeyCreated")
    refused(answer, 409, "conflict/already_created")
    const { json } = await post("/api/keys/org/list", undefined)
    const [made] = json.keys.filter((key: { user_email: string }) => key.user_email === body.email)
    assert.include(answer.json.message, made.id)
    assert.notMatch(answer.text, /cairn_live_/)
    assert.strictEqual(await coming("KeyCreated", async () => post(creating, body)), 0)
    fine(await post(revoking, { key_id: made.id }))
  })

  it("revocation of a key", async () => {
    const { id } = await memberKey(service.call, "revoked@example.org")
    const answer = fine(await sendAgainLater(revoking, { key_id: id }, "KeyRevoked"))
    assert.deepStrictEqual(answer, { success: true, key_id: id })
    refused(await post(revoking, { key_id: id }), 404, "not_found/api_key")
  })

  it("joins one that is still under way, in whatever order its fields are", async () => {
    const id = await snippet("joined")
    const bodies = [
      { task: "t", code_block_id: id, succeeded: true },
      { succeeded: true, code_block_id: id, task: "t", code_block_name: null }
    ]
    const log = await holdWrites(service)
    const first = begin(service, voting, bodies[0])
    await log.waiting(1)
    await first.cut()
    const again = [0, 1, 0].map((n) => post(voting, bodies[n]))
    // other agents', other tasks' and other people's are others
    const others = [
      post(voting, { ...bodies[0], task: "other" }),
      post(voting, bodies[0], { "x-cairn-agent-id": "ann" }),
      post(voting, bodies[0], { "x-raysurfer-public-snips": "true" })
    ]
    const cast = await coming("VoteCast", async () => {
      await log.release()
      for (const answer of await Promise.all([...again, ...others])) fine(answer)
    })
    assert.strictEqual(cast, 1 + others.length)
    assert.strictEqual((await findByName(service.call, "joined"))!.thumbs_up, cast)
  })
})

it("identical writes that were each answered are each one", async () => {
  await stored(service.call, "often")
  const { code_block } = (await findByName(service.call, "often"))!
  for (let n = 0; n < 40; n++) fine(await vote(service.call, code_block.id))
  assert.strictEqual((await findByName(service.call, "often"))!.thumbs_up, 40)
})

describe("an Idempotency-Key", () => {
  const header = "idempotency-key"

  it("makes a repeated upload or vote one, also when the answer had arrived", async () => {
    const headers = { [header]: randomUUID() }
    const [first, second] = [fine(await post(uploading, uploadOf("keyed"), headers)), fine(await post(uploading, uploadOf("keyed"), headers))]
    assert.deepStrictEqual(second, first)
    const { code_block, thumbs_up } = (await findByName(service.call, "keyed"))!
    assert.strictEqual(thumbs_up, 1)
    const voted = { [header]: randomUUID() }
    for (let n = 0; n < 3; n++) fine(await vote(service.call, code_block.id, true, {}, voted))
    assert.strictEqual((await findByName(service.call, "keyed"))!.thumbs_up, 2)
  })

  it("is refused for another body, path or scope", async () => {
    const headers = { [header]: randomUUID() }
    fine(await post(uploading, uploadOf("once"), headers))
    const { code_block } = (await findByName(service.call, "once"))!
    for (const answer of [
      await post(uploading, uploadOf("twice"), headers),
      await post(uploading, uploadOf("once", { user_vote: -1 }), headers),
      await post(uploading, uploadOf("once"), { ...headers, "x-cairn-workspace-id": "w" }),
      await vote(service.call, code_block.id, true, {}, headers)
    ]) {
      assert.strictEqual(refused(answer, 409, "conflict/idempotency_key_reused").field, "Idempotency-Key")
    }
    assert.isUndefined(await findByName(service.call, "twice"))
    // another key of the same organization has its own
    const { key } = await memberKey(service.call, "own@example.org")
    fine(await upload(service.as(key), "twice", {}, headers))
    refused(await post(uploading, uploadOf("once"), { [header]: "x".repeat(256) }), 400, "validation/invalid_field")
  })

  it("is not looked at by reads", async () => {
    const headers = { [header]: "a read" }
    for (const task of ["one", "two"]) fine(await post("/api/retrieve/search", { task }, headers))
    fine(await post(uploading, uploadOf("afterread"), headers))
  })

  it("does not bring back a secret", async () => {
    const headers = { [header]: randomUUID() }
    const { id, key } = fine(await post(creating, { email: "k@example.org", key_name: "k" }, headers))
    const again = await post(creating, { email: "k@example.org", key_name: "k" }, headers)
    assert.include(refused(again, 409, "conflict/already_created").message, id)
    assert.notInclude(again.text, key)
    refused(await post(creating, { email: "k2@example.org", key_name: "k" }, headers), 409, "conflict/idempotency_key_reused")
  })

  it("keeps nothing of a refused request", async () => {
    const headers = { [header]: randomUUID() }
    refused(await post(uploading, { ...uploadOf("mended"), succeeded: "yes" }, headers), 400, "validation/invalid_field")
    fine(await post(uploading, uploadOf("mended"), headers))
  })
})

describe("a chat", () => {
  const chat = (user: string, query = "write") => ({ user_query: query, user_id: user, org_id: "acme" })
  const asked = () => api.requests.length
  const shut = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    return () => resolve()
  }

  it("that is sent again runs once, and both get the same commit", async () => {
    const [before, open] = [asked(), shut()]
    const first = begin(service, chatting, chat("ann"))
    await api.arrived(before + 1)
    await first.cut()
    const again = [post(chatting, chat("ann")), post(chatting, chat("ann"))]
    open()
    const [one, two] = (await Promise.all(again)).map(fine)
    assert.deepStrictEqual([one.commit, one.session_id, one.output], [two.commit, two.session_id, "Done."])
    assert.strictEqual(asked() - before, 2)
    const { json } = await service.call("GET", `/api/workspaces/${one.workspace_id}/commits`)
    assert.deepStrictEqual(json.commits.map(({ sha }: { sha: string }) => sha), [one.commit])
    // a second "continue", after the answer has arrived, is a second run
    const next = fine(await post(chatting, chat("ann")))
    assert.notStrictEqual(next.session_id, one.session_id)
    assert.strictEqual(asked() - before, 4)
  })

  it("goes on without whoever asked, and is there for who asks again", async () => {
    const [before, open] = [asked(), shut()]
    const first = begin(service, chatting, chat("ben"))
    await api.arrived(before + 1)
    await first.cut()
    assert.strictEqual(
      await coming("ChatCompleted", async () => {
        open()
        await vi.waitFor(async () => assert.strictEqual(await service.sql("SELECT 1 FROM workspaces_v1.runs").then((rows) => rows.length), 0), { timeout: 10_000 })
      }),
      1
    )
    const { commit, changed_files } = fine(await post(chatting, chat("ben")))
    assert.deepStrictEqual(changed_files, ["a.txt"])
    assert.strictEqual(asked() - before, 2)
    const { json } = await service.call("GET", "/api/workspaces")
    assert.strictEqual(json.workspaces.find((one: { user_id: string }) => one.user_id === "ben").head, commit)
  })

  it("with an Idempotency-Key is one for good", async () => {
    const before = asked()
    const headers = { "idempotency-key": randomUUID() }
    const [one, two] = [fine(await post(chatting, chat("cid"), headers)), fine(await post(chatting, chat("cid"), headers))]
    assert.deepStrictEqual(two, one)
    assert.strictEqual(asked() - before, 2)
    refused(await post(chatting, chat("cid", "other"), headers), 409, "conflict/idempotency_key_reused")
  })
})

describe("two services on one database", () => {
  it("make one write of the same request, and one of the same chat", async () => {
    const place = await newPlace()
    const environment = { ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url }
    const services = [await startService(environment, place), await startService(environment, place)] as const
    try {
      const both = async (path: string, body: unknown) => {
        const log = await holdWrites(place)
        const answers = services.map(({ call }) => call("POST", path, body))
        await log.waiting(2)
        await log.release()
        return Promise.all(answers)
      }
      const eventsOf = async (type: string) => (await services[0].sql("SELECT 1 FROM events WHERE type = $1", [type])).length

      const [one, two] = (await both(uploading, uploadOf("shared"))).map(fine)
      assert.deepStrictEqual(two, one)
      assert.deepStrictEqual([await eventsOf("SnippetUploaded"), await eventsOf("TaskAdded")], [1, 0])
      // what one has stored, the other finds at once
      const found = await Promise.all(services.map(({ call }) => findByName(call, "shared")))
      assert.deepStrictEqual(found.map((match) => match?.thumbs_up), [1, 1])

      const id = found[0]!.code_block.id
      ;(await both(voting, { task: "t", code_block_id: id, succeeded: true })).forEach(fine)
      assert.strictEqual(await eventsOf("VoteCast"), 2)

      const keys = await both(creating, { email: "both@example.org", key_name: "k" })
      assert.deepStrictEqual(keys.map(({ status }) => status).sort(), [200, 409])
      assert.strictEqual(await eventsOf("KeyCreated"), 2)
      const [made, not] = keys[0]!.status === 200 ? [keys[0]!, keys[1]!] : [keys[1]!, keys[0]!]
      assert.include(refused(not, 409, "conflict/already_created").message, made.json.id)
      // revoked at the one, refused by the other
      const { key } = made.json
      assert.strictEqual((await services[1].as(key)("GET", "/api/workspaces")).status, 200)
      fine(await services[0].call("POST", revoking, { key_id: made.json.id }))
      refused(await services[1].as(key)("GET", "/api/workspaces"), 401, "auth/invalid_api_key")

      const chats = (await both(chatting, { user_query: "q", user_id: "u", org_id: "o" })).map(fine)
      assert.strictEqual(chats[0].commit, chats[1].commit)
      assert.deepStrictEqual([await eventsOf("ChatRequested"), await eventsOf("ChatCompleted")], [1, 1])
    } finally {
      for (const { stop } of services) await stop()
      removePlace(place)
    }
  })

  it("know of each other's answers: after a restart an identical write is new only if the last was answered", async () => {
    const place = await newPlace()
    let one = await startService({}, place)
    await stored(one.call, "kept")
    const { code_block } = (await findByName(one.call, "kept"))!
    const body = { task: "t", code_block_id: code_block.id, succeeded: true }
    fine(await one.call("POST", voting, body))
    const log = await holdWrites(place)
    const cut = begin(one, voting, body)
    await log.waiting(1)
    await cut.cut()
    await log.release()
    await one.stop()

    one = await startService({}, place)
    const ups = async () => (await findByName(one.call, "kept"))!.thumbs_up
    assert.strictEqual(await ups(), 2)
    fine(await one.call("POST", voting, body))
    assert.strictEqual(await ups(), 2)
    fine(await one.call("POST", voting, body))
    assert.strictEqual(await ups(), 3)
    await one.stop()
    removePlace(place)
  })
})
