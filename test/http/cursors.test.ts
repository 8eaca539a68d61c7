import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { upToDate } from "#src/cli/log.ts"
import { projections } from "#src/readModels.ts"
import { type Call, send } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { findByName, stored, vote } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = (await organization(service, "PRO")).call
})
afterAll(() => service.close())

interface Page {
  readonly snippets: ReadonlyArray<{ readonly name: string }>
  readonly matches: ReadonlyArray<{ readonly name: string; readonly score: number }>
  readonly total_found: number
  readonly has_more: boolean
  readonly next_cursor: string | null
}
const listPath = "/api/snippets/public/list"
const logsPath = "/api/raw/search"
const list = async (body: object): Promise<Page> => {
  const { status, json, text } = await send(service.url, "POST", listPath, body, {})
  assert.strictEqual(status, 200, text)
  return json
}
const logs = async (body: object): Promise<Page> => {
  const { status, json, text } = await call("POST", logsPath, { query: "puffin", ...body })
  assert.strictEqual(status, 200, text)
  return json
}
const publish = (name: string) => stored(call, name, { public: true, use_service_ai_voting: false })
const voted = async (name: string) => {
  await vote(call, (await findByName(call, name))!.code_block.id)
}
const names = (pages: ReadonlyArray<Page>) => pages.flatMap(({ snippets }) => snippets.map(({ name }) => name))

/** All pages of a list, while somebody writes between them. */
const through = async (
  ask: (body: object) => Promise<Page>,
  body: object,
  between: ReadonlyArray<() => Promise<unknown>>
): Promise<ReadonlyArray<Page>> => {
  const pages = [await ask(body)]
  for (let cursor = pages[0]!.next_cursor; cursor !== null; cursor = pages.at(-1)!.next_cursor) {
    assert.match(cursor, /^[\w-]+$/)
    assert.isTrue(pages.at(-1)!.has_more)
    await between[pages.length - 1]?.()
    pages.push(await ask({ ...body, cursor }))
  }
  assert.isFalse(pages.at(-1)!.has_more)
  return pages
}

