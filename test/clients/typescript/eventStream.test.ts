import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { organization } from "#test/service/tenants.ts"
import { newInstallation, ownerKey, removeInstallation, type Service, startService } from "#test/service.ts"
import { MessageReader } from "../../../clients/typescript/src/eventStream/messages.ts"
import {
  APIError,
  AuthenticationError,
  CacheUnavailableError,
  Cairn,
  type Fetch,
  type RecordedEvent
} from "../../../clients/typescript/src/index.ts"
import { failure, retriesIn, stub } from "./stub.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** An owner of a new organization, who makes a key each time that something is to happen. */
const owner = async (fetch: Fetch = globalThis.fetch) => {
  const { key } = await organization(service, "ENTERPRISE")
  const cairn = new Cairn({ apiKey: key, baseUrl: service.url, fetch })
  let made = 0
  const happen = () => cairn.keys.create({ email: "busy@example.org", keyName: `key ${made++}` })
  return { cairn, happen }
}

const listed = async (cairn: Cairn): Promise<Array<RecordedEvent>> => {
  const events: Array<RecordedEvent> = []
  for await (const event of cairn.events()) events.push(event)
  return events
}

const taken = async (stream: AsyncIterable<RecordedEvent>, count: number): Promise<Array<RecordedEvent>> => {
  const events: Array<RecordedEvent> = []
  for await (const event of stream) if (events.push(event) === count) break
  return events
}

/** A fetch whose streams end in the middle of something, after so many pieces each. */
const cutting = (pieces: number) => {
  const urls: Array<string> = []
  const fetch: Fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init)
    if (!url.includes("/stream")) return response
    urls.push(url)
    let left = pieces
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        if (left-- > 0) controller.enqueue(piece)
        else {
          controller.enqueue(piece.subarray(0, piece.length / 2))
          controller.error(new Error("cut"))
        }
      }
    })
    return new Response(response.body!.pipeThrough(cut), response)
  }
  return { fetch, urls }
}

describe("the stream of events", () => {
  it("gives what is there, then what comes, as `events` gives it", async () => {
    const { cairn, happen } = await owner()
    const before = await listed(cairn)
    const seen: Array<RecordedEvent> = []
    for await (const event of cairn.eventStream()) {
      seen.push(event)
      if (seen.length === before.length) await happen()
      if (event.type === "KeyCreated" && seen.length > before.length) break
    }
    assert.deepStrictEqual(seen, (await listed(cairn)).slice(0, seen.length))
  })

  it("takes after, type and stream", async () => {
    const { cairn, happen } = await owner()
    await happen()
    await happen()
    const keys = (await listed(cairn)).filter(({ type }) => type === "KeyCreated")
    const [first, second] = keys
    const stream = cairn.eventStream({ after: first!.position, type: "KeyCreated", stream: first!.stream })
    assert.deepStrictEqual(await taken(stream, 1), [second!])
  })

  it("goes on behind the last event when it is cut, with none left out and none twice", async () => {
    const { fetch, urls } = cutting(2)
    const { cairn, happen } = await owner(fetch)
    const impatient = cairn.withOptions({
      clock: { now: Date.now, random: () => 0, sleep: async () => {}, timeout: () => () => {} }
    })
    const seen: Array<RecordedEvent> = []
    for await (const event of impatient.eventStream({ type: "KeyCreated" })) {
      seen.push(event)
      if (seen.length === 8) break
      await happen()
    }
    const all = (await listed(cairn)).filter(({ type }) => type === "KeyCreated")
    assert.deepStrictEqual(seen, all.slice(0, 8))
    assert.isAbove(urls.length, 1)
    const positions = new Set(seen.map(({ position }) => position))
    for (const url of urls.slice(1)) assert.isTrue(positions.has(new URL(url).searchParams.get("after")!))
  })

  it("goes on when the service was stopped and started again", async () => {
    const installation = await newInstallation()
    let now = await startService({}, installation)
    const started = Promise.withResolvers<void>()
    const moved: Fetch = (url, init) => globalThis.fetch(url.replace("http://cairn.test", now.url), init)
    const clock = { now: Date.now, random: () => 0, sleep: () => started.promise, timeout: () => () => {} }
    const cairn = new Cairn({ apiKey: ownerKey, baseUrl: "http://cairn.test", fetch: moved, clock })
    const events = cairn.eventStream({ type: "KeyCreated" })[Symbol.asyncIterator]()
    await events.next()
    const next = events.next()
    await now.stop()
    now = await startService({}, installation)
    started.resolve()
    const { id } = await cairn.keys.create({ email: "late@example.org", keyName: "late" })
    const { value } = await next
    assert.deepInclude(value?.data, { key: id })
    await events.return()
    await now.stop()
    removeInstallation(installation)
  })

  it("ends with an error when its key is revoked", async () => {
    const { cairn, happen } = await owner()
    const { id, key } = await cairn.keys.create({ email: "admin@example.org", keyName: "admin", role: "admin" })
    const stream = cairn.withOptions({ apiKey: key }).eventStream()
    const error = await failure(
      (async () => {
        for await (const event of stream) if (event.type === "KeyCreated") await cairn.keys.revoke(id).catch(() => {})
      })()
    )
    assert.instanceOf(error, AuthenticationError)
    assert.strictEqual((error as AuthenticationError).code, "auth/invalid_api_key")
    await happen()
  })

  it("ends with its signal's reason, and is refused to members", async () => {
    const { cairn } = await owner()
    const controller = new AbortController()
    const reason = await failure(
      (async () => {
        for await (const _ of cairn.eventStream({}, { signal: controller.signal })) controller.abort("enough")
      })()
    )
    assert.strictEqual(reason, "enough")
    const { key } = await cairn.keys.create({ email: "member@example.org", keyName: "member" })
    const refused = await failure(taken(cairn.withOptions({ apiKey: key }).eventStream(), 1))
    assert.instanceOf(refused, APIError)
    assert.deepInclude(refused, { statusCode: 403, code: "permission/admin_key_required" })
  })
})

