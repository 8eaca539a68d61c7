import { assert, describe, it } from "vitest"
import { deadline } from "../../../clients/typescript/src/deadline.ts"
import {
  APIError,
  CacheUnavailableError,
  RateLimitError,
  type ServiceError
} from "../../../clients/typescript/src/index.ts"
import { backoff } from "../../../clients/typescript/src/retry.ts"
import { failure, fine, type Reply, retriesIn, stub } from "./stub.ts"

const cut: Reply = async () =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{"success": tr'))
        controller.error(new TypeError("terminated"))
      }
    })
  )

describe("what is sent again", () => {
  for (const status of [408, 409, 429, 500, 502, 503, 504, 529]) {
    it(`a ${status}`, async () => {
      const { vote, sent, waits } = stub([{ status }, { status }, fine])
      assert.isTrue((await vote()).votePending)
      assert.strictEqual(sent.length, 3)
      assert.deepStrictEqual(waits, [500, 1000])
    })
  }
  for (const [name, reply] of [
    ["a refused connection", { network: "connect ECONNREFUSED" }],
    ["an answer that is cut", cut]
  ] as const) {
    it(name, async () => {
      const { vote, sent } = stub([reply, fine])
      assert.isTrue((await vote()).success)
      assert.strictEqual(sent.length, 2)
    })
  }
  for (const status of [400, 401, 403, 404, 405, 413, 415, 422]) {
    it(`no ${status}`, async () => {
      const { vote, sent } = stub([{ status }, fine])
      await failure(vote())
      assert.strictEqual(sent.length, 1)
    })
  }
  it("no conflict that the service itself names: it would be the same again", async () => {
    for (const code of ["conflict/ambiguous_name", "conflict/idempotency_key_reused"]) {
      const { vote, sent } = stub([{ status: 409, body: { code, message: "No." } }, fine])
      assert.deepInclude(await failure(vote()), { statusCode: 409, code })
      assert.strictEqual(sent.length, 1)
    }
  })
  it("what x-should-retry says, whatever the status", async () => {
    for (const [status, said, tries] of [
      [503, "false", 1],
      [429, "false", 1],
      [404, "true", 2],
      [409, "perhaps", 2]
    ] as const) {
      const { vote, sent } = stub([{ status, headers: { "x-should-retry": said } }, fine])
      await vote().catch(() => {})
      assert.strictEqual(sent.length, tries, `${status} ${said}`)
    }
  })
  it("a try that takes too long, each with the whole timeout", async () => {
    const { vote, sent, timeouts } = stub(["silence", "silence", fine], { timeout: 5_000 })
    const voting = vote()
    for (const tries of [1, 2]) {
      while (timeouts.length < tries) await Promise.resolve()
      timeouts[tries - 1]!.run()
    }
    assert.isTrue((await voting).success)
    assert.strictEqual(sent.length, 3)
    assert.deepStrictEqual(
      timeouts.map(({ milliseconds, cancelled }) => [milliseconds, cancelled]),
      [
        [5_000, true],
        [5_000, true],
        [5_000, true]
      ]
    )
  })
})

describe("a fetch that gives up after five minutes, as Node's does,", () => {
  const givingUp = (after: number) => {
    let now = 0
    const giveUp: Reply = async () => {
      now += after
      throw new TypeError("fetch failed", {
        cause: Object.assign(new Error("late"), { code: "UND_ERR_HEADERS_TIMEOUT" })
      })
    }
    return stub([giveUp, fine], { clock: { ...stub([]).clock, now: () => now } })
  }
  it("is asked again in the same try: the request joins the one that is under way", async () => {
    const { vote, sent } = givingUp(300_500)
    assert.isTrue((await vote({ maxRetries: 0, timeout: 600_000 })).success)
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"))
    assert.deepStrictEqual([keys.length, keys[0]], [2, keys[1]!])
  })
  it("is not where it was told to give up earlier", async () => {
    const { vote, sent } = givingUp(5_000)
    assert.instanceOf(await failure(vote({ maxRetries: 0 })), CacheUnavailableError)
    assert.strictEqual(sent.length, 1)
  })
})

