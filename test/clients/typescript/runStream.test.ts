import { assert, describe, it } from "vitest"
import { blobOf } from "#test/blobOf.ts"
import { asked, scripts, service, startsAgent, write } from "#test/http/agent.ts"
import { says } from "#test/MessagesApi.ts"
import { ownerKey } from "#test/service.ts"
import { systemClock } from "../../../clients/typescript/src/clock.ts"
import {
  APIError,
  AuthenticationError,
  CacheUnavailableError,
  Cairn,
  type Fetch,
  type RunEvent
} from "../../../clients/typescript/src/index.ts"

startsAgent()

const client = (fetch: Fetch = globalThis.fetch) => new Cairn({ apiKey: ownerKey, baseUrl: service.url, fetch })
const all = async (stream: AsyncIterable<RunEvent>) => {
  const events: Array<RunEvent> = []
  for await (const event of stream) events.push(event)
  return events
}
const kinds = (events: ReadonlyArray<RunEvent>) => events.map(({ type }) => type).filter((type) => type !== "text")
const where = (user: string) => ({ user, org: "acme" })

/** A message of a stream that no service sends; `id` none. */
const message = (event: string, data: object, id?: number) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
const requested = { run_id: "r", workspace_id: "w", model: "m", max_turns: 8, requested_at: "2026-01-01T00:00:00.000Z" }
const taken = { turn: 1, text: "", tool_calls: [], usage: {} }
const answered = { ...requested, state: "completed", failure: null, turns: 1, ended_at: null, usage: {}, answer: null }

/** Streams of these texts, one a connection, and what was asked for. */
const answering = (...texts: ReadonlyArray<string>) => {
  const sent: Array<{
    readonly what: string
    readonly last: string | null
    readonly key: string | null
    readonly body: string
  }> = []
  const fetch: Fetch = async (url, init) => {
    const headers = new Headers(init.headers)
    const what = `${init.method} ${new URL(url).pathname}`
    const [last, key] = ["last-event-id", "idempotency-key"].map((name) => headers.get(name))
    sent.push({ what, last: last!, key: key!, body: String(init.body) })
    return new Response(texts[sent.length - 1] ?? "", { headers: { "content-type": "text/event-stream" } })
  }
  const clock = { now: () => 0, random: () => 0, sleep: async () => {}, timeout: () => () => {} }
  return { cairn: new Cairn({ apiKey: "k", fetch, clock, maxRetries: 2 }), sent }
}

