import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { call as tool } from "#test/mcp/rpc.ts"
import type { Call, Headers } from "#test/service/call.ts"
import { holdReadModels } from "#test/service/cut.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { sendBundle } from "./bundle.ts"
import { functionsBy, table, tracked } from "./functions.ts"
import { refused } from "./problem.ts"
import { findByName, source, stored, upload, vote } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = service.call
})
afterAll(() => service.close())

/** Source and origin of each vote on a snippet, in order. */
const votesOn = async (id: string) => {
  const { json } = await call("GET", `/api/events?type=VoteCast&limit=1000&stream=snippet-${id}`)
  return json.events.map(({ data }: { data: { source: string; text: { origin: string | null } } }) => [
    data.source,
    data.text.origin
  ])
}
const idOf = async (name: string, headers: Headers = {}) => (await findByName(call, name, headers))!.code_block.id

const agents: ReadonlyArray<readonly [string, Headers]> = [
  ["X-Cairn-Agent-Id", { "x-cairn-agent-id": "robot" }],
  ["existing clients' prefix", { "x-raysurfer-agent-id": "robot" }],
  ["the existing MCP server", { "x-raysurfer-sdk-version": "mcp/1.1.0" }]
]

describe("a vote", () => {
  it("is a person's when a person's key gives it and nobody says otherwise, as existing clients send it", async () => {
    await stored(call, "plain")
    const id = await idOf("plain")
    for (const [more, headers] of [
      [{}, {}],
      [{ vote_source: null }, { "x-raysurfer-sdk-version": "python/1.4.2" }],
      [{ vote_source: "human" }, { "x-cairn-agent-id": "" }],
      [{ vote_source: "cli" }, {}],
      [{ vote_source: "sdk" }, {}]
    ] as const)
      assert.strictEqual((await vote(call, id, true, more, headers)).status, 200)
    assert.deepStrictEqual(await votesOn(id), [
      ["human", null],
      ["human", null],
      ["human", null],
      ["human", "cli"],
      ["human", "sdk"]
    ])
  })

  it.each(agents)("is an agent's when an agent speaks, whatever it says of itself: %s", async (by, headers) => {
    const name = `by_${by.replace(/\W/g, "")}`
    await stored(call, name)
    const id = await idOf(name)
    for (const more of [{}, { vote_source: "human" }, { vote_source: "sdk" }, { vote_source: "ai" }]) {
      const { status, json } = await vote(call, id, true, more, headers)
      assert.strictEqual(status, 200)
      const pretends = more.vote_source === "human"
      assert.strictEqual(/vote_source human is ignored: an agent speaks/.test(json.message), pretends, json.message)
    }
    assert.deepStrictEqual(await votesOn(id), [
      ["ai", null],
      ["ai", null],
      ["ai", "sdk"],
      ["ai", null]
    ])
  })

  it("is an agent's when it comes by MCP, and when the caller says so", async () => {
    await stored(call, "bytool")
    const id = await idOf("bytool")
    await vote(call, id, true, { vote_source: "ai" })
    await vote(call, id, true, { vote_source: "mcp" })
    const answer = await tool(service.url, ownerKey, "vote", { code_block_id: id })
    assert.isFalse(answer.failed, answer.text)
    assert.deepStrictEqual(await votesOn(id), [
      ["ai", null],
      ["ai", "mcp"],
      ["ai", "mcp"]
    ])
  })

  it("of an upload and of a bundle are told apart in the same way", async () => {
    const [, robot] = agents[0]!
    for (const [name, more, headers, expected] of [
      ["person", {}, {}, ["human", null]],
      ["robot", {}, robot, ["ai", null]],
      ["liar", { vote_source: "human" }, robot, ["ai", null]],
      ["server", { vote_source: "mcp" }, {}, ["ai", "mcp"]],
      ["terminal", { vote_source: "cli" }, {}, ["human", "cli"]]
    ] as const) {
      const one = await stored(call, `one_${name}`, { user_vote: 1, ...more }, headers)
      const pretends = /vote_source human is ignored/
      assert.strictEqual(pretends.test(one.message), name === "liar", one.message)
      const file = { path: `many_${name}.py`, content: source(`many_${name}`) }
      const body = { files_written: [file], user_votes: { [file.path]: 1 }, prompts: [`many_${name} task`], ...more }
      const many = await call("POST", "/api/store/bulk-execution-result", body, headers)
      assert.strictEqual(pretends.test(many.json.message), name === "liar", many.text)
      assert.deepStrictEqual(await votesOn(await idOf(`one_${name}`)), [expected], name)
      assert.deepStrictEqual(await votesOn(await idOf(`many_${name}`)), [expected], name)
    }
    await stored(call, "tool")
    const used = { cached_code_blocks: [{ code_block_id: await idOf("tool") }], vote_source: "human" }
    await stored(call, "used_by_robot", used, robot)
    await stored(call, "used_by_person", used)
    assert.deepStrictEqual(await votesOn(await idOf("tool")), [
      ["ai", null],
      ["human", null]
    ])
  })

  it("of an agent makes nothing reviewed by a human, and is none of people's votes", async () => {
    const { upload, found, known } = functionsBy(call)
    await upload("unseen", { ...tracked, user_vote: 1 }, table("unseen"), { "x-cairn-agent-id": "robot" })
    const { id } = (await found("unseen")).code_block
    for (const [, headers] of agents) await vote(call, id, true, {}, headers)
    await tool(service.url, ownerKey, "vote", { code_block_id: id })
    const reviewed = async () => (await known("unseen", "Table.rows"))["reviewed_by_human"]
    const people = async () => {
      const body = { task: "unseen task", min_human_upvotes: 1, top_k: 100 }
      const { json } = await call("POST", "/api/retrieve/search", body)
      return json.matches.some(({ code_block }: { code_block: { id: string } }) => code_block.id === id)
    }
    assert.deepStrictEqual([(await found("unseen")).thumbs_up, await reviewed(), await people()], [5, false, false])
    await vote(call, id)
    assert.deepStrictEqual([await reviewed(), await people()], [true, true])
  })

  it("is pending while it is being applied, and is not when the answer has it", async () => {
    await stored(call, "pending")
    const id = await idOf("pending")
    // a first one, so that nothing is left to be looked up
    await vote(call, id, true, {}, { "idempotency-key": "first" })
    assert.strictEqual((await findByName(call, "pending"))!.thumbs_up, 1)
    const again = () => vote(call, id, true, {}, { "idempotency-key": "second" })
    const held = await holdReadModels(service)
    const answers = [await again(), await again()]
    await held.release()
    for (const { status, json } of answers) {
      assert.deepStrictEqual([status, json.success, json.vote_pending], [200, true, true])
      assert.match(json.message, /is being applied/)
    }
    assert.strictEqual((await findByName(call, "pending"))!.thumbs_up, 2)
    const late = await again()
    assert.deepStrictEqual([late.status, late.json.success, late.json.vote_pending], [200, true, false])
    assert.strictEqual(late.json.message, "The vote is accepted, and counts.")
    assert.strictEqual((await findByName(call, "pending"))!.thumbs_up, 2)
  })
})

