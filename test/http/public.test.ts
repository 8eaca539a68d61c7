import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Call, send } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { newInstallation, removeInstallation, type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { findByName, matches, remove, source, stored, upload, vote } from "./store.ts"

let service: Service
let publisher: Call
let tenant: string
beforeAll(async () => {
  service = await startService()
  const made = await organization(service, "PRO")
  publisher = made.call
  tenant = made.id
})
afterAll(() => service.close())

const anyone = (path: string, body: object = {}, headers = {}) => send(service.url, "POST", path, body, headers)
const list = async (body: object = {}, headers = {}) => {
  const { status, json, text } = await anyone("/api/snippets/public/list", body, headers)
  assert.strictEqual(status, 200, text)
  return json
}
const search = async (query: string, body: object = {}) => {
  const { status, json, text } = await anyone("/api/snippets/public/search", { query, ...body })
  assert.strictEqual(status, 200, text)
  return json
}
const names = (json: { readonly snippets: ReadonlyArray<{ readonly name: string }> }) =>
  json.snippets.map(({ name }) => name)

/** Put together here, so that nobody who looks through this repository takes it for a real one. */
const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`

describe("public snippets", () => {
  it("are listed and searched by anyone, without a word of whose they are", async () => {
    await stored(publisher, "hidden")
    for (const name of ["gibbon", "macaque", "mandrill"]) {
      await stored(
        publisher,
        name,
        { public: true, task: `${name} for ACME`, use_service_ai_voting: false },
        { "x-cairn-agent-id": "bot" }
      )
    }
    const go = "package main\n\n// Gibbons swing.\nfunc gibbonGo() int { return 1 }\n"
    await stored(publisher, "gibbonGo", { public: true, file_written: { path: "gibbon.go", content: go } })
    const idOf = async (name: string) => (await findByName(publisher, name))!.code_block.id
    await vote(publisher, await idOf("macaque"))
    const all = await list()
    assert.deepStrictEqual([all.total, all.has_more], [4, false])
    assert.deepStrictEqual(names(all), ["macaque", "gibbonGo", "mandrill", "gibbon"])
    assert.deepStrictEqual(names(await list({ sort_by: "recent" })), ["gibbonGo", "mandrill", "macaque", "gibbon"])
    const { created_at, ...first } = all.snippets[0]
    assert.isFalse(Number.isNaN(Date.parse(created_at)))
    assert.deepStrictEqual(first, {
      id: await idOf("macaque"),
      name: "macaque",
      description: "Does macaque.",
      source: source("macaque"),
      language: "python",
      entrypoint: "macaque",
      thumbs_up: 1,
      thumbs_down: 0,
      namespace: "community"
    })
    const page = await list({ limit: 1, offset: 1 })
    assert.deepStrictEqual([names(page), page.total, page.has_more], [["gibbonGo"], 4, true])
    assert.deepStrictEqual(names(await list({ language: "Go" })), ["gibbonGo"])
    assert.deepStrictEqual([names(await list({ language: "cobol" })), (await list({ language: "go" })).total], [[], 1])

    const found = await search("gibbon")
    assert.sameMembers(names(found), ["gibbon", "gibbonGo"])
    assert.deepStrictEqual([found.total, found.query], [2, "gibbon"])
    assert.deepStrictEqual(names(await search("gibbon", { language: "go" })), ["gibbonGo"])
    assert.strictEqual((await search("gibbon", { limit: 1 })).total, 2)
    assert.deepStrictEqual(names(await search("hidden")), [])
    for (const answer of [all, found]) {
      for (const word of [tenant, "PRO & Co", "ACME", "bot"]) assert.notInclude(JSON.stringify(answer), word)
    }
    // a key that is none does not matter
    assert.strictEqual((await list({}, { authorization: "Bearer nonsense" })).total, 4)
    assert.strictEqual((await remove(publisher, await idOf("macaque"))).status, 200)
    assert.deepStrictEqual([(await list()).total, names(await search("macaque"))], [3, []])
  })

  it("show nobody else whose task or agent they were", async () => {
    const everyones = { "x-cairn-public-snips": "true" }
    const task = "narwhal juggling for ACME"
    const content = source("narwhal")
    await stored(publisher, "narwhal", { task, public: true }, { "x-cairn-agent-id": "acme-bot" })
    const mine = (await matches(publisher, "narwhal"))[0]!
    assert.deepStrictEqual([mine.code_block.example_queries, mine.agent_id], [[task], "acme-bot"])
    const { call: reader } = await organization(service, "FREE")
    const theirs = (await matches(reader, "narwhal", {}, everyones))[0]!
    assert.strictEqual(theirs.code_block.source, content)
    assert.deepStrictEqual([theirs.code_block.example_queries, theirs.agent_id], [null, null])
    assert.notInclude(JSON.stringify(theirs), "ACME")
  })

  it("are asked for within limits", async () => {
    const refusedField = async (path: string, body: object) =>
      refused(await anyone(path, body), 400, "validation/invalid_field").field
    for (const [body, field] of [
      [{ limit: 0 }, "limit"],
      [{ limit: 101 }, "limit"],
      [{ offset: -1 }, "offset"],
      [{ sort_by: "best" }, "sort_by"],
      [{ language: "" }, "language"]
    ] as const) {
      assert.strictEqual(await refusedField("/api/snippets/public/list", body), field)
    }
    assert.strictEqual(await refusedField("/api/snippets/public/search", {}), "query")
    assert.strictEqual((await anyone("/api/snippets/public/list", { limit: null, language: null })).status, 200)
  })

  const forwardedFor = (url: string) => async (forwarded: string) =>
    send(url, "POST", "/api/snippets/public/list", {}, { "x-forwarded-for": forwarded })

  it("have a rate of their own by the client's address, as a trusted proxy tells it", async () => {
    const limited = await startService({
      CAIRN_RATE_LIMITS: "other=3",
      CAIRN_TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1,::1"
    })
    const ask = forwardedFor(limited.url)
    try {
      for (let n = 0; n < 3; n++) assert.strictEqual((await ask("203.0.113.7")).status, 200)
      // what a client has written itself stands further left; a proxy that is trusted too is no client
      const answer = await ask("198.51.100.1, 203.0.113.7, 10.9.8.7")
      refused(answer, 429, "rate_limit/exceeded")
      assert.isAtLeast(Number(answer.headers.get("retry-after")), 1)
      // somebody else behind the same proxy
      assert.strictEqual((await ask("203.0.113.8")).status, 200)
    } finally {
      await limited.close()
    }
  })

  it("have one rate for all that comes from a peer that nobody called a proxy, also from this machine", async () => {
    const limited = await startService({ CAIRN_RATE_LIMITS: "other=3", CAIRN_TRUSTED_PROXIES: "10.0.0.0/8" })
    const ask = forwardedFor(limited.url)
    try {
      for (let n = 0; n < 3; n++) assert.strictEqual((await ask(`203.0.113.${n}`)).status, 200)
      refused(await ask("203.0.113.8"), 429, "rate_limit/exceeded")
    } finally {
      await limited.close()
    }
  })
})

describe("publishing", () => {
  const secretly = (name: string, value: string) =>
    `def ${name}():\n    """Does it."""\n    key = "${value}"\n    return key\n`
  const cairnKey = `cairn_live_${"Ab1".repeat(14)}Z`

  it("is refused for a text with a secret, by field, line and kind, and never repeats it", async () => {
    const head = await service.head()
    const send = (more: object) => upload(publisher, "leaky", { public: true, ...more })
    for (const secret of [token, cairnKey, "postgres://admin:hunter2isnotgood@db.example.com/x"]) {
      const answer = await send({ file_written: { path: "leaky.py", content: secretly("leaky", secret) } })
      const problem = refused(answer, 400, "validation/secret_found")
      assert.strictEqual(problem.field, "file_written.content")
      assert.include(problem.message, "line 3")
      assert.notInclude(answer.text, secret)
    }
    assert.strictEqual(refused(await send({ task: `use ${token}` }), 400, "validation/secret_found").field, "task")
    const legacy = {
      file_written: null,
      files_written: [1, 2].map((n) => ({ path: `${n}.py`, content: n === 2 ? secretly("x", token) : "x = 1" }))
    }
    assert.strictEqual(refused(await send(legacy), 400, "validation/secret_found").field, "files_written.1.content")
    const block = { name: "n", source: secretly("b", token), entrypoint: "b", language: "python", public: true }
    assert.strictEqual(
      refused(await publisher("POST", "/api/store/code-block", block), 400, "validation/secret_found").field,
      "source"
    )
    const repo = {
      task: "t",
      files: [
        { path: "ok.py", content: "x = 1" },
        { path: "b.py", content: secretly("b", token) }
      ],
      public: true
    }
    assert.strictEqual(
      refused(await publisher("POST", "/api/store/repo", repo), 400, "validation/secret_found").field,
      "files.1.content"
    )
    const [row] = await service.sql<{ rows: bigint }>(
      "SELECT count(*) AS rows FROM events WHERE position > $1 AND type LIKE 'Snippet%'",
      [head]
    )
    assert.strictEqual(Number(row!.rows), 0)
    for (const secret of [token, cairnKey]) assert.notInclude(service.log.join("\n"), secret)
  })

  it("is refused for the same text when it was private before, and not for private texts", async () => {
    const more = { file_written: { path: "mine.py", content: secretly("mine", token) } }
    await stored(publisher, "mine", more)
    refused(await upload(publisher, "mine", { ...more, public: true }), 400, "validation/secret_found")
    const everyones = { "x-cairn-public-snips": "true" }
    const { call: reader } = await organization(service, "FREE")
    assert.isUndefined(await findByName(reader, "mine", everyones))
    assert.notInclude(names(await list({ limit: 100 })), "mine")
  })

  it("is refused for what is no text", async () => {
    const picture = `\u0089PNG\r\n\u001a\n${"\ufffd\u0001\u0002\ufffd".repeat(50)}`
    const answer = await upload(publisher, "picture", {
      public: true,
      file_written: { path: "a.png", content: picture }
    })
    assert.strictEqual(refused(answer, 400, "validation/not_text").field, "file_written.content")
    await stored(publisher, "picture", { file_written: { path: "a.png", content: picture } })
    const colours = "print('\u001b[31mred\u001b[0m')\n# 日本語 ümläut \u200d emoji 🎉\n"
    await stored(publisher, "colours", { public: true, file_written: { path: "colours.py", content: colours } })
  })

  it("is refused for what was said of the same code when it was private, and takes nothing more once it is public", async () => {
    const block = { name: "Talked", source: source("talked"), entrypoint: "talked", language: "python" }
    const { json } = await publisher("POST", "/api/store/code-block", { ...block, description: `Needs ${token}.` })
    const path = { file_written: { path: "talked.py", content: block.source } }
    const answer = await upload(publisher, "talked", { ...path, public: true })
    assert.strictEqual(refused(answer, 400, "validation/secret_found").field, "stored.description")
    assert.notInclude(answer.text, token)
    assert.strictEqual((await remove(publisher, json.code_block_id)).status, 200)
    await stored(publisher, "talked", { ...path, public: true, dependencies: { one: "1" } })
    await stored(publisher, "talked", { ...path, dependencies: { two: `https://${token}@example.org` } })
    assert.deepStrictEqual((await findByName(publisher, "talked"))!.code_block.dependencies, { one: "1" })
  })
})

