import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import * as Compat from "../../../clients/typescript/src/compat/index.ts"
import { APIError, ServiceError } from "../../../clients/typescript/src/index.ts"
import { failure, key, stub } from "./stub.ts"

const { AgentVerdict, ExecutionState, RaySurfer } = Compat

const content = (name: string) => `def ${name}(path):\n    return open(path).read().split("${name}")\n`
const file = (name: string) => ({ path: `${name}.py`, content: content(name) })

describe("on a service", () => {
  let service: Service
  let client: Compat.RaySurfer
  beforeAll(async () => {
    service = await startService()
    client = new RaySurfer({ apiKey: ownerKey, baseUrl: service.url })
  })
  afterAll(() => service.close())

  const idOf = async (name: string) => {
    const { matches } = await client.search({ task: name })
    return matches.find(({ codeBlock }) => codeBlock.name === name)!.codeBlock.id
  }

  it("uploads by every name, as an object or in a row, several files as several calls", async () => {
    const named = { task: "t", fileWritten: file("alpha_rows"), succeeded: true, useRaysurferAiVoting: false }
    assert.strictEqual((await client.upload(named)).snippetName, "alpha_rows")
    const row = [true, undefined, false, 1, "logs", "https://run", undefined, { csv: "1" }, "human", 2] as const
    assert.strictEqual((await client.uploadNewCodeSnip("t", file("beta_rows"), ...row)).snippetName, "beta_rows")
    assert.deepInclude(await client.uploadNewCodeSnips("t", [file("gamma_rows"), file("delta_rows")], true), {
      success: true,
      codeBlocksStored: 2,
      message: "Uploaded 2 files."
    })
    assert.strictEqual((await client.submitExecutionResult("t", file("zeta_rows"), true)).codeBlocksStored, 1)
    const beta = (await client.search({ task: "beta_rows" })).matches[0]!
    assert.deepStrictEqual([beta.thumbsUp, beta.dependencies], [2, { csv: "1" }])
    const both = { ...named, filesWritten: [file("eta_rows")] }
    assert.instanceOf(await failure(client.upload(both)), Compat.ValidationError)
    assert.instanceOf(await failure(client.upload({ task: "t", succeeded: true })), Compat.ValidationError)
  })

  it("uploads in bulk, as an object or in a row", async () => {
    const logs = [{ path: "a.log", content: Buffer.from("ran") }]
    const given = {
      prompts: ["p"],
      filesWritten: [file("theta_rows")],
      logFiles: logs,
      userVotes: { "theta_rows.py": 1 }
    }
    assert.strictEqual((await client.uploadBulkCodeSnips(given)).codeBlocksStored, 1)
    const answer = await client.uploadBulkCodeSnips(["p"], [file("iota_rows")], [], false)
    assert.deepStrictEqual([answer.codeBlocksStored, answer.votesQueued], [1, 0])
  })

  it("finds by the older names", async () => {
    await client.storeCodeBlock({
      name: "slugify_title",
      source: "def slugify_title(title):\n    return title.lower()\n",
      entrypoint: "slugify_title",
      language: "python",
      description: "Makes a slug.",
      dependencies: ["re"],
      inputSchema: { properties: { title: { type: "string" } } }
    })
    const task = "slugify title"
    const { codeBlocks, totalFound } = await client.getCodeSnips({ task })
    assert.deepInclude(codeBlocks[0]!, { thumbsUp: 0, thumbsDown: 0, verdictScore: 0.5, recentExecutions: [] })
    assert.deepStrictEqual(codeBlocks[0]!.codeBlock.dependencies, { re: "" })
    assert.deepStrictEqual(await client.retrieve({ task }), { codeBlocks, totalFound })
    const { bestMatch, alternativeCandidates, retrievalConfidence } = await client.retrieveBest({ task })
    assert.strictEqual(bestMatch!.codeBlock.name, "slugify_title")
    assert.strictEqual(retrievalConfidence, bestMatch!.score.toFixed(4))
    assert.isAtMost(alternativeCandidates.length, 3)
    assert.deepStrictEqual(await client.retrieveBest({ task: "zzzz qqqq", minVerdictScore: 1 }), {
      bestMatch: null,
      alternativeCandidates: [],
      retrievalConfidence: "0"
    })
    const { files, addToLlmPrompt } = await client.getCodeFiles({ task })
    assert.strictEqual(files[0]!.path, null)
    assert.include(addToLlmPrompt, "slugify_title")
  })

  it("votes, comments, deletes", async () => {
    await client.upload({ task: "t", fileWritten: file("kappa_rows"), succeeded: true, autoVote: false })
    const codeBlockId = await idOf("kappa_rows")
    const about = { task: "t", codeBlockId, codeBlockName: "kappa_rows", codeBlockDescription: "d", succeeded: true }
    assert.isBoolean((await client.voteCodeSnip(about)).votePending)
    const { comment } = await client.commentOnCodeSnip({ codeBlockId, text: "Good." })
    assert.deepInclude(comment, { text: "Good.", email: "owner@cairn.local" })
    assert.deepStrictEqual((await client.search({ task: "kappa_rows" })).matches[0]!.comments, [comment])
    assert.strictEqual((await client.delete(codeBlockId)).deletedCount, 1)
    assert.instanceOf(await failure(client.delete(codeBlockId)), Compat.APIError)
  })

  it("records runs, and finds them, their reviews, patterns, examples and logs", async () => {
    await client.upload({
      task: "count lambda rows",
      fileWritten: file("lambda_rows"),
      succeeded: true,
      useRaysurferAiVoting: false,
      executionLogs: "walked seventeen penguins"
    })
    const codeBlockId = await idOf("lambda_rows")
    const review = {
      verdict: AgentVerdict.THUMBS_UP,
      reasoning: "Fine.",
      whatWorked: ["all"],
      whatDidntWork: [],
      outputWasUseful: true,
      outputWasCorrect: true,
      outputWasComplete: true,
      wouldUseAgain: true,
      suggestedImprovements: []
    }
    const { executionId } = await client.storeExecution({
      codeBlockId,
      triggeringTask: "count lambda rows",
      inputData: { snake_key: 1 },
      outputData: [{ camelKey: 2 }],
      executionState: ExecutionState.COMPLETED,
      durationMs: 12,
      verdict: AgentVerdict.THUMBS_UP,
      review
    })
    const { executions, totalFound } = await client.getExecutions({ codeBlockId })
    const run = executions.find(({ id }) => id === executionId)!
    assert.isAtLeast(totalFound, 1)
    assert.deepInclude(run, { executionState: "completed", durationMs: 12, verdict: "thumbs_up", errorType: null })
    assert.deepInclude(run.io, { inputData: { snake_key: 1 }, outputData: [{ camelKey: 2 }], outputType: "array" })
    assert.deepInclude(run.review!, { ...review, requiredWorkaround: false } as never)
    const reviewed = await client.autoReview({ executionId, triggeringTask: "count lambda rows" })
    assert.deepStrictEqual([reviewed.executionId, typeof reviewed.review.reasoning], [executionId, "string"])
    const [pattern] = await client.getTaskPatterns({ task: "count lambda rows", topK: 1 })
    assert.deepInclude(pattern!, { codeBlockId, codeBlockName: "lambda_rows", thumbsUp: 1 })
    const [example] = await client.getFewShotExamples("count lambda rows", 1)
    assert.deepInclude(example!, { codeSnippet: content("lambda_rows"), outputSample: [{ camelKey: 2 }] } as never)
    const { matches, hasMore } = await client.searchLogs({ query: "penguins" })
    assert.isFalse(hasMore)
    assert.deepInclude(matches[0]!, {
      snippetId: codeBlockId,
      name: "lambda_rows",
      rawMarkdownUrl: `/raw/${codeBlockId}.md`
    })
    assert.include(matches[0]!.preview, "penguins")
  })

  it("lists and searches public snippets, also without a key", async () => {
    const { key: other } = await organization(service, "PRO")
    await new RaySurfer({ apiKey: other, baseUrl: service.url }).upload({
      task: "share omega rows",
      fileWritten: file("omega_rows"),
      succeeded: true,
      public: true,
      useRaysurferAiVoting: false
    })
    const stranger = new RaySurfer({ baseUrl: service.url })
    const { snippets, total, hasMore } = await stranger.browsePublic({ sortBy: "recent" })
    assert.deepStrictEqual([total, hasMore, snippets[0]!.name], [1, false, "omega_rows"])
    const searched = await stranger.searchPublic({ query: "omega rows" })
    assert.deepStrictEqual([searched.query, searched.total, searched.snippets], ["omega rows", 1, snippets])
    assert.instanceOf(await failure(stranger.search({ task: "x" })), Compat.AuthenticationError)
  })

  it("publishes functions, and records their calls", async () => {
    const add = Compat.agentAccessible(async (a: number, b: number) => a + b, {
      name: "add_numbers",
      description: "Adds."
    })
    assert.deepStrictEqual(await client.publishFunctionRegistry([add]), [add._raysurferSchema.codeBlockId!])
    assert.strictEqual(await add(2, 3), 5)
    await vi.waitFor(
      async () => {
        const { executions } = await client.getExecutions({ task: "agent_accessible:add_numbers" })
        assert.deepInclude(executions[0]?.io, { inputData: { args: [2, 3] }, outputData: 5 } as never)
      },
      { timeout: 60_000 }
    )
  })
})

it("errors have the older names, and one base", async () => {
  assert.strictEqual(Compat.RaySurferError, ServiceError)
  assert.strictEqual(Compat.APIError, APIError)
  assert.strictEqual(Compat.default, RaySurfer)
  const { cairn, clock } = stub([{ status: 503 }])
  assert.instanceOf(await failure(cairn.search({ task: "x" })), Compat.RaySurferError)
  let tries = 0
  const fetch = async () => {
    tries++
    return new Response("", { status: 503 })
  }
  await failure(new RaySurfer({ apiKey: key, baseUrl: "http://cairn.test", fetch, clock }).search({ task: "x" }))
  assert.strictEqual(tries, 4)
})
