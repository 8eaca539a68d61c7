import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call } from "#test/service/call.ts"
import { begin, holdWrites } from "#test/service/cut.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { bundlePath, file, sendBundle, statusOf } from "./bundle.ts"
import { refused } from "./problem.ts"
import { fine } from "./routes.ts"
import { findByName, source, stored } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = service.call
})
afterAll(() => service.close())

const seen = async (name: string) => {
  const match = await findByName(call, name)
  assert.isDefined(match, `${name} is not found`)
  return match!
}
const eventsOf = (type: string, like = "%") =>
  service.sql<{ readonly data: string; readonly stream: string }>(
    "SELECT data, stream FROM events WHERE type = $1 AND data LIKE $2",
    [type, like]
  )

describe("a bundle", () => {
  it("stores every file as a snippet of its own, and asks for their grading", async () => {
    const answer = await sendBundle(call, ["alpha", "beta"], { vote_count: 3 })
    const json = fine(answer)
    assert.deepInclude(json, { success: true, code_blocks_stored: 2, votes_queued: 2 })
    assert.match(json.message, /^Stored 2 files\. 2 gradings queued\.$/)
    assert.match(json.status_url, /^\/api\/store\/status\/[0-9a-f-]{36}$/)
    for (const name of ["alpha", "beta"]) {
      const { code_block, filename, thumbs_up, thumbs_down } = await seen(name)
      assert.deepStrictEqual([code_block.source, filename], [source(name), `${name}.py`])
      assert.deepStrictEqual(code_block.example_queries, ["Write alpha and beta."])
      assert.deepStrictEqual([thumbs_up, thumbs_down], [0, 0])
    }
    assert.isAtMost(Number(answer.headers.get("cairn-position")), await service.head())
  })

  it("waits for a model when there is none, and says so", async () => {
    const { status_url } = fine(await sendBundle(call, ["patient", "waiting"]))
    const { id, status, reason, votes } = await statusOf(call, status_url)
    assert.deepStrictEqual([status_url.endsWith(`/${id}`), status], [true, "pending"])
    assert.include(reason, "ANTHROPIC_API_KEY")
    const { code_block } = await seen("patient")
    assert.deepInclude(votes, {
      snippet_id: code_block.id,
      filename: "patient.py",
      verdict: "pending",
      reason: null
    })
    assert.strictEqual(votes.length, 2)
    // the form that older documents give
    assert.deepStrictEqual((await statusOf(call, `/api/store/status/ert_${id}`)).votes, votes)
    const single = await stored(call, "single")
    const one = await statusOf(call, single.status_url)
    assert.deepStrictEqual([one.status, one.votes.length], ["pending", 1])
  })

  it("keeps its status to its tenant", async () => {
    const { status_url } = fine(await sendBundle(call, ["secretly"]))
    const other = await organization(service, "ENTERPRISE")
    refused(await other.call("GET", status_url), 404, "not_found/status")
    for (const id of [randomUUID(), "x", "ert_", "%27%20OR%201%3D1", "%00", "ert_%00"]) {
      refused(await call("GET", `/api/store/status/${id}`), 404, "not_found/status")
    }
  })

  it("gives the caller's votes, by path or name, and grades nothing then", async () => {
    const json = fine(
      await sendBundle(call, ["gamma", "delta", "epsilon"], {
        user_votes: { "gamma.py": 1, "/srv/app/delta.py": -1 },
        vote_count: 4,
        vote_source: "cli"
      })
    )
    assert.deepInclude(json, { code_blocks_stored: 3, votes_queued: 0, status_url: null })
    const votes = async (name: string) => {
      const { thumbs_up, thumbs_down } = await seen(name)
      return [thumbs_up, thumbs_down]
    }
    assert.deepStrictEqual(
      [await votes("gamma"), await votes("delta"), await votes("epsilon")],
      [
        [4, 0],
        [0, 4],
        [0, 0]
      ]
    )
    const { code_block } = await seen("gamma")
    const [cast] = await eventsOf("VoteCast", `%${code_block.id}%`)
    assert.deepInclude(JSON.parse(cast!.data), { source: "human", count: 4, request: null })
    assert.isString(JSON.parse(cast!.data).voter)
  })

  it("takes every name of the switch, and null for what is absent", async () => {
    for (const off of ["use_service_ai_voting", "use_raysurfer_ai_voting", "auto_vote"]) {
      const json = fine(await sendBundle(call, [`off_${off}`], { [off]: false }))
      assert.deepInclude(json, { code_blocks_stored: 1, votes_queued: 0, status_url: null })
    }
    const nothing = {
      log_files: null,
      use_service_ai_voting: null,
      user_votes: null,
      vote_source: null,
      vote_count: null,
      per_function_reputation: null
    }
    assert.strictEqual(fine(await sendBundle(call, ["nulls"], nothing)).votes_queued, 1)
    assert.strictEqual(fine(await sendBundle(call, ["novotes"], { user_votes: {}, prompts: [] })).votes_queued, 1)
  })

  it("makes one snippet of two files with the same content, graded once", async () => {
    const files_written = [file("twice", "a/twice.py"), file("twice", "b/twice.py")]
    const json = fine(await sendBundle(call, [], { files_written }))
    assert.deepInclude(json, { code_blocks_stored: 1, votes_queued: 1 })
    const { votes } = await statusOf(call, json.status_url)
    assert.strictEqual(votes.length, 1)
    const { id } = (await seen("twice")).code_block
    assert.lengthOf(await eventsOf("VoteRequested", `%${id}%`), 1)
    const voted = fine(
      await sendBundle(call, [], {
        files_written,
        user_votes: { "a/twice.py": 1, "b/twice.py": 1 },
        prompts: ["again"]
      })
    )
    assert.strictEqual(voted.code_blocks_stored, 1)
    assert.strictEqual((await seen("twice")).thumbs_up, 2)
  })

  it("keeps the reputation of functions when it is asked to, also by logs that come with it", async () => {
    const log = {
      path: "run.log",
      content: 'Traceback (most recent call last):\n  File "tracked.py", line 3, in tracked\nValueError: no\n'
    }
    const more = { per_function_reputation: true, log_files: [log], use_service_ai_voting: false }
    fine(await sendBundle(call, ["tracked", "untouched"], more))
    const { code_block } = await seen("tracked")
    assert.strictEqual((await eventsOf("FunctionsTracked", `%${code_block.id}%`)).length, 1)
    const [observed] = await service.sql<{ text: string }>(
      `SELECT convert_from(p.bytes, 'UTF8') AS text FROM payloads p JOIN events e ON e.event_id = p.id
       WHERE e.type = 'FunctionsObserved' AND e.stream = $1`,
      [`snippet-${code_block.id}`]
    )
    assert.include(observed!.text, "ValueError")
    const other = (await seen("untouched")).code_block
    assert.strictEqual((await eventsOf("FunctionsTracked", `%${other.id}%`)).length, 1)
  })

  it("lives in the scope of its headers", async () => {
    const headers = { "x-cairn-workspace-id": "bulky" }
    fine(await sendBundle(call, ["scoped"], {}, headers))
    assert.isUndefined(await findByName(call, "scoped"))
    assert.isDefined(await findByName(call, "scoped", headers))
  })

  it("is one when it is sent again", async () => {
    const headers = { "idempotency-key": randomUUID() }
    const body = { user_votes: { "keyed.py": 1 } }
    const first = fine(await sendBundle(call, ["keyed"], body, headers))
    assert.deepStrictEqual(fine(await sendBundle(call, ["keyed"], body, headers)), first)
    assert.strictEqual((await seen("keyed")).thumbs_up, 1)
    const [one, two] = await Promise.all([sendBundle(call, ["joined"], body2), sendBundle(call, ["joined"], body2)])
    assert.deepStrictEqual(fine(one), fine(two))
    assert.strictEqual((await eventsOf("UploadReceived")).length, (await eventsOf("UploadStored")).length)
  })
  const body2 = { use_service_ai_voting: false }
})

