import { Effect, Stream } from "effect"
import * as Zip from "effect/encoding/Zip"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { type APIError, AuthenticationError, Cairn } from "../../../clients/typescript/src/index.ts"
import { table } from "./parity/table.ts"
import { failure, stub } from "./stub.ts"

let api: MessagesApi
let service: Service
let cairn: Cairn
beforeAll(async () => {
  api = await startMessagesApi(() => says("Done."))
  service = await startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
  cairn = new Cairn({ apiKey: ownerKey, baseUrl: service.url })
})
afterAll(async () => {
  await service.close()
  await api.close()
})

const codeOf = async (call: PromiseLike<unknown>) => ((await failure(call)) as APIError).code

/** Nothing is left that a mapping forgot. */
const isWhole = (value: unknown): boolean =>
  value !== undefined && (typeof value !== "object" || value === null || Object.values(value).every(isWhole))

const snippet = (name: string, more: object = {}) =>
  cairn.snippets.create({
    name,
    entrypoint: name,
    language: "python",
    description: `Reads the ${name.replaceAll("_", " ")}.`,
    source: `def ${name}(path):\n    return open(path).read().split()\n`,
    ...more
  })

describe("a snippet", () => {
  it("that is described is stored as it is described, commented on, and shown as a page", async () => {
    const inputSchema = { type: "object", properties: { path: { type: "string" } } }
    const { codeBlockId, embeddingId } = await snippet("river_levels", {
      inputSchema,
      tags: ["rivers"],
      dependencies: ["requests"],
      exampleQueries: ["how high is the river"]
    })
    assert.strictEqual(embeddingId, codeBlockId)
    const { comment } = await cairn.snippets.comment(codeBlockId, "Works on lakes, too.")
    const { matches } = await cairn.search({ task: "how high is the river" })
    const { codeBlock, comments } = matches[0]!
    assert.strictEqual(codeBlock.id, codeBlockId)
    assert.deepStrictEqual(codeBlock.inputSchema, inputSchema)
    assert.deepStrictEqual([codeBlock.tags, codeBlock.dependencies], [["rivers"], { requests: "" }])
    assert.deepStrictEqual(comments, [comment])
    assert.deepInclude(comment, { email: "owner@cairn.local", text: "Works on lakes, too." })
    assert.include(await cairn.snippets.markdown(codeBlockId), "river_levels")
    const { requestId, data } = await cairn.snippets.markdown(codeBlockId).withResponse()
    assert.match(requestId!, /\w/)
    assert.include(data, "def river_levels")
    assert.strictEqual(await codeOf(cairn.snippets.markdown(crypto.randomUUID())), "not_found/snippet")
    assert.strictEqual(await codeOf(cairn.snippets.comment(crypto.randomUUID(), "?")), "not_found/snippet")
  })

  it("that is public is found by everybody, without a key", async () => {
    const { codeBlockId } = await snippet("public_tide_table", { public: true })
    const nobody = new Cairn({ baseUrl: service.url })
    const { snippets, total, hasMore } = await nobody.snippets.listPublic({ sortBy: "recent", limit: 1 })
    assert.deepStrictEqual([snippets.map(({ id }) => id), total, hasMore], [[codeBlockId], 1, false])
    assert.deepInclude(snippets[0], { name: "public_tide_table", thumbsUp: 0, namespace: "community" } as never)
    assert.isTrue(isWhole(snippets))
    const found = await nobody.snippets.searchPublic({ query: "tide table", language: "python" })
    assert.deepStrictEqual([found.snippets[0]!.id, found.query], [codeBlockId, "tide table"])
    assert.instanceOf(await failure(nobody.snippets.markdown(codeBlockId)), AuthenticationError)
  })

  it("of several files is stored, found, read and deleted", async () => {
    const files = [
      { path: "README.md", content: "# Glacier\n\nMelts glaciers." },
      { path: "src/melt.py", content: "def melt(glacier):\n    return 0\n" }
    ]
    const { repoId } = await cairn.repos.upload({ task: "melt a glacier", files, tags: ["ice"] })
    const { matches } = await cairn.search({ task: "melt a glacier", resultType: "repo" })
    assert.deepStrictEqual([matches[0]!.codeBlock.id, matches[0]!.fileCount], [repoId, 2])
    const repo = await cairn.repos.get(matches[0]!.downloadUrl!)
    assert.deepStrictEqual(repo, { repoId, name: matches[0]!.codeBlock.name, files })
    assert.deepStrictEqual(await cairn.repos.get(repoId), repo)
    await cairn.delete(repoId)
    assert.strictEqual(await codeOf(cairn.repos.get(repoId)), "not_found/repo")
  })
})