describe("chat.stream", () => {
  it("tells how a chat with memory is remembered, and so does its record", async () => {
    const cairn = client()
    const events = await all(cairn.chat.stream("typescript remembers", { ...where("memory"), memory: true }))
    assert.deepStrictEqual(kinds(events), ["requested", "started", "turn", "remembered", "answer"])
    const [first, remembered, answered] = [0, -2, -1].map((at) => events.at(at)!)
    assert.isTrue(first?.type === "requested" && first.memory)
    assert.isTrue(remembered?.type === "remembered")
    if (remembered?.type !== "remembered" || answered?.type !== "answer") return
    assert.deepInclude(remembered, { how: "written", path: ".cairn/memory.md" })
    assert.isAbove(remembered.usage.inputTokens, 0)
    const { answer, memory, runId } = answered.run
    assert.deepStrictEqual([memory, answer!.changedFiles], ["written", [".cairn/memory.md"]])
    assert.strictEqual((await cairn.runs.get(runId)).memory, "written")
    const plain = await all(cairn.chat.stream("typescript forgets", where("memory")))
    assert.isTrue(plain[0]?.type === "requested" && !plain[0].memory)
    const last = plain.at(-1)
    assert.isTrue(last?.type === "answer" && last.run.memory === null)
    const started = await cairn.runs.start("typescript remembers later", { ...where("later"), memory: true })
    const later = await all(cairn.runs.stream(started.runId))
    assert.include(kinds(later), "remembered")
  })

  it("gives steps and words as they come, and at last what runs.get gives", async () => {
    const prompt = "typescript listens"
    const held = Promise.withResolvers<void>()
    scripts.set(prompt, (turn) =>
      turn === 1 ? write("one.txt") : { ...says("Both of us are done."), held: held.promise }
    )
    const cairn = client()
    const events: Array<RunEvent> = []
    for await (const event of cairn.chat.stream(prompt, where("listener"))) {
      events.push(event)
      // the model goes on when it was heard
      if (event.type === "text") held.resolve()
    }
    assert.deepStrictEqual(kinds(events), ["requested", "started", "turn", "tools", "turn", "answer"])
    const [first, , turn, tools] = events.filter(({ type }) => type !== "text")
    assert.isTrue(first!.type === "requested" && turn!.type === "turn" && tools!.type === "tools")
    if (first?.type !== "requested" || turn?.type !== "turn" || tools?.type !== "tools") return
    assert.strictEqual(turn.toolCalls[0]!.id, tools.results[0]!.toolCallId)
    assert.isAbove(turn.usage.inputTokens, 0)
    assert.deepStrictEqual(tools.changedFiles, [{ path: "one.txt", status: "created", sha: blobOf("x\n") }])
    const last = events.at(-1)!
    assert.deepStrictEqual(last, { type: "answer", run: { ...(await cairn.runs.get(first.runId)) } })
    // what is over is told from any place
    assert.deepStrictEqual(kinds(await all(cairn.runs.stream(first.runId))), kinds(events))
    assert.deepStrictEqual(kinds(await all(cairn.runs.stream(first.runId, { after: tools.id }))), ["turn", "answer"])
  })

  it("is made again when its connection is cut, and nothing is left out, said twice, or asked for twice", async () => {
    const prompt = "typescript is cut"
    const held = Promise.withResolvers<void>()
    scripts.set(prompt, (turn) =>
      turn < 3 ? write(`${turn}.txt`) : { ...says("One two three four."), held: held.promise }
    )
    const urls: Array<string> = []
    // each connection ends after some pieces, in the midst of one
    const cut: Fetch = async (url, init) => {
      const response = await globalThis.fetch(url, init)
      urls.push(`${init.method} ${new URL(url).pathname}`)
      let left = urls.length > 14 ? Number.POSITIVE_INFINITY : 2
      const pieces = new TransformStream<Uint8Array, Uint8Array>({
        transform: (piece, controller) => {
          if (left-- > 0) return controller.enqueue(piece)
          controller.enqueue(piece.subarray(0, piece.length / 2))
          controller.error(new Error("cut"))
        }
      })
      return new Response(response.body!.pipeThrough(pieces), response)
    }
    // it asks again at once: how long it waits otherwise is another test's
    const clock = { ...systemClock, sleep: async () => {} }
    const cairn = new Cairn({ apiKey: ownerKey, baseUrl: service.url, fetch: cut, maxRetries: 100, clock })
    const events: Array<RunEvent> = []
    for await (const event of cairn.chat.stream(prompt, where("cut"))) {
      events.push(event)
      // the model says the rest when its beginning was heard
      if (event.type === "text" && event.turn === 3) held.resolve()
    }
    assert.deepStrictEqual(kinds(events), [
      ...["requested", "started", "turn", "tools", "turn", "tools", "turn", "answer"]
    ])
    const said = events.flatMap((event) => (event.type === "text" && event.turn === 3 ? [event.text] : [])).join("")
    assert.isTrue("One two three four.".startsWith(said), said)
    assert.isAbove(urls.length, 2)
    assert.strictEqual(asked(prompt).length, 3)
  })

  it("goes on behind what came: asked for again with the same key until its run is known, then looked at", async () => {
    const { cairn, sent } = answering(
      "retry: 1000\n\n",
      message("requested", requested, 0) + message("text", { turn: 1, offset: 0, text: "One " }),
      message("text", { turn: 1, offset: 0, text: "One two " }) +
        message("newer", { odd: true }, 4) +
        message("end", { reason: "stopping", message: "stopping" }),
      message("text", { turn: 1, offset: 0, text: "Other" }) + message("end", { reason: "erased", message: "gone" })
    )
    const events: Array<RunEvent> = []
    const failed = await (async () => {
      for await (const event of cairn.chat.stream("q", where("u"))) events.push(event)
    })().catch((error: unknown) => error)
    assert.instanceOf(failed, CacheUnavailableError)
    const [one, two] = sent
    assert.deepStrictEqual([one!.what, one!.last], ["POST /api/agent-chat", null])
    assert.deepStrictEqual(two, one)
    assert.isNotNull(one!.key)
    assert.deepStrictEqual(
      sent.slice(2).map(({ what, last }) => [what, last]),
      [
        ["GET /api/runs/r", "0"],
        ["GET /api/runs/r", "4"],
        ["GET /api/runs/r", "4"],
        ["GET /api/runs/r", "4"]
      ]
    )
    const words = events.flatMap((event) => (event.type === "text" ? [[event.offset, event.text]] : []))
    assert.deepStrictEqual(words, [
      [0, "One "],
      [4, "two "],
      [0, "Other"]
    ])
  })

  it("is one run, however often it is iterated: again it goes on behind what it has given", async () => {
    const prompt = "typescript listens again"
    const held = Promise.withResolvers<void>()
    scripts.set(prompt, (turn) =>
      turn === 1 ? write("one.txt") : { ...says("Once and for all."), held: held.promise }
    )
    const cairn = client()
    const stream = cairn.chat.stream(prompt, where("again"))
    const events: Array<RunEvent> = []
    for (const last of ["requested", "turn", "text", "answer"]) {
      for await (const event of stream) {
        events.push(event)
        // the model goes on when it was heard
        if (event.type === "text") held.resolve()
        if (event.type === last) break
      }
    }
    assert.deepStrictEqual(kinds(events), ["requested", "started", "turn", "tools", "turn", "answer"])
    const said = events.flatMap((event) => (event.type === "text" && event.turn === 2 ? [event] : []))
    // none of the words is said twice
    for (const [at, { offset }] of said.entries()) {
      const before = said.slice(0, at).map(({ text }) => text)
      assert.strictEqual(offset, before.join("").length)
    }
    assert.deepStrictEqual(await all(stream), [])
    assert.strictEqual(asked(prompt).length, 2)
    const [first] = events
    if (first?.type !== "requested") return assert.fail(first?.type)
    assert.lengthOf((await cairn.runs.list(first.workspaceId)).runs, 1)
  })

  it("is asked for by the same key when it is iterated again before its run is known, as it was then", async () => {
    const params = { ...where("u"), model: "m" }
    const texts = ["", message("requested", requested, 0), message("turn", taken, 1), message("answer", answered)]
    const { cairn, sent } = answering(...texts)
    const stream = cairn.withOptions({ maxRetries: 0 }).chat.stream("q", params)
    const failed: unknown = await all(stream).catch((error: unknown) => error)
    assert.instanceOf(failed, CacheUnavailableError)
    params.model = "another"
    for await (const { type } of stream) if (type === "requested") break
    for await (const { type } of stream) if (type === "turn") break
    assert.deepStrictEqual(kinds(await all(stream)), ["answer"])
    assert.deepStrictEqual(await all(stream), [])
    assert.deepStrictEqual(sent[1], sent[0])
    assert.include(sent[0]!.body, '"model":"m"')
    assert.deepStrictEqual(
      sent.slice(2).map(({ what, last }) => [what, last]),
      [
        ["GET /api/runs/r", "0"],
        ["GET /api/runs/r", "1"]
      ]
    )
  })

  it("gives each of two that listen at once all of it", async () => {
    const prompt = "typescript listens twice at once"
    scripts.set(prompt, (turn) => (turn < 3 ? write(`${turn}.txt`) : says("Done.")))
    const stream = client().chat.stream(prompt, where("twice"))
    const [one, two] = await Promise.all([all(stream), all(stream)])
    assert.deepStrictEqual(kinds(one), [
      ...["requested", "started", "turn", "tools", "turn", "tools", "turn", "answer"]
    ])
    assert.deepStrictEqual(kinds(two), kinds(one))
    assert.strictEqual(asked(prompt).length, 3)
  })

  it("fails as calls do: a run that is not there, a key that is none, what is no stream", async () => {
    const failure = (stream: AsyncIterable<RunEvent>) => all(stream).catch((error: unknown) => error)
    const missing = await failure(client().runs.stream("3e3a3f0e-0000-4000-8000-000000000000"))
    assert.instanceOf(missing, APIError)
    assert.strictEqual((missing as APIError).code, "not_found/run")
    const wrong = client().withOptions({ apiKey: "cairn_live_wrong" })
    assert.instanceOf(await failure(wrong.chat.stream("q", where("u"))), AuthenticationError)
    const odd = client(async () => new Response("{}", { headers: { "content-type": "application/json" } }))
    assert.instanceOf(await failure(odd.runs.stream("r")), APIError)
    const unreadable = answering(message("turn", { turn: 1 }, 1)).cairn
    assert.instanceOf(await failure(unreadable.runs.stream("r")), APIError)
  })
})