describe("what is left when no try helped", () => {
  const left = async (reply: Reply, maxRetries = 2) => {
    const { vote, sent } = stub([reply])
    const error = (await failure(vote({ maxRetries }))) as ServiceError
    assert.strictEqual(sent.length, maxRetries + 1)
    return error
  }
  it("of a 5xx a CacheUnavailableError with its status", async () => {
    const body = { message: "Busy.", code: "unavailable/busy", request_id: "req_9" }
    const error = await left({ status: 503, body })
    assert.instanceOf(error, CacheUnavailableError)
    assert.deepInclude(error, { message: "Busy.", code: "unavailable/busy", requestId: "req_9", statusCode: 503 })
  })
  it("of a network that fails a CacheUnavailableError without one", async () => {
    const error = await left({ network: "getaddrinfo ENOTFOUND cairn.test" })
    assert.instanceOf(error, CacheUnavailableError)
    assert.deepInclude(error, { statusCode: null, code: null, requestId: null })
    assert.include(error.message, "ENOTFOUND")
    assert.include(error.message, "http://cairn.test?")
    assert.instanceOf(error.cause, TypeError)
  })
  it("of a timeout one that tells it from a network that fails", async () => {
    const { vote, sent, timeouts } = stub(["silence"], { timeout: 5_000 })
    const voting = failure(vote({ maxRetries: 0 }))
    while (sent.length === 0) await Promise.resolve()
    timeouts[0]!.run()
    const error = (await voting) as ServiceError
    assert.instanceOf(error, CacheUnavailableError)
    assert.include(error.message, "5000 ms")
    assert.strictEqual((error.cause as Error).name, "TimeoutError")
  })
  it("of a 429 a RateLimitError", async () => {
    const error = await left({ status: 429, headers: { "retry-after": "7" }, body: { code: "rate_limit/exceeded" } })
    assert.instanceOf(error, RateLimitError)
    assert.deepInclude(error, { retryAfter: 7, code: "rate_limit/exceeded" })
  })
  it("of 408 and 409 an APIError", async () => {
    for (const status of [408, 409]) {
      const error = await left({ status, body: { message: "No." } }, 1)
      assert.instanceOf(error, APIError)
      assert.deepInclude(error, { statusCode: status, message: "No." })
    }
  })
  it("of 0 retries the first failure", async () => {
    assert.instanceOf(await left({ status: 500 }, 0), CacheUnavailableError)
  })
})

describe("how long is waited", () => {
  it("half a second, twice as much each time, at most 8 s, less up to a quarter", () => {
    const waits = [0, 1, 2, 3, 4, 5, 100].map((attempt) => backoff(attempt, 0))
    assert.deepStrictEqual(waits, [500, 1000, 2000, 4000, 8000, 8000, 8000])
    assert.strictEqual(backoff(0, 1), 375)
    assert.strictEqual(backoff(10, 0.5), 7000)
  })

  const waited = async (retryAfter: string, status = 429) => {
    const { vote, waits } = stub([{ status, headers: { "retry-after": retryAfter } }, fine])
    await vote()
    return waits
  }
  it("as Retry-After says: seconds, or a date; for other statuses than 429 too", async () => {
    assert.deepStrictEqual(await waited("3"), [3000])
    assert.deepStrictEqual(await waited("60"), [60_000])
    assert.deepStrictEqual(await waited("Sat, 21 Nov 2026 12:00:30 GMT"), [30_000])
    assert.deepStrictEqual(await waited("2", 503), [2000])
  })
  it("as without it, when it is 0, past, negative or nonsense", async () => {
    for (const nothing of ["0", "Sat, 21 Nov 2026 11:00:00 GMT", "-5", "soon", ""]) {
      assert.deepStrictEqual(await waited(nothing), [500], nothing)
    }
  })
  it("not at all when it is more than a minute: the call fails at once, and says how long", async () => {
    for (const [retryAfter, seconds] of [
      ["3600", 3600],
      ["61", 61],
      ["Sat, 21 Nov 2026 13:00:00 GMT", 3600]
    ] as const) {
      const { vote, sent, waits } = stub([{ status: 429, headers: { "retry-after": retryAfter } }, fine])
      const error = await failure(vote())
      assert.instanceOf(error, RateLimitError)
      assert.strictEqual((error as RateLimitError).retryAfter, seconds)
      assert.deepStrictEqual([sent.length, waits], [1, []])
    }
    const { vote } = stub([{ status: 503, headers: { "retry-after": "3600" } }, fine])
    assert.deepInclude(await failure(vote()), { statusCode: 503, retryAfter: 3600 })
  })
  it("with a warning when it is more than ten seconds", async () => {
    const later = (seconds: string) => ({ status: 429, headers: { "retry-after": seconds } })
    const { vote, lines } = stub([later("10"), later("11"), fine], { logLevel: "info" })
    await vote()
    assert.deepStrictEqual(retriesIn(lines), [
      "info POST /api/store/cache-usage is sent again in 10000 ms",
      "warn POST /api/store/cache-usage is sent again in 11000 ms"
    ])
  })
  it("not at all, nor told, where the call has its deadline before: it fails at once, as it was answered", async () => {
    const { vote, sent, waits, lines } = stub([{ status: 503, headers: { "retry-after": "30" } }, fine], {
      logLevel: "info"
    })
    assert.deepInclude(await failure(vote({ signal: deadline(29_000) })), { statusCode: 503, retryAfter: 30 })
    assert.deepStrictEqual([sent.length, waits, retriesIn(lines)], [1, [], []])
    await vote({ signal: deadline(31_000) })
  })
})

describe("an idempotency key", () => {
  const keys = (sent: ReadonlyArray<{ readonly headers: Headers }>) =>
    sent.map(({ headers }) => headers.get("idempotency-key"))
  it("is the same for all tries of a call, and another for the next", async () => {
    const { vote, sent } = stub([{ status: 500 }, { network: "reset" }, fine])
    await vote()
    await vote()
    const [first, second, third, next] = keys(sent)
    assert.match(first!, /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual([second, third], [first, first])
    assert.notStrictEqual(next, first)
  })
  it("is the caller's when given, and not sent with a GET", async () => {
    const { vote, cairn, sent } = stub([fine, { status: 200, body: { workspaces: [] } }])
    await vote({ idempotencyKey: "mine" })
    await cairn.workspaces.list()
    assert.deepStrictEqual(keys(sent), ["mine", null])
  })
})
