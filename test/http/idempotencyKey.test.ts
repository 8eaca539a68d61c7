import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { numberOf } from "#src/http/middleware/idempotency.ts"
import { memberKey } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { creating, fine, uploading, uploadOf } from "./routes.ts"
import { findByName, upload, vote } from "./store.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Of what another fiber does meanwhile. */
const patience = { timeout: 60_000 }

const post = (path: string, body: unknown, headers = {}) => service.call("POST", path, body, headers)

it("an identical write is the one before to the end of its window, unless that was answered", () => {
  const minutes = 10 * 60_000
  const known = (delivered: boolean) => ({ n: 4, fingerprint: null, stream: "stream", delivered, recordedAt: 1_000 })
  const at = (now: number, fingerprint: string | null = null, delivered = false) =>
    numberOf({ ...known(delivered), fingerprint }, { fingerprint, window: minutes }, now)
  assert.strictEqual(numberOf(undefined, { fingerprint: null, window: minutes }, 1_000), 0)
  assert.deepStrictEqual([at(1_000), at(1_000 + minutes), at(1_001 + minutes)], [4, 4, 5])
  // one with a key stands for its request also when the answer had arrived
  assert.deepStrictEqual([at(1_000, null, true), at(1_000, "body", true)], [5, 4])
  assert.deepStrictEqual([at(1_000 + minutes, "body", true), at(1_001 + minutes, "body", true)], [4, 5])
})

it("a write whose answer may not have arrived is the same for ten minutes, and another one then", async () => {
  fine(await post(uploading, uploadOf("tenfold", { use_service_ai_voting: false })))
  const { id } = (await findByName(service.call, "tenfold"))!.code_block
  const own = `command_id IN (SELECT command_id FROM events WHERE stream = $1 AND type = 'VoteCast')
    AND command_id NOT IN (SELECT command_id FROM events WHERE stream = $1 AND type = 'SnippetUploaded')`
  const stream = `snippet-${id}`
  // as if no answer had arrived, so long ago
  const age = (time: string) =>
    service.sql(`UPDATE requests SET delivered_at = NULL, recorded_at = now() - $2::text::interval WHERE ${own}`, [
      stream,
      time
    ])
  const votes = async () => (await findByName(service.call, "tenfold"))!.thumbs_up
  const noted = () =>
    vi.waitFor(
      async () =>
        assert.deepStrictEqual(
          await service.sql(`SELECT delivered_at IS NOT NULL AS delivered FROM requests WHERE ${own}`, [stream]),
          [{ delivered: true }]
        ),
      patience
    )
  const before = await votes()
  fine(await vote(service.call, id))
  await noted()
  await age("9 minutes 50 seconds")
  fine(await vote(service.call, id))
  assert.strictEqual(await votes(), before + 1)
  await noted()
  await age("10 minutes 1 second")
  fine(await vote(service.call, id))
  assert.strictEqual(await votes(), before + 2)
})

it("a write that came years ago is another one now, with an Idempotency-Key and without", async () => {
  const first = await startService()
  let again: Service | undefined
  try {
    fine(await first.call("POST", uploading, uploadOf("longstanding", { use_service_ai_voting: false })))
    const { id } = (await findByName(first.call, "longstanding"))!.code_block
    const voting = async ({ call }: Service) => {
      const { thumbs_up } = (await findByName(call, "longstanding"))!
      fine(await vote(call, id))
      fine(await vote(call, id, true, {}, { "idempotency-key": "of long ago" }))
      assert.strictEqual((await findByName(call, "longstanding"))!.thumbs_up, thumbs_up + 2)
    }
    await voting(first)
    await first.stop()
    again = await startService({}, first)
    await again.sql("UPDATE requests SET recorded_at = now() - interval '400 days'")
    await again.stop()
    // what goes by time would go when it begins
    again = await startService({}, first)
    await voting(again)
  } finally {
    await again?.stop()
    await first.close()
  }
})