describe("runs", () => {
  it("are recorded, listed, reviewed, and become patterns and examples", async () => {
    const { codeBlockId } = await snippet("weather_rows")
    const run = { codeBlockId, triggeringTask: "read the weather of May", inputData: { path: "may.csv" } }
    const { executionId, patternUpdated } = await cairn.executions.record({
      ...run,
      outputData: ["rain"],
      durationMs: 12,
      verdict: "thumbs_up" as const
    })
    assert.isTrue(patternUpdated)
    await cairn.executions.record({
      ...run,
      outputData: null,
      executionState: "errored",
      errorMessage: "no file",
      errorType: "OSError"
    })
    const { executions, totalFound } = await cairn.executions.list({ codeBlockId, verdict: "thumbs_up", limit: 5 })
    assert.deepStrictEqual([totalFound, executions.length], [1, 1])
    const { id, timestamp, io, ...record } = executions[0]!
    assert.strictEqual(id, executionId)
    assert.isTrue(timestamp.endsWith("Z"))
    assert.deepInclude(io, { inputData: { path: "may.csv" }, outputData: ["rain"], outputType: "array" })
    assert.deepInclude(record, { codeBlockId, executionState: "completed", durationMs: 12, review: null })
    assert.strictEqual((await cairn.executions.list({ task: "read the weather of May" })).totalFound, 2)

    const { success, review } = await cairn.executions.review({ executionId })
    assert.isFalse(success, "the model of this test grades nothing")
    assert.strictEqual(review.verdict, "pending")
    assert.isTrue(isWhole(review))
    assert.strictEqual(
      await codeOf(cairn.executions.review({ executionId: crypto.randomUUID() })),
      "not_found/execution"
    )

    const { patterns } = await cairn.patterns.list({ codeBlockId, minThumbsUp: 1, topK: 3 })
    assert.deepStrictEqual(
      patterns.map(({ taskPattern, codeBlockName, thumbsUp, verdictScore }) => [
        ...[taskPattern, codeBlockName, thumbsUp, verdictScore]
      ]),
      [["read the weather of May", "weather_rows", 1, 0.6]]
    )
    assert.isTrue(isWhole(patterns))
    const { examples } = await cairn.patterns.examples("read the weather of May", { k: 1 })
    assert.deepInclude(examples[0], { inputSample: { path: "may.csv" }, outputSample: ["rain"] } as never)
  })

  it("leave logs that can be searched, and functions with a history", async () => {
    await cairn.upload({
      task: "measure the snow",
      succeeded: true,
      useServiceAiVoting: false,
      perFunctionReputation: true,
      fileWritten: { path: "snow.py", content: "def snow_depth(cm):\n    return cm / 100\n" },
      executionLogs: "the avalanche was measured"
    })
    const { matches: logs, totalFound, hasMore } = await cairn.logs.search({ query: "avalanche", language: "python" })
    assert.deepStrictEqual([totalFound, hasMore, logs[0]!.triggeringQuery], [1, false, "measure the snow"])
    assert.include(logs[0]!.preview, "avalanche was measured")
    assert.isTrue(isWhole(logs))
    const { matches } = await cairn.search({ task: "measure the snow", perFunctionReputation: true })
    const [known] = matches[0]!.functions!
    assert.include(await cairn.functions.history(known!.fingerprint), "snow_depth")
    assert.strictEqual(await codeOf(cairn.functions.history("fn_0")), "not_found/function")
  })
})

describe("files", () => {
  it("come into a workspace that no chat has opened", async () => {
    const pair = { org: "opened", user: "early" }
    const opened = await cairn.workspaces.open(pair)
    const { workspaceId } = opened
    assert.deepStrictEqual({ ...(await cairn.workspaces.open(pair)) }, { ...opened })
    const path = "in put/ü.txt"
    const put = await cairn.workspaces.putFile(workspaceId, path, "one", { ifNoneMatch: "*" })
    const twice = cairn.workspaces.putFile(workspaceId, path, "two", { ifNoneMatch: "*" })
    assert.strictEqual(await codeOf(twice), "precondition/failed")
    assert.strictEqual(new TextDecoder().decode(await cairn.workspaces.file(workspaceId, path)), "one")
    const again = await cairn.workspaces.putFile(workspaceId, path, Uint8Array.of(0, 255), { ifMatch: put.sha })
    assert.notStrictEqual(again.commit, put.commit)
    assert.isTrue((await cairn.workspaces.deleteFile(workspaceId, path, { ifMatch: again.sha })).success)
    const broken = cairn.workspaces.unpack(workspaceId, Uint8Array.of(1))
    assert.strictEqual(await codeOf(broken), "validation/invalid_archive")
    const entries = Stream.make(Zip.file("a.txt", "one")).pipe(
      Stream.pipeThroughChannel(Zip.encode()),
      Stream.runCollect
    )
    const archive = Buffer.concat([...(await Effect.runPromise(entries))])
    const unpacked = await cairn.workspaces.unpack(workspaceId, archive, { path: "d", replace: true })
    assert.deepInclude({ ...unpacked }, { success: true, created: 1, modified: 0, deleted: 0 })
    const { files } = await cairn.workspaces.tree(workspaceId)
    assert.deepStrictEqual(
      files.map(({ path }) => path),
      ["d/a.txt"]
    )
  })
})