describe("with CAIRN_PUBLIC=off", () => {
  it("nothing is published or found by others, and everyone is told so", async () => {
    const installation = await newInstallation()
    const open = await startService({}, installation)
    await stored(open.call, "shown", { public: true })
    await open.stop()
    const closed = await startService({ CAIRN_PUBLIC: "off" }, installation)
    try {
      const { call: owner } = await organization(closed, "PRO")
      const head = await closed.head()
      refused(await upload(owner, "shy", { public: true }), 403, "permission/public_off")
      const block = { name: "n", source: source("b"), entrypoint: "b", language: "python", public: true }
      refused(await owner("POST", "/api/store/code-block", block), 403, "permission/public_off")
      const repo = { task: "t", files: [{ path: "a.py", content: "x = 1" }], public: true }
      refused(await owner("POST", "/api/store/repo", repo), 403, "permission/public_off")
      const stores = "SELECT count(*) AS rows FROM events WHERE position > $1 AND type LIKE 'Snippet%'"
      assert.strictEqual(Number((await closed.sql<{ rows: bigint }>(stores, [head]))[0]!.rows), 0)
      for (const [path, body] of [
        ["list", {}],
        ["search", { query: "shown" }]
      ] as const) {
        const asked = await send(closed.url, "POST", `/api/snippets/public/${path}`, body, {})
        refused(asked, 403, "permission/public_off")
      }
      // existing clients send the header with everything: it opens nothing
      const everyones = { "x-cairn-public-snips": "true" }
      assert.isUndefined(await findByName(owner, "shown", everyones))
      assert.isDefined(await findByName(closed.call, "shown"))
      await stored(owner, "own", {})
      assert.isDefined(await findByName(owner, "own", everyones))
    } finally {
      await closed.close()
      removeInstallation(installation)
    }
  })
})