describe("a bundle whose caller has left", () => {
  it("is stored all the same, and sent again is the same", async () => {
    const before = (await eventsOf("UploadReceived")).length
    const body = {
      prompts: ["left"],
      files_written: [file("left_one"), file("left_two")],
      user_votes: { "left_one.py": 1 }
    }
    const log = await holdWrites(service)
    const sending = begin(service, bundlePath, body)
    await log.waiting(1)
    await sending.cut()
    await log.release()
    assert.strictEqual(fine(await call("POST", bundlePath, body)).code_blocks_stored, 2)
    assert.strictEqual((await eventsOf("UploadReceived")).length, before + 1)
    assert.strictEqual((await seen("left_one")).thumbs_up, 1)
  })
})

describe("a bundle that is not well-formed", () => {
  it("is told everything at once, and stores nothing", async () => {
    const before = (await eventsOf("UploadReceived")).length
    const wrong = refused(
      await call("POST", bundlePath, {
        prompts: ["", 3],
        files_written: [{ path: "", content: "x" }, { path: "a.py", content: "y".repeat(1_048_577) }, { path: "b.py" }],
        log_files: [
          { path: "l", content: 1, encoding: "base64" },
          { path: "m", content: "", encoding: "utf-16" }
        ],
        vote_count: 101,
        user_votes: { "a.py": 2 },
        per_function_reputation: "yes"
      }),
      400,
      "validation/invalid_field"
    )
    const fields = wrong.errors.map(({ field }) => field)
    for (const field of [
      ...["prompts.0", "prompts.1", "files_written.0.path", "files_written.1.content", "files_written.2.content"],
      ...["log_files.0.content", "log_files.1.encoding", "vote_count", "user_votes.a.py", "per_function_reputation"]
    ]) {
      assert.include(fields, field)
    }
    // large ones are decoded in steps, behind all that a look at the body tells
    const log_files = [
      { path: "k", content: "b2s=", encoding: "base64" },
      { path: "l", content: "no base64!", encoding: "base64" }
    ]
    const undecoded = refused(await sendBundle(call, ["n"], { log_files }), 400, "validation/invalid_field")
    assert.strictEqual(undecoded.field, "log_files.1.content")
    for (const files_written of [[], Array.from({ length: 201 }, (_, n) => file(`n${n}`))]) {
      const { field } = refused(await sendBundle(call, [], { files_written }), 400, "validation/invalid_field")
      assert.strictEqual(field, "files_written")
    }
    for (const missing of ["prompts", "files_written"]) {
      const { [missing]: _, ...body } = { prompts: ["p"], files_written: [file("n")] } as Record<string, unknown>
      assert.strictEqual(refused(await call("POST", bundlePath, body), 400, "validation/invalid_field").field, missing)
    }
    const logs = refused(
      await sendBundle(call, ["n"], {
        log_files: [{ content: "x" }, { path: "l" }, { path: "l", content: "x", content_type: 1 }]
      }),
      400,
      "validation/invalid_field"
    )
    assert.sameMembers(
      logs.errors.map(({ field }) => field),
      ["log_files.0.path", "log_files.1.content", "log_files.2.content_type"]
    )
    assert.strictEqual((await eventsOf("UploadReceived")).length, before)
  })

  it("names every vote that finds no file or several, every path that comes twice, and too many logs", async () => {
    const half = { path: "l", content: "x".repeat(8_388_609) }
    const wrong = refused(
      await sendBundle(call, [], {
        files_written: [file("one", "a/one.py"), file("two", "b/one.py"), file("three", "a/one.py")],
        user_votes: { "one.py": 1, "two.py": -1, "b/one.py": 1 },
        log_files: [half, { ...half, path: "m" }]
      }),
      400,
      "validation/invalid_field"
    )
    assert.sameMembers(
      wrong.errors.map(({ field }) => field),
      ["files_written.2.path", "user_votes.one.py", "user_votes.two.py", "log_files"]
    )
    assert.isUndefined(await findByName(call, "one"))
  })
})