describe("vote_source", () => {
  it("is refused when nobody knows it", async () => {
    await stored(call, "unknown")
    const id = await idOf("unknown")
    for (const vote_source of ["robot", "AI", "", 1, ["ai"]]) {
      for (const answer of [
        await vote(call, id, true, { vote_source }),
        await upload(call, "unknown2", { vote_source, user_vote: 1 }),
        await sendBundle(call, ["unknown3"], { vote_source })
      ])
        assert.strictEqual(refused(answer, 400, "validation/invalid_field").field, "vote_source")
    }
    assert.deepStrictEqual(await votesOn(id), [])
  })

  it("and vote_count that mean nothing are named in the message", async () => {
    const said = async (more: object) => {
      const one = (await stored(call, `said${JSON.stringify(more).length}`, more)).message as string
      const { user_vote, ...voting } = more as { readonly user_vote?: number }
      const votes = user_vote === undefined ? {} : { user_votes: { "said.py": user_vote } }
      const many = (await sendBundle(call, ["said"], { ...voting, ...votes })).json.message as string
      return [one, many].map((message) => message.replace(/^Stored 1 \w+\.( 1 grading queued\.)?/, ""))
    }
    const off = { use_service_ai_voting: false }
    const both = (what: string) => ["user_vote", "user_votes"].map((field) => ` ${what.replace("FIELD", field)}`)
    for (const vote_source of ["human", "cli", "mcp", "sdk"])
      assert.deepStrictEqual(
        await said({ vote_source }),
        both("vote_source is ignored: without FIELD the service's model votes.")
      )
    assert.deepStrictEqual(
      await said({ ...off, vote_source: "ai" }),
      both("vote_source is ignored: without FIELD nobody votes.")
    )
    assert.deepStrictEqual(
      await said({ ...off, vote_count: 3 }),
      both("vote_count is ignored: without FIELD nobody votes.")
    )
    for (const fitting of [
      {},
      { vote_source: "ai" },
      { vote_count: 3 },
      { ...off, vote_count: 1 },
      { user_vote: 1, vote_source: "human", vote_count: 2 }
    ])
      assert.deepStrictEqual(await said(fitting), ["", ""], JSON.stringify(fitting))
  })
})