describe("a list goes on where it was", () => {
  const birds = ["auk", "bustard", "crake", "dunlin", "egret"]

  it("public snippets by time, while others are published", async () => {
    for (const name of birds) await publish(name)
    const newest = [...birds].reverse()
    const pages = await through(list, { sort_by: "recent", limit: 2 }, [() => publish("finch"), () => publish("gull")])
    assert.deepStrictEqual(names(pages), newest)
    // a page by its number has moved by then: what was on the first one is on the second one too
    const [first] = await Promise.all([list({ sort_by: "recent", limit: 2 })])
    await publish("heron")
    const second = await list({ sort_by: "recent", limit: 2, offset: 2 })
    assert.strictEqual(second.snippets[0]!.name, first!.snippets[1]!.name)
  })

  it("public snippets by votes, while others are published and voted on", async () => {
    for (const name of ["auk", "auk", "auk", "crake", "crake", "egret"]) await voted(name)
    const pages = await through(list, { limit: 2 }, [
      async () => {
        await voted("auk")
        await voted("crake")
        await voted("egret")
        await publish("ibis")
      }
    ])
    const seen = names(pages)
    assert.deepStrictEqual(seen.slice(0, 2), ["auk", "crake"])
    assert.deepStrictEqual(seen, [...new Set(seen)])
    // each that was there is seen, but for one that rises past the page
    for (const name of ["bustard", "dunlin", "finch", "gull", "heron"]) assert.include(seen, name)
    assert.isFalse(pages.at(-1)!.has_more)
  })

  it("logs, best first, as they were at the first page", async () => {
    for (let times = 1; times <= 5; times++) {
      await stored(call, `log${times}`, { execution_logs: "a puffin\n".repeat(times) })
    }
    const more = (name: string) => stored(call, name, { execution_logs: "a puffin here\n".repeat(3) })
    const pages = await through(logs, { limit: 2 }, [() => more("log6"), () => more("log7")])
    const seen = pages.flatMap(({ matches }) => matches)
    assert.deepStrictEqual(seen.map(({ name }) => name).sort(), ["log1", "log2", "log3", "log4", "log5"])
    const scores = seen.map(({ score }) => score)
    assert.deepStrictEqual(
      scores,
      [...scores].sort((one, other) => other - one)
    )
    assert.deepStrictEqual(
      pages.map(({ total_found }) => total_found),
      [5, 5, 5]
    )
    assert.strictEqual((await logs({})).total_found, 7)
  })

  it("task patterns, those of similar tasks first, while others are voted on", async () => {
    const { call: own } = await organization(service, "PRO")
    await stored(own, "kiwi", { use_service_ai_voting: false })
    await stored(own, "lark", { use_service_ai_voting: false })
    const [kiwi, lark] = [(await findByName(own, "kiwi"))!, (await findByName(own, "lark"))!].map(
      ({ code_block }) => code_block.id
    )
    // votes for and against, so that all parts of the order matter: alike tasks of equal votes too
    for (const [task, up, down] of [
      ...([
        ["count wild birds", 1, 0],
        ["count wild birds twice", 2, 1],
        ["count sheep", 1, 1]
      ] as const),
      ...([
        ["paint a fence", 3, 0],
        ["paint a wall", 0, 2],
        ["mend a fence", 0, 2],
        ["mow a lawn", 1, 0]
      ] as const)
    ]) {
      for (let n = 0; n < up; n++) await vote(own, kiwi!, true, { task })
      for (let n = 0; n < down; n++) await vote(own, kiwi!, false, { task })
    }
    const patterns = async (body: object) => {
      const { status, json, text } = await own("POST", "/api/retrieve/task-patterns", body)
      assert.strictEqual(status, 200, text)
      return { ...json, has_more: json.next_cursor !== null }
    }
    // the same votes at the same time: which snippet it is decides; once all of them are counted
    await vote(own, lark!, true, { task: "count wild birds" })
    await service.run(upToDate(...projections))
    assert.lengthOf((await patterns({})).patterns, 8)
    await service.sql(
      "UPDATE patterns_v3.patterns SET last_up = '2031-01-01T00:00:00Z' WHERE task = 'count wild birds'"
    )
    const tasks = (
      pages: ReadonlyArray<{ patterns?: ReadonlyArray<{ task_pattern: string; code_block_id: string }> }>
    ) => pages.flatMap(({ patterns }) => patterns!.map((one) => `${one.task_pattern} ${one.code_block_id}`))
    for (const asked of [{ task: "count birds" }, {}, { code_block_id: "kiwi" }, { min_thumbs_up: 1 }]) {
      const all = await patterns(asked)
      assert.strictEqual(all.next_cursor, null)
      for (const top_k of [1, 3]) {
        const pages = await through(patterns, { ...asked, top_k }, [])
        assert.deepStrictEqual(tasks(pages as never), tasks([all]), JSON.stringify({ ...asked, top_k }))
      }
    }
    // one that comes to the beginning meanwhile moves nothing
    const before = tasks([await patterns({})])
    const pages = await through(patterns, { top_k: 3 }, [
      async () => {
        // one after the other: alike ones at the same time are one that was sent again
        for (let n = 0; n < 4; n++) await vote(own, lark!, true, { task: "sing" })
      }
    ])
    assert.deepStrictEqual(tasks(pages as never), before)
    const { next_cursor: cursor } = await patterns({ top_k: 1 })
    const elsewhere = await own("POST", "/api/retrieve/task-patterns", { task: "count birds", cursor })
    assert.strictEqual(refused(elsewhere, 400, "validation/invalid_field").field, "cursor")
  })

  it("not with a cursor of another question, a made-up one, or an offset beside it", async () => {
    const { next_cursor } = await list({ limit: 1, sort_by: "recent" })
    const made = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const [digest] = JSON.parse(Buffer.from(next_cursor!, "base64url").toString())
    for (const body of [
      ...[{ cursor: "nonsense" }, { cursor: next_cursor }, { cursor: next_cursor, sort_by: "upvoted" }],
      ...[{ cursor: next_cursor, sort_by: "recent", language: "python" }, { cursor: "" }],
      ...[[digest], [digest, [1e300, 0, "a"]], [digest, [0, -1, "a"]], [digest, [0, 1e17, "a"]]].map((value) => ({
        cursor: made(value),
        sort_by: "recent"
      })),
      { cursor: made([digest, [0, 0, "\0"]]), sort_by: "recent" }
    ]) {
      const answer = await send(service.url, "POST", listPath, body, {})
      assert.strictEqual(refused(answer, 400, "validation/invalid_field").field, "cursor", JSON.stringify(body))
    }
    const beside = { cursor: next_cursor, sort_by: "recent", limit: 1 }
    refused(await send(service.url, "POST", listPath, { ...beside, offset: 1 }, {}), 400, "validation/invalid_field")
    // as the clients send it, who always send an offset
    assert.lengthOf((await list({ ...beside, offset: 0 })).snippets, 1)
    const ofLogs = (await logs({ limit: 1 })).next_cursor!
    const other = await call("POST", logsPath, { query: "other", cursor: ofLogs })
    assert.strictEqual(refused(other, 400, "validation/invalid_field").field, "cursor")
    // another organization's place opens nothing of it, and is none of theirs
    const { call: stranger } = await organization(service, "PRO")
    const theirs = await stranger("POST", logsPath, { query: "puffin", limit: 1, cursor: ofLogs })
    assert.strictEqual(refused(theirs, 400, "validation/invalid_field").field, "cursor")
  })
})