const sse = (text: string) => ({ status: 200, body: text, headers: { "content-type": "text/event-stream" } })
const event = (position: string) =>
  `id: ${position}\nevent: X\ndata: ${JSON.stringify({ position, type: "X", actor: {} })}\n\n`

describe("a stream that breaks off", () => {
  it("is tried again as often as maxRetries says in a row; whatever is heard begins the count anew", async () => {
    const { cairn, waits, sent } = stub([
      ...[{ network: "refused" }, { status: 503 }, sse(`retry: 1000\n\n${event("7")}`)],
      ...[{ network: "refused" }, sse(": nothing new\n\n"), { status: 429 }, { network: "gone" }]
    ])
    const seen: Array<string> = []
    const error = await failure(
      (async () => {
        for await (const { position } of cairn.eventStream({ after: "3" })) seen.push(position)
      })()
    )
    assert.instanceOf(error, CacheUnavailableError)
    assert.include((error as Error).message, "gone")
    assert.deepStrictEqual(seen, ["7"])
    assert.deepStrictEqual(
      sent.map(({ url }) => new URL(url).searchParams.get("after")),
      ["3", "3", "3", "7", "7", "7", "7"]
    )
    assert.deepStrictEqual(waits, [500, 1000, 500, 1000, 500, 1000])
  })

  it("is told of with a warning when it begins again only after more than ten seconds", async () => {
    const later = (seconds: string) => ({ status: 503, headers: { "retry-after": seconds } })
    const { cairn, lines } = stub([later("10"), later("11"), sse(event("7"))], { logLevel: "info" })
    await taken(cairn.eventStream(), 1)
    assert.deepStrictEqual(retriesIn(lines), [
      "info GET /api/events/stream is sent again in 10000 ms",
      "warn GET /api/events/stream is sent again in 11000 ms"
    ])
  })

  it("begins again behind its own after when it is iterated again, whatever was heard", async () => {
    const { cairn, sent } = stub([sse(event("7")), sse(event("8"))])
    const stream = cairn.eventStream({ after: "3" })
    const seen = [...(await taken(stream, 1)), ...(await taken(stream, 1))]
    assert.deepStrictEqual(
      seen.map(({ position }) => position),
      ["7", "8"]
    )
    assert.deepStrictEqual(
      sent.map(({ url }) => new URL(url).searchParams.get("after")),
      ["3", "3"]
    )
  })

  it("that is silent for too long is cut; what is no stream, and no event, is an error at once", async () => {
    const silent = stub(["silence"], { maxRetries: 0, timeout: 1 })
    const waiting = failure(taken(silent.cairn.eventStream(), 1))
    while (silent.timeouts.length === 0) await Promise.resolve()
    assert.strictEqual(silent.timeouts[0]!.milliseconds, 45_000)
    silent.timeouts[0]!.run()
    assert.include(((await waiting) as Error).message, "nothing came for 45000 ms")
    for (const body of ["<html>", "data: {}\n\n"]) {
      const { cairn, sent } = stub([body.startsWith("<") ? { status: 200, body } : sse(body)])
      assert.instanceOf(await failure(taken(cairn.eventStream(), 1)), APIError)
      assert.strictEqual(sent.length, 1)
    }
    const ended = sse('event: end\ndata: {"reason":"stopping","message":"The service is stopping."}\n\n')
    const stopping = stub([ended], { maxRetries: 1 })
    assert.include(((await failure(taken(stopping.cairn.eventStream(), 1))) as Error).message, "stopping")
    assert.strictEqual(stopping.sent.length, 2)
  })

  it("is read alike however its text is cut to pieces", () => {
    const text = `: hello\r\n\r\nid: 1\rdata: a\rdata:b\r\revent: x\ndata: é\n\nid: 9\n\ndata\n\n`
    const whole = ["comment", { id: "1", event: "", data: "a\nb" }, { id: "", event: "x", data: "é" }]
    for (let size = 1; size <= text.length; size++) {
      const reader = new MessageReader()
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size)
      )
      assert.deepStrictEqual(
        pieces.flatMap((piece) => [...reader.read(piece)]),
        whole as never
      )
    }
  })
})
