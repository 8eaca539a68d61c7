import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { type ChatCompletionsApi, startChatCompletionsApi } from "#test/ChatCompletionsApi.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { chat, chatting, ended } from "./agent.ts"
import { refused } from "./problem.ts"
import { listen } from "./sse.ts"

const usage = {
  prompt_tokens: 1_000,
  completion_tokens: 20,
  total_tokens: 1_020,
  prompt_tokens_details: { cached_tokens: 800 }
}
const call = (name: string, input: object) => ({ name, arguments: JSON.stringify(input) })

let api: ChatCompletionsApi
let service: Service
beforeAll(async () => {
  api = await startChatCompletionsApi(({ body }) => {
    const [, { content: task }, ...later] = body.messages
    if (task === "decline") return { refusal: "I won't.", usage }
    if (task === "talk on") return { content: "And th", reason: "length", usage }
    if (task === "fail") return { status: 401, message: "hush-hush" }
    if (later.length > 0) return { content: "All of it is done.", usage }
    return {
      content: "I write.",
      usage,
      calls: [
        call("Write", { file_path: "a.txt", content: "one\n" }),
        call("Bash", { command: "cat a.txt > b.txt" }),
        call("Read", { file_path: "nothing.txt" })
      ]
    }
  })
  const prices = { input: 10, output: 100, cache_read: 1 }
  service = await startService({
    HOUSE_KEY: api.key,
    CAIRN_MODELS: JSON.stringify({
      house: { provider: "openai", model: "Qwen/qwen3", base_url: api.url, key: "HOUSE_KEY", prices }
    })
  })
})
afterAll(async () => {
  await service.close()
  await api.close()
})

const model = { model: "house" }

describe("a chat with a model of an OpenAI-compatible server", () => {
  it("uses tools, is told their errors, and commits what it wrote", async () => {
    const { success, output, changed_files, workspace_id } = await ended(service.call, "write", "tools", model)
    assert.deepStrictEqual([success, output], [true, "All of it is done."])
    assert.deepStrictEqual(changed_files, ["a.txt", "b.txt"])
    assert.strictEqual((await service.call("GET", `/api/workspaces/${workspace_id}/files/b.txt`)).text, "one\n")
    const { body } = api.requests.at(-1)!
    assert.deepStrictEqual([body.model, body.stream], ["Qwen/qwen3", true])
    const results = body.messages.filter(({ role }: { role: string }) => role === "tool")
    assert.lengthOf(results, 3)
    assert.match(results[2].content, /nothing\.txt/)
  })

  it("has events that name the model that answered, with its tokens and what of them came from its cache", async () => {
    const { session_id } = await ended(service.call, "write", "events", model)
    const { events } = (await service.call("GET", `/api/events?stream=chat-${session_id}&type=ModelTurned`)).json
    assert.lengthOf(events, 2)
    const tokens = { inputTokens: 1_000, outputTokens: 20, cacheReadTokens: 800, cacheWriteTokens: 0 }
    for (const { data } of events) assert.deepInclude(data, { model: "Qwen/qwen3", ...tokens })
    const { turns } = (await service.call("GET", `/api/runs/${session_id}/turns`)).json
    // 200 · 10 + 800 · 1 + 20 · 100 in millionths
    for (const turn of turns) assert.closeTo(turn.cost, 0.0048, 1e-12)
    const { usage } = (await service.call("GET", "/api/usage?by=model")).json
    assert.deepInclude(usage[0], { of: "house", input_tokens: 4_000, output_tokens: 80, cache_read_tokens: 3_200 })
  })

  it("is told turn by turn, with the tools that it calls and what of its words came before", async () => {
    const body = { user_query: "write", user_id: "heard", org_id: "acme", ...model }
    const stream = await listen(service, chatting, ownerKey, { accept: "text/event-stream" }, body)
    const all = await stream.until(({ event }) => event === "answer")
    const words = all.filter(({ event, data }) => event === "text" && data.turn === 1).map(({ data }) => data.text)
    // the turn itself may be faster
    assert.isTrue("I write.".startsWith(words.join("")))
    const [turn] = all.filter(({ event }) => event === "turn")
    assert.strictEqual(turn!.data.text, "I write.")
    assert.deepStrictEqual(
      turn!.data.tool_calls.map(({ name }: { name: string }) => name),
      ["Write", "Bash", "Read"]
    )
  })

  it("ends as users expect where it declines, is cut off or refuses the key", async () => {
    for (const [task, said] of [
      ["decline", "I won't."],
      ["talk on", "The model's answer was cut off at its limit of tokens."],
      ["fail", "The model's API refused the key (HOUSE_KEY)."]
    ] as const) {
      const { status, json, text } = await chat(service.call, task, "ends", model)
      assert.strictEqual(status, 200, text)
      assert.deepStrictEqual([json.success, json.error], [false, said])
    }
    await vi.waitFor(() => assert.isTrue(service.log.some((line) => line.includes("answered 401"))), 60_000)
    assert.isFalse(service.log.some((line) => line.includes("hush-hush")))
  })

  it("is the only one that a key may ask for, beside the one without a model", async () => {
    const { models, full_ids } = (await service.call("GET", "/api/models")).json
    assert.isFalse(full_ids)
    assert.sameMembers(
      models.map(({ name }: { name: string }) => name),
      ["local", "house"]
    )
    const { message } = refused(
      await chat(service.call, "write", "others", { model: "gpt-x" }),
      400,
      "validation/invalid_field"
    )
    assert.include(message, 'This service has no model "gpt-x". GET /api/models lists those that it has.')
    // nothing of it began: there is no workspace of theirs
    const { workspaces } = (await service.call("GET", "/api/workspaces")).json
    assert.isFalse(workspaces.some(({ user_id }: { user_id: string }) => user_id === "others"))
  })
})