describe("an Idempotency-Key", () => {
  const header = "idempotency-key"

  it("makes a repeated upload or vote one, also when the answer had arrived", async () => {
    const headers = { [header]: randomUUID() }
    const [first, second] = [
      fine(await post(uploading, uploadOf("keyed"), headers)),
      fine(await post(uploading, uploadOf("keyed"), headers))
    ]
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

  it("is of one of several requests that come with it at once, and the others are told so", async () => {
    for (let round = 0; round < 5; round++) {
      const headers = { [header]: randomUUID() }
      fine(await post(uploading, uploadOf(`voted_${round}`)))
      const { id } = (await findByName(service.call, `voted_${round}`))!.code_block
      const names = Array.from({ length: 4 }, (_, at) => `racing_${round}_${at}`)
      const sent = [
        ...names.map((name) => post(uploading, uploadOf(name), headers)),
        vote(service.call, id, true, {}, headers)
      ]
      const answers = await Promise.all(sent)
      const done = answers.filter(({ status }) => status < 300)
      assert.lengthOf(done, 1, JSON.stringify(answers.map(({ status }) => status)))
      for (const answer of answers) if (answer !== done[0]) refused(answer, 409, "conflict/idempotency_key_reused")
      const there = await Promise.all(names.map((name) => findByName(service.call, name)))
      assert.lengthOf(
        there.filter((one) => one !== undefined),
        done[0] === answers.at(-1) ? 0 : 1
      )
    }
  })

  it("is of all that come with it at once and are the same: one is done, and each gets its answer", async () => {
    for (let round = 0; round < 3; round++) {
      const headers = { [header]: randomUUID() }
      const name = `same_${round}`
      const sent = Array.from({ length: 4 }, () => post(uploading, uploadOf(name), headers))
      const [first, ...others] = (await Promise.all(sent)).map(fine)
      for (const other of others) assert.deepStrictEqual(other, first)
      assert.strictEqual((await findByName(service.call, name))!.thumbs_up, 1)
    }
  })

  it("stands for its first request for 24 hours, and for another one then", async () => {
    const headers = { [header]: randomUUID() }
    fine(await post(uploading, uploadOf("daylong"), headers))
    const age = async (time: string) => {
      // until then it is known by heart; so far the table has all, and is asked
      await vi.waitFor(async () => {
        const told = "position <= (SELECT position FROM reactions WHERE name = 'requests_v2')"
        assert.isEmpty(await service.sql(`SELECT FROM events WHERE request IS NOT NULL AND NOT ${told}`))
      }, patience)
      await service.sql("UPDATE requests SET recorded_at = now() - $1::text::interval WHERE fingerprint IS NOT NULL", [
        time
      ])
    }
    await age("23 hours 59 minutes")
    refused(await post(uploading, uploadOf("afterwards"), headers), 409, "conflict/idempotency_key_reused")
    await age("24 hours 1 minute")
    fine(await post(uploading, uploadOf("afterwards"), headers))
    assert.isDefined(await findByName(service.call, "afterwards"))
    // and that one has it now
    refused(await post(uploading, uploadOf("daylong"), headers), 409, "conflict/idempotency_key_reused")
  })

  it("has 1 to 255 characters", async () => {
    for (const length of [1, 255]) fine(await post(uploading, uploadOf("sized"), { [header]: "k".repeat(length) }))
    for (const value of [" ", "k".repeat(256)])
      refused(await post(uploading, uploadOf("sized"), { [header]: value }), 400, "validation/invalid_field")
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
    refused(
      await post(creating, { email: "k2@example.org", key_name: "k" }, headers),
      409,
      "conflict/idempotency_key_reused"
    )
  })

  it("keeps nothing of a refused request", async () => {
    const headers = { [header]: randomUUID() }
    refused(
      await post(uploading, { ...uploadOf("mended"), succeeded: "yes" }, headers),
      400,
      "validation/invalid_field"
    )
    fine(await post(uploading, uploadOf("mended"), headers))
  })
})
