import { inspect } from "node:util"
import { assert, describe, it } from "vitest"
import { failure, fine, key, stub } from "./stub.ts"

const found = { status: 200, body: { matches: [], total_found: 0, cache_hit: false } }
const shown = (value: unknown): string =>
  [inspect(value, { depth: 9, showHidden: true, getters: true }), JSON.stringify(value), String(value)].join("\n")

describe("a secret", () => {
  it("is in no log line, and neither is what the caller wrote", async () => {
    const network = { network: `refused for Bearer ${key}` }
    const { cairn, lines } = stub([network, { status: 500, body: `<p>${key}</p>` }, network], { logLevel: "debug" })
    const error = (await failure(
      cairn.search({ task: "my private task" }, { headers: { "X-Api-Key": "hunter2" } })
    )) as Error
    const all = [...lines, error.message].join("\n")
    assert.include(all, "POST /api/retrieve/search")
    assert.include(all, "***")
    for (const text of [key, "hunter2", "private task"]) assert.notInclude(all, text)
  })
  it("is in no log line as a header of any name, while the library's own are told", async () => {
    const names = ["Api-Key", "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key", "CF-Access-Client-Id", "X-Auth", "X-Sig"]
    const headers = Object.fromEntries(names.map((name) => [name, "hunter2"]))
    const { vote, lines } = stub([fine], {
      logLevel: "debug",
      defaultHeaders: { "X-Gateway": "hunter2" },
      agentId: "bot"
    })
    await vote({ headers, idempotencyKey: "run-7" })
    const all = lines.join("\n")
    assert.notInclude(all, "hunter2")
    for (const text of ["ocp-apim-subscription-key", "x-gateway", "run-7", '"x-cairn-agent-id":"bot"']) {
      assert.include(all, text)
    }
  })
  it("does not keep a long wait from being told by default", async () => {
    const limited = (seconds: string) => ({ status: 429, headers: { "retry-after": seconds } })
    const { vote, lines } = stub([limited("10"), limited("11"), fine], { logLevel: "warn" })
    await vote()
    assert.lengthOf(lines, 1)
    assert.include(lines[0], "is sent again in 11000 ms")
  })
  it("does not keep a retry from being told: which, and why", async () => {
    const silent = async () => {
      throw new DOMException("No answer.", "TimeoutError")
    }
    const { vote, lines } = stub([{ network: "connect ECONNREFUSED" }, { status: 503 }, silent, fine], {
      logLevel: "info"
    })
    await vote({ maxRetries: 3 })
    const { vote: quiet, lines: none } = stub([{ status: 503 }, fine], { logLevel: "warn" })
    await quiet()
    assert.deepStrictEqual(none, [])
    const told = lines.map((line) => [/sent again in \d+ ms/.test(line), JSON.parse(line.slice(line.indexOf("{")))])
    assert.deepStrictEqual(told, [
      [
        true,
        {
          error: "CacheUnavailableError",
          statusCode: null,
          code: null,
          requestId: null,
          reason: "connect ECONNREFUSED",
          tries: 1
        }
      ],
      [
        true,
        { error: "CacheUnavailableError", statusCode: 503, code: null, requestId: "req_1", reason: null, tries: 2 }
      ],
      [
        true,
        {
          error: "CacheUnavailableError",
          statusCode: null,
          code: null,
          requestId: null,
          reason: "No answer.",
          tries: 3
        }
      ]
    ])
  })
  it("is not to be seen in the client, in a copy of it, in a call, and in an error", async () => {
    const { cairn, vote } = stub([{ status: 404, body: { message: "No." } }, { network: "reset" }], {
      defaultHeaders: { "X-Gateway": "hunter2" }
    })
    const call = vote()
    const error = await failure(call)
    const unanswered = await failure(vote({ maxRetries: 0 }))
    for (const one of [cairn, cairn.withOptions({ timeout: 5 }), cairn.workspaces, call, error, unanswered]) {
      for (const text of [key, "hunter2"]) assert.notInclude(shown(one), text)
    }
    const { cairn: other } = stub([found])
    assert.include(shown(other), "Cairn")
  })
})
