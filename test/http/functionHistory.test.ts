import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { schemaOf } from "#engine/Projection.ts"
import { Functions } from "#projections/Functions/tables.ts"
import { replay } from "#src/audit/replay.ts"
import type { Call } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { functionsBy, report, table, traceback, tracked } from "./functions.ts"
import { refused } from "./problem.ts"
import { remove, stored } from "./store.ts"

let service: Service
let call: Call
let by: ReturnType<typeof functionsBy>
beforeAll(async () => {
  service = await startService()
  call = service.call
  by = functionsBy(call)
})
afterAll(() => service.close())

const bigints = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value)

describe("other tenants", () => {
  const body = "return 'public ' + path"
  it("see what published snippets show of a function, and of logs nothing but the errors' types", async () => {
    const owner = await organization(service, "ENTERPRISE")
    const logs = (name: string) => traceback("PermissionError", `/home/${name}`, "load") + report({ load: [2, 4, 0] })
    const send = (name: string, more: object) =>
      stored(
        owner.call,
        name,
        {
          file_written: { path: `${name}.py`, content: table(name, body) },
          ...tracked,
          user_vote: 1,
          execution_logs: logs(name),
          ...more
        },
        { "x-cairn-agent-id": "agent-9" }
      )
    await send("hidden", { vote_count: 50 })
    await send("shown", { public: true, vote_count: 2 })
    await by.upload("shown", { ...tracked, user_vote: -1 }, table("mine", body))
    const anyone = { "x-cairn-public-snips": "true" }

    const own = (await by.functionsOf("shown", owner.call, { "x-cairn-agent-id": "agent-9" }))[0]!
    assert.deepInclude(own, { thumbs_up: 52, execution_count: 2, total_logged_calls: 4, author_agent: "agent-9" })
    assert.sameMembers(own["common_errors"] as [], ["PermissionError: /home/hidden", "PermissionError: /home/shown"])

    const foreign = (await by.functionsOf("shown", call, anyone))[0]!
    assert.strictEqual(foreign.fingerprint, own.fingerprint)
    assert.deepInclude(foreign, {
      thumbs_up: 2,
      thumbs_down: 0,
      execution_count: 1,
      total_logged_calls: 2,
      author_agent: null,
      common_errors: ["PermissionError"]
    })
    // the caller's own snippets with this function are the caller's own reputation
    const { text } = await by.page(own.fingerprint, call, anyone)
    assert.include(text, "Votes: +0 −1")
    assert.notInclude(text, "/home/")
    const third = await organization(service, "ENTERPRISE")
    refused(await by.page(own.fingerprint, third.call), 404, "not_found/function")
    const seen = (await by.page(own.fingerprint, third.call, anyone)).text
    assert.include(seen, "Votes: +2 −0")
    assert.notMatch(seen, /hidden|\/home\/|agent-9/)
  })
})

describe("workspaces of one tenant", () => {
  it("share a function's numbers, and no text of each other's logs", async () => {
    const body = "return 'sibling ' + path"
    const of = (workspace: string) => ({ "x-cairn-workspace-id": workspace })
    for (const name of ["alpha", "beta"]) {
      const execution_logs = traceback("IOError", `of ${name}`, "load")
      await by.upload(name, { ...tracked, execution_logs }, table(name, body), {
        ...of(name),
        "x-cairn-agent-id": name
      })
    }
    const [load] = await by.functionsOf("beta", call, of("beta"))
    assert.deepInclude(load!, { execution_count: 2, common_errors: ["IOError: of beta"], author_agent: "beta" })
    const { text } = await by.page(load!.fingerprint, call, of("beta"))
    assert.include(text, "IOError: of beta")
    assert.notInclude(text, "alpha")
    refused(await by.page(load!.fingerprint), 404, "not_found/function")
  })
})

describe("a function's history", () => {
  it("is one page of Markdown, which no text from outside breaks", async () => {
    const nasty = "`` ` <script>alert(1)</script> [x](javascript:1) | # h"
    const logs = traceback("ValueError", nasty, "load") + report({ load: [1, 1, 0] })
    const content = table("nasty", "return 'nasty'")
    await by.upload("nasty", { ...tracked, execution_logs: logs, succeeded: false }, content)
    const { fingerprint } = await by.known("nasty", "load")
    const { status, text, headers } = await by.page(fingerprint)
    assert.deepStrictEqual([status, headers.get("content-type")], [200, "text/markdown; charset=utf-8"])
    assert.strictEqual((await call("GET", `/api/functions/${fingerprint}`)).text, text)
    const lines = text.split("\n")
    assert.strictEqual(lines[0], "# Function `load`")
    assert.include(lines, "`def load(path)`")
    assert.include(lines, `- \`\`\`ValueError: ${nasty}\`\`\` ×1`)
    assert.isTrue(
      lines.some((line) => /^- \S+ failed in `load` · 1 call · ```ValueError/.test(line)),
      text
    )
    assert.lengthOf(
      lines.filter((line) => line.startsWith("#")),
      5
    )
  })

  it("is not there for what is no function of the scope", async () => {
    const unknown = `fn_${"0".repeat(64)}`
    for (const path of [unknown, "fn_1", "%00", "..%2f..%2fetc"])
      refused(await by.page(path), 404, "not_found/function")
    const { status } = await service.as("")("GET", `/api/functions/${unknown}.md`)
    assert.strictEqual(status, 401)
  })
})

describe("deleting", () => {
  it("takes a snippet's part of a reputation with it, and a replay makes the same of what is left", async () => {
    const body = "return 'gone ' + path"
    const logs = traceback("GoneError", "the words of goner", "load") + report({ load: [5, 1, 0] })
    await by.upload("goner", { ...tracked, execution_logs: logs, user_vote: 1, vote_count: 7 }, table("goner", body))
    await by.upload("stayer", { ...tracked, user_vote: -1 }, table("stayer", body))
    const before = await by.known("stayer", "load")
    assert.deepInclude(before, { thumbs_up: 7, thumbs_down: 1, total_logged_calls: 5 })
    const { id } = (await by.found("goner")).code_block
    assert.strictEqual((await remove(call, id)).status, 200)
    assert.deepInclude(await by.known("stayer", "load"), {
      thumbs_up: 0,
      thumbs_down: 1,
      total_logged_calls: 0,
      execution_count: 1,
      common_errors: []
    })
    const tables = await Promise.all(
      Object.keys(Functions.tables).map((name) => service.sql(`SELECT * FROM ${schemaOf(Functions)}.${name}`))
    )
    for (const word of [id, "the words of goner"]) assert.notInclude(JSON.stringify(tables, bigints), word)
    const { differences, events } = await service.run(replay(Functions, { promote: false, progress: () => undefined }))
    assert.deepStrictEqual(differences, [])
    assert.isAbove(events, 20)
  })
})
