import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { calls, type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { begin, holdWrites } from "#test/service/cut.ts"
import { memberKey } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { chatting, creating, deleting, fine, revoking, uploading, uploadOf, voting } from "./routes.ts"
import { findByName, stored, vote } from "./store.ts"

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
/** Sends a write, ends the connection before the answer, and sends it again once it is in the log. */
const sendAgainLater = async (path: string, body: unknown, type: string) => {
  const before = await count(type)
  const log = await holdWrites(service)
  const sending = begin(service, path, body)
  await log.waiting(1)
  await sending.cut()
  await log.release()
  await vi.waitFor(async () => assert.strictEqual(await count(type), before + 1), { timeout: 60_000 })
  return post(path, body)
}

describe("a write whose answer did not arrive", () => {
  const snippet = async (name: string) => {
    await stored(service.call, name, { use_service_ai_voting: false })
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
    assert.strictEqual(await coming("VoteCast", async () => fine(await sendAgainLater(voting, body, "VoteCast"))), 1)
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
    const again = [0, 1].map((n) => begin(service, voting, bodies[n]))
    // other agents', other tasks' and other people's are others
    const others = [
      post(voting, { ...bodies[0], task: "other" }),
      post(voting, bodies[0], { "x-cairn-agent-id": "ann" }),
      post(voting, bodies[0], { "x-raysurfer-public-snips": "true" })
    ]
    const cast = await coming("VoteCast", async () => {
      // an answer that arrives makes the next one another vote
      for (const { cut } of [first, ...again]) await cut()
      await log.release()
      for (const answer of await Promise.all(others)) fine(answer)
      fine(await post(voting, bodies[1]))
    })
    assert.strictEqual(cast, 1 + others.length)
    assert.strictEqual((await findByName(service.call, "joined"))!.thumbs_up, cast)
  })
})

it("identical writes that were each answered are each one", async () => {
  await stored(service.call, "often", { use_service_ai_voting: false })
  const { code_block } = (await findByName(service.call, "often"))!
  for (let n = 0; n < 100; n++) fine(await vote(service.call, code_block.id))
  assert.strictEqual((await findByName(service.call, "often"))!.thumbs_up, 100)
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
    assert.deepStrictEqual(
      json.commits.map(({ sha }: { sha: string }) => sha),
      [one.commit]
    )
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
        await vi.waitFor(
          async () =>
            assert.strictEqual(await service.sql("SELECT 1 FROM workspaces_v5.runs").then((rows) => rows.length), 0),
          { timeout: 60_000 }
        )
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
    const [one, two] = [
      fine(await post(chatting, chat("cid"), headers)),
      fine(await post(chatting, chat("cid"), headers))
    ]
    assert.deepStrictEqual(two, one)
    assert.strictEqual(asked() - before, 2)
    refused(await post(chatting, chat("cid", "other"), headers), 409, "conflict/idempotency_key_reused")
  })
})
