import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { calls, type MessagesApi, type MessagesRequest, type Reply, startMessagesApi } from "#test/MessagesApi.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { fine } from "./routes.ts"
import { findByName, remove, stored } from "./store.ts"

const reviewing = "/api/store/auto-review"

/** As the model fills in the form. */
const form = {
  verdict: "thumbs_down",
  reasoning: "It lost \u0000a row.",
  what_worked: ["speed"],
  what_didnt_work: ["quotes"],
  output_was_useful: true,
  output_was_correct: false,
  output_was_complete: false,
  error_was_appropriate: null,
  would_use_again: false,
  suggested_improvements: [],
  required_workaround: false,
  workaround_description: null
}
const shown = { ...form, reasoning: "It lost a row." }

const run = async (service: Service, codeBlock: string, more: object = {}): Promise<string> =>
  fine(
    await service.call("POST", "/api/store/execution", {
      code_block_id: codeBlock,
      triggering_task: "read rows",
      io: { input_data: { n: 7 }, output_data: "out" },
      ...more
    })
  ).execution_id
const found = async (service: Service, code_block_id: string) =>
  fine(await service.call("POST", "/api/retrieve/executions", { code_block_id })).executions

describe("an auto-review by a language model", () => {
  let api: MessagesApi
  let service: Service
  let reply: (request: MessagesRequest) => Reply
  const asked = () => api.requests.filter(({ body }) => body.tools?.[0]?.name === "review")
  beforeAll(async () => {
    api = await startMessagesApi((request) => reply(request))
    service = await startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
  })
  afterAll(async () => {
    await service.close()
    await api.close()
  })
  const snippet = async (name: string) => {
    await stored(service.call, name, { user_vote: 1 })
    return (await findByName(service.call, name))!.code_block.id
  }
  const review = (execution_id: string, more: object = {}) => service.call("POST", reviewing, { execution_id, ...more })

  it("is stored once, and its verdict counts where the run has none", async () => {
    reply = () => calls({ name: "review", input: form })
    const id = await snippet("reviewed")
    const execution = await run(service, id)
    const before = asked().length
    const answer = fine(await review(execution, { triggering_task: "read all rows", code_block_name: "reviewed" }))
    const { timestamp, ...rest } = answer.review
    assert.deepStrictEqual([answer.success, answer.execution_id, rest], [true, execution, shown])
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const [{ body }] = asked().slice(before) as [MessagesRequest]
    assert.deepInclude(body["tool_choice"], { type: "tool", name: "review" })
    // what the caller says stands in for what was recorded, and all of it stands between marks
    const prompt = String(body.messages[0]!.content)
    const [mark] = /^\w+/.exec(prompt)!
    for (const text of ["read all rows", '{"n":7}', '"out"', "completed"]) {
      assert.match(
        prompt,
        new RegExp(`^${mark} \\w+ begins\\n(?:.*\\n)*?.*${text}.*\\n(?:.*\\n)*?${mark} \\w+ ends$`, "m")
      )
    }
    assert.include(String(body.system), mark)
    assert.deepInclude(await findByName(service.call, "reviewed"), { thumbs_up: 1, thumbs_down: 1 })
    const [{ verdict, review: read }] = await found(service, id)
    assert.deepStrictEqual([verdict, read], ["thumbs_down", answer.review])

    reply = () => ({ status: 400, message: "nobody asks" })
    assert.deepStrictEqual(fine(await review(execution)), answer)
    assert.strictEqual(asked().length, before + 1)
    assert.deepInclude(await findByName(service.call, "reviewed"), { thumbs_up: 1, thumbs_down: 1 })
  })

  it("does not vote where the run has a verdict, nor show instead of its own review", async () => {
    reply = () => calls({ name: "review", input: form })
    const id = await snippet("opinionated")
    const own = { ...shown, verdict: "thumbs_up", reasoning: "mine" }
    const execution = await run(service, id, { review: own })
    assert.isTrue(fine(await review(execution)).success)
    assert.deepInclude(await findByName(service.call, "opinionated"), { thumbs_up: 2, thumbs_down: 0 })
    const [{ verdict, review: read }] = await found(service, id)
    assert.deepStrictEqual([verdict, read.reasoning], ["thumbs_up", "mine"])
  })

  it("asks once at the end of two at a time, as far as is stored", async () => {
    reply = () => calls({ name: "review", input: { ...form, reasoning: `the ${asked().length}th` } })
    const id = await snippet("raced")
    const execution = await run(service, id)
    const [a, b] = await Promise.all([review(execution, { code_block_name: "a" }), review(execution)])
    assert.deepStrictEqual(fine(a!).review, fine(b!).review)
    assert.deepInclude(await findByName(service.call, "raced"), { thumbs_up: 1, thumbs_down: 1 })
  })

  it("is had for code that is not stored too", async () => {
    reply = () => calls({ name: "review", input: form })
    const execution = await run(service, "function_registry:elsewhere")
    assert.isTrue(fine(await review(execution)).success)
    const [{ verdict }] = await found(service, "elsewhere")
    assert.strictEqual(verdict, "thumbs_down")
  })

  it("that the model does not give is pending, is not stored, and can be asked for again", async () => {
    const id = await snippet("unlucky")
    const execution = await run(service, id)
    const useless: ReadonlyArray<readonly [Reply, RegExp]> = [
      [{ status: 400, message: "too hot" }, /too hot/],
      [calls({ name: "review", input: { ...form, verdict: "pending" } }), /form/]
    ]
    for (const [bad, why] of useless) {
      reply = () => bad
      const { status, json } = await review(execution)
      assert.deepStrictEqual([status, json.success, json.review.verdict], [200, false, "pending"])
      assert.match(json.message, why)
      assert.strictEqual(json.review.reasoning, json.message)
    }
    assert.deepInclude((await found(service, id))[0], { verdict: "pending", review: null })
    reply = () => calls({ name: "review", input: form })
    assert.isTrue(fine(await review(execution)).success)
  })

  it("is for those who see the run, as long as it is there", async () => {
    const id = await snippet("private_run")
    const execution = await run(service, id)
    const other = await organization(service, "ENTERPRISE")
    refused(await other.call("POST", reviewing, { execution_id: execution }), 404, "not_found/execution")
    for (const unknown of ["00000000-0000-4000-8000-000000000000", "x"]) {
      refused(await review(unknown), 404, "not_found/execution")
    }
    await remove(service.call, id)
    refused(await review(execution), 404, "not_found/execution")
  })
})

describe("without a language model", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it("an auto-review is pending and says what to set, and nothing is stored", async () => {
    const execution = await run(service, "anything")
    const head = await service.head()
    const { status, json } = await service.call("POST", reviewing, { execution_id: execution })
    assert.deepStrictEqual([status, json.success, json.execution_id], [200, false, execution])
    const { timestamp: _, reasoning, ...rest } = json.review
    assert.include(reasoning, "ANTHROPIC_API_KEY")
    assert.deepStrictEqual(rest, {
      verdict: "pending",
      what_worked: [],
      what_didnt_work: [],
      output_was_useful: false,
      output_was_correct: false,
      output_was_complete: false,
      error_was_appropriate: null,
      would_use_again: false,
      suggested_improvements: [],
      required_workaround: false,
      workaround_description: null
    })
    const events = await service.sql("SELECT 1 FROM events WHERE position > $1 AND type = 'ExecutionReviewed'", [head])
    assert.deepStrictEqual(events, [])
  })
})