describe("a list that nobody had to bound", () => {
  const walk = async (path: string, method: "GET" | "POST", by: Call, field: string) => {
    const seen: Array<Record<string, string>> = []
    let cursor: string | null = ""
    for (let pages = 0; cursor !== null; pages++) {
      assert.isBelow(pages, 10)
      const from: string = cursor === "" ? "" : `&cursor=${cursor}`
      const { status, json, text } = await by(method, `${path}?limit=2${from}`)
      assert.strictEqual(status, 200, text)
      assert.isAtMost(json[field].length, 2)
      seen.push(...json[field])
      cursor = json.next_cursor
    }
    return seen
  }

  it("of keys has a cursor, and is what it was without one", async () => {
    const { call: owner } = await organization(service, "ENTERPRISE")
    for (const name of ["a", "b", "c", "d"])
      await owner("POST", "/api/keys/org/create", { email: `${name}@x.test`, key_name: name })
    const { json } = await owner("POST", "/api/keys/org/list")
    assert.deepStrictEqual([json.keys.length, json.next_cursor], [5, null])
    assert.sameMembers(Object.keys(json.keys[0]), [
      ...["id", "name", "key_prefix", "user_email", "user_id", "role", "created_at", "last_used_at"],
      ...["acts_for", "acts_as", "read_only", "expires_at", "workspaces", "models"]
    ])
    const paged = await walk("/api/keys/org/list", "POST", owner, "keys")
    assert.deepStrictEqual(
      paged.map(({ id }) => id),
      json.keys.map(({ id }: { id: string }) => id)
    )
    const bad = await owner("POST", "/api/keys/org/list?cursor=x")
    assert.strictEqual(refused(bad, 400, "validation/invalid_field").field, "cursor")
  })

  it("of workspaces has one too, and none comes twice while one changes", async () => {
    const { call: owner } = await organization(service, "PRO")
    const chat = (user_id: string) =>
      owner("POST", "/api/agent-chat", { user_query: "parse a CSV file", user_id, org_id: "acme" })
    for (const user of ["a", "b", "c", "d", "e"]) assert.strictEqual((await chat(user)).status, 200)
    const { json } = await owner("GET", "/api/workspaces")
    assert.deepStrictEqual([json.workspaces.length, json.next_cursor], [5, null])
    const paged = await walk("/api/workspaces", "GET", owner, "workspaces")
    assert.deepStrictEqual(paged, json.workspaces)
    const first = (await owner("GET", "/api/workspaces?limit=3")).json
    await chat(first.workspaces[0].user_id)
    const rest = (await owner("GET", `/api/workspaces?limit=3&cursor=${first.next_cursor}`)).json
    assert.deepStrictEqual(
      [...first.workspaces, ...rest.workspaces].map(({ workspace_id }) => workspace_id),
      json.workspaces.map(({ workspace_id }: { workspace_id: string }) => workspace_id)
    )
  })
})
