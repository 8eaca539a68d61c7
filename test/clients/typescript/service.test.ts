import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { blobOf } from "#test/blobOf.ts"
import { calls, type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { organization, personal } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import {
  APIError,
  AuthenticationError,
  Cairn,
  type RecordedEvent,
  ValidationError
} from "../../../clients/typescript/src/index.ts"
import { failure } from "./stub.ts"

let api: MessagesApi
let service: Service
let cairn: Cairn
beforeAll(async () => {
  api = await startMessagesApi(({ body }) =>
    body.messages.length === 1
      ? calls({ name: "Write", input: { file_path: "notes/a b.txt", content: "höhe\n" } })
      : says("Done.")
  )
  service = await startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
  cairn = new Cairn({ apiKey: ownerKey, baseUrl: service.url })
})
afterAll(async () => {
  await service.close()
  await api.close()
})

const file = (name: string, more = "") => ({
  path: `/home/me/${name}.py`,
  content: `def ${name}(path: str) -> list:\n    """Reads the ${name.replaceAll("_", " ")}."""\n    return open(path).read().split()${more}\n`
})
const stored = (name: string, more: object = {}) =>
  cairn.upload({ task: `read ${name}`, fileWritten: file(name), succeeded: true, useServiceAiVoting: false, ...more })
const find = async (name: string, client = cairn) => {
  const { matches } = await client.search({ task: `read ${name}` })
  return matches.find(({ codeBlock }) => codeBlock.name === name)
}

describe("snippets", () => {
  it("are uploaded, found with every field, voted on and deleted", async () => {
    const uploaded = await stored("quarterly_ledger", {
      userVote: 1,
      voteCount: 2,
      dependencies: { "my_package-x": "1.0" },
      perFunctionReputation: true,
      executionLogs: "read 3 words"
    })
    assert.deepInclude(uploaded, {
      success: true,
      codeBlocksStored: 1,
      snippetName: "quarterly_ledger",
      statusUrl: null
    })
    assert.match(uploaded._requestId!, /\w/)
    const { matches, totalFound, cacheHit, searchNamespaces } = await cairn.search({
      task: "read quarterly_ledger",
      topK: 3,
      minVerdictScore: 0.1,
      perFunctionReputation: true,
      inputSchema: { properties: { path: { type: "string" } } }
    })
    assert.deepStrictEqual([totalFound, cacheHit, searchNamespaces], [1, false, ["organization"]])
    const [match] = matches
    assert.deepInclude(match, {
      thumbsUp: 2,
      thumbsDown: 0,
      language: "python",
      entrypoint: "quarterly_ledger"
    } as never)
    assert.deepStrictEqual(match!.dependencies, { "my_package-x": "1.0" })
    assert.strictEqual(match!.codeBlock.inputSchema["type"], "object")
    assert.deepInclude(match!.functions![0]!, { functionName: "quarterly_ledger", executionCount: 1, thumbsUp: 2 })
    assert.isTrue(match!.functions![0]!.lastSuccessAt!.endsWith("Z"))
    // nothing is left that the mapping forgot
    const undefinedOf = (value: unknown): boolean =>
      value === undefined || (typeof value === "object" && value !== null && Object.values(value).some(undefinedOf))
    assert.isFalse(undefinedOf(matches))

    const { id } = match!.codeBlock
    const voted = await cairn.voteCodeSnip({ codeBlockId: id, succeeded: false, task: "x" })
    assert.isTrue(voted.success)
    // it may be applied already
    assert.isBoolean(voted.votePending)
    assert.strictEqual((await find("quarterly_ledger"))!.thumbsDown, 1)
    assert.deepInclude(await cairn.delete("quarterly_ledger"), { success: true, deletedCount: 1 })
    const gone = (await failure(cairn.delete(id))) as APIError
    assert.instanceOf(gone, APIError)
    assert.deepInclude(gone, { statusCode: 404, code: "not_found/snippet" })
    assert.match(gone.requestId!, /\w/)
  })

  it("of a workspace are that workspace's", async () => {
    await stored("customers_words", { workspaceId: "customer" })
    assert.isUndefined(await find("customers_words"))
    const theirs = cairn.withOptions({ workspaceId: "customer", snipsDesired: "client" })
    assert.isDefined(await find("customers_words", theirs))
    assert.strictEqual(((await failure(cairn.delete("customers_words"))) as APIError).code, "not_found/snippet")
    assert.strictEqual((await cairn.delete("customers_words", { workspaceId: "customer" })).deletedCount, 1)
  })

  it("come in bulk, and their grading has a status", async () => {
    const { codeBlocksStored, votesQueued, statusUrl } = await cairn.uploadBulkCodeSnips({
      prompts: ["read two kinds of words"],
      filesWritten: [file("short_words"), file("long_words")],
      logFiles: [{ path: "run.log", content: Buffer.from([0xff, 0x00]) }]
    })
    assert.deepStrictEqual([codeBlocksStored, votesQueued], [2, 2])
    const status = await cairn.uploads.status(statusUrl!)
    assert.include(["pending", "done", "failed"], status.status)
    assert.deepStrictEqual(await cairn.uploads.status(status.id).then(({ id }) => id), status.id)
    assert.sameMembers(
      status.votes.map(({ filename }) => filename.replace(/^.*\//, "")),
      ["short_words.py", "long_words.py"]
    )
    const voted = await cairn.uploadBulkCodeSnips({
      prompts: [],
      filesWritten: [file("voted_words")],
      userVotes: { "voted_words.py": -1 } as const
    })
    assert.deepStrictEqual([voted.votesQueued, voted.statusUrl], [0, null])
  })

  it("become files", async () => {
    await stored("harbour_log")
    const cacheDir = mkdtempSync(join(tmpdir(), "cairn-client-"))
    try {
      const { files, addToLlmPrompt } = await cairn.getCodeFiles({ task: "read harbour_log", cacheDir, topK: 1 })
      assert.strictEqual(readFileSync(files[0]!.path!, "utf8"), files[0]!.source)
      assert.include(addToLlmPrompt, files[0]!.path!)
    } finally {
      rmSync(cacheDir, { recursive: true })
    }
  })
})

describe("a refusal of the service", () => {
  it("is the kind of error that it should be", async () => {
    const invalid = (await failure(cairn.search({ task: "x", topK: 1000 }))) as ValidationError
    assert.instanceOf(invalid, ValidationError)
    assert.deepInclude(invalid, { field: "top_k", code: "validation/invalid_field" })
    const stranger = cairn.withOptions({ apiKey: "cairn_live_nobody" })
    const unknown = (await failure(stranger.search({ task: "x" }))) as AuthenticationError
    assert.instanceOf(unknown, AuthenticationError)
    assert.strictEqual(unknown.code, "auth/invalid_api_key")
    const elsewhere = (await failure(cairn.withOptions({ organizationId: "other" }).search({ task: "x" }))) as APIError
    assert.deepInclude(elsewhere, { statusCode: 403, code: "permission/not_org_member" })
  })
})

describe("a chat", () => {
  const inFlight = { user: "ada", org: "acme" }
  it("works in a workspace, whose history can be read and brought back", async () => {
    const answer = await cairn.chat("write a note", { ...inFlight, model: "haiku", maxTurns: 3 })
    assert.deepInclude(answer, { success: true, output: "Done.", error: "" })
    assert.deepStrictEqual([answer.changedFiles, answer.workspaceFiles], [["notes/a b.txt"], ["notes/a b.txt"]])
    const { workspaceId: id, commit, sessionId } = answer
    const { workspaces } = await cairn.workspaces.list()
    const mine = workspaces.find(({ workspaceId }) => workspaceId === id)
    assert.deepInclude(mine, {
      orgId: "acme",
      userId: "ada",
      head: commit,
      commits: 1,
      files: 1,
      repositoryBytes: 6
    } as never)
    const { keyId, userId, userEmail, organizationId } = await cairn.system.access()
    assert.deepStrictEqual(mine!.updatedBy, { keyId, userId, organizationId, email: userEmail })
    const { commits } = await cairn.workspaces.commits(id, { limit: 5 })
    assert.deepStrictEqual(
      commits.map(({ sha, sessionId, changes }) => [sha, sessionId, changes]),
      [[commit, sessionId, [{ path: "notes/a b.txt", status: "created", sha: blobOf("höhe\n") }]]]
    )
    assert.include((await cairn.workspaces.commit(id, commit)).diff, "+höhe")
    const { files } = await cairn.workspaces.tree(id, { at: commit })
    assert.deepStrictEqual(
      files.map(({ path, size, mode }) => [path, size, mode]),
      [["notes/a b.txt", 6, "100644"]]
    )
    assert.strictEqual(new TextDecoder().decode(await cairn.workspaces.file(id, "notes/a b.txt")), "höhe\n")
    const none = (await failure(cairn.workspaces.file(id, "notes/c.txt"))) as APIError
    assert.deepInclude(none, { statusCode: 404, code: "not_found/file" })
    assert.deepInclude(await cairn.workspaces.restore(id, commit), { success: true, commit })
  })

  it("whose answer was lost is sent again, and runs once", async () => {
    const keys: Array<string | null> = []
    const lossy = cairn.withOptions({
      fetch: async (url, init) => {
        keys.push((init.headers as Headers).get("idempotency-key"))
        const response = await fetch(url, init)
        if (keys.length === 1) throw new TypeError("terminated")
        return response
      },
      clock: { now: Date.now, random: () => 0, sleep: async () => {}, timeout: () => () => {} }
    })
    const answer = await lossy.chat("once only", { user: "grace", org: "acme" })
    assert.isTrue(answer.success)
    assert.deepStrictEqual([keys.length, keys[0]], [2, keys[1]!])
    const { commits } = await cairn.workspaces.commits(answer.workspaceId)
    assert.deepStrictEqual(
      commits.map(({ sha, sessionId }) => [sha, sessionId]),
      [[answer.commit, answer.sessionId]]
    )
    const runs = api.requests.filter(({ body }) => body.messages[0]!.content === "once only")
    assert.strictEqual(runs.length, 2, "two turns of one run")
  })
})

describe("keys", () => {
  it("are made, listed and revoked", async () => {
    const { key: owner } = await organization(service, "ENTERPRISE")
    const admin = cairn.withOptions({ apiKey: owner })
    const made = await admin.keys.create({ email: "ada@example.org", keyName: "laptop" })
    assert.deepInclude(made, { name: "laptop", userEmail: "ada@example.org", isNewMember: true })
    assert.isTrue(made.key.startsWith(made.keyPrefix))
    const { keys, organizationId } = await admin.keys.list()
    assert.strictEqual(organizationId, made.organizationId)
    assert.deepInclude(keys.find(({ id }) => id === made.id)!, { keyPrefix: made.keyPrefix, lastUsedAt: null })
    const member = cairn.withOptions({ apiKey: made.key })
    assert.strictEqual(((await failure(member.keys.list())) as APIError).code, "permission/admin_key_required")
    assert.deepInclude(await admin.keys.revoke(made.id), { success: true, keyId: made.id })
    assert.instanceOf(await failure(member.search({ task: "x" })), AuthenticationError)
    assert.strictEqual(((await failure(admin.keys.revoke(made.id))) as APIError).code, "not_found/api_key")
    const lone = await personal(service, "lone@example.org")
    const refused = (await failure(cairn.withOptions({ apiKey: lone.key }).keys.list())) as APIError
    assert.strictEqual(refused.code, "permission/not_org_member")
  })
})

it("events come page by page up to the head", async () => {
  await stored("first_words", { userVote: 1 })
  await stored("second_words", { userVote: 1 })
  const events: Array<RecordedEvent> = []
  for await (const event of cairn.events({ type: "SnippetUploaded", limit: 1 })) events.push(event)
  assert.isAtLeast(events.length, 2)
  assert.isTrue(events.every(({ type, actor, recordedAt }) => type === "SnippetUploaded" && actor.keyId && recordedAt))
  assert.strictEqual(new Set(events.map(({ eventId }) => eventId)).size, events.length)
})