describe("erasing", () => {
  it("takes a workspace with its history, for owners and admins", async () => {
    const { workspaceId } = await cairn.chat("say something", { user: "ada", org: "acme" })
    const erased = await cairn.workspaces.delete(workspaceId, { idempotencyKey: "erase-1" })
    assert.deepInclude(erased, { success: true, erased: { commits: 1, chats: 1, files: 0 } })
    assert.match(erased.position, /^\d+$/)
    assert.deepStrictEqual(await cairn.workspaces.delete(workspaceId, { idempotencyKey: "erase-1" }), erased)
    assert.strictEqual(await codeOf(cairn.workspaces.delete(workspaceId)), "not_found/workspace")
    assert.strictEqual(await codeOf(cairn.workspaces.tree(workspaceId)), "not_found/workspace")
  })

  it("takes a user with their keys, but for the owner", async () => {
    const { key } = await organization(service, "ENTERPRISE")
    const owner = cairn.withOptions({ apiKey: key })
    const made = await owner.keys.create({ email: "ada@example.org", keyName: "laptop" })
    const { keys } = await owner.keys.list()
    const userOf = (email: string) => keys.find(({ userEmail }) => userEmail === email)!.userId
    const erased = await owner.users.erase(userOf("ada@example.org"))
    assert.deepInclude(erased, { success: true, erased: { users: 1, keys: 1 } })
    const member = cairn.withOptions({ apiKey: made.key })
    assert.instanceOf(await failure(member.search({ task: "x" })), AuthenticationError)
    assert.strictEqual(await codeOf(owner.users.erase(userOf("ada@example.org"))), "not_found/user")
    assert.strictEqual(await codeOf(owner.users.erase(userOf("olga@example.org"))), "conflict/owner_stays")
  })
})

describe("the service itself", () => {
  it("tells how it is, without a key", async () => {
    const nobody = new Cairn({ baseUrl: service.url })
    assert.deepStrictEqual(await nobody.health(), { status: "healthy" })
    const { status, readModels, nearlyFull } = await nobody.ready()
    assert.strictEqual(status, "ready")
    assert.isArray(nearlyFull)
    assert.strictEqual(readModels["snippet_index"], "ok")
    assert.include(await nobody.skill(), "# Cairn")
  })

  it("that is not ready yet says so, at once", async () => {
    const report = { status: "starting", read_models: { snippets_v2: "behind" }, nearly_full: ["workspaces"] }
    const starting = stub([{ status: 503, body: report }])
    assert.deepStrictEqual(await starting.cairn.ready(), {
      status: "starting",
      readModels: { snippets_v2: "behind" },
      nearlyFull: ["workspaces"],
      leftOut: { count: 0, snippets: [] }
    })
    const unreachable = stub([
      { status: 503, body: "No backend." },
      { status: 200, body: { ...report, status: "ready" } }
    ])
    assert.strictEqual((await unreachable.cairn.ready()).status, "ready", "a proxy's 503 is tried again")
    assert.strictEqual(unreachable.waits.length, 1)
  })
})

it("each operation of the service is reached by a method, or there is a reason why not", async () => {
  const { paths } = await (await fetch(`${service.url}/openapi.json`)).json()
  const operations = new Map(
    Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.entries<{ operationId: string }>(methods as never).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} ${path}`
      ])
    )
  )
  assert.isAbove(operations.size, 30)
  for (const { name, operation, request } of table.methods) {
    const [, method, path] = /^(\w+) (.*)$/.exec(operations.get(operation) ?? "")!
    const pattern = path!
      .replaceAll(".", "\\.")
      .replaceAll(/\{\w+\}/g, "[^/]+")
      .replaceAll("*", ".+")
    assert.match(request, new RegExp(`^${method} ${pattern}$`), name)
  }
  for (const { reason } of table.unreached) assert.isNotEmpty(reason)
  assert.sameMembers(
    [...new Set(table.methods.map(({ operation }) => operation)), ...table.unreached.map(({ operation }) => operation)],
    [...operations.keys()]
  )
})
