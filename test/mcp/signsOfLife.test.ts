import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Queue, Stream } from "effect"
import { type HttpBody, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { Closing } from "#src/closing.ts"
import { patiently } from "#src/http/mcp/stream.ts"

const call = (id: unknown, progressToken?: string) => ({
  id,
  method: "tools/call",
  params: { name: "chat", _meta: progressToken === undefined ? {} : { progressToken } }
})
const answer = (after: string, response: Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
  Effect.andThen(Effect.sleep(after as "1 second"), response)
const json = HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", id: 1, result: {} })

/** All events of what is answered, with the clock moved on by so many seconds. */
const eventsAfter = Effect.fnUntraced(function* (
  messages: Parameters<typeof patiently>[0],
  given: Effect.Effect<HttpServerResponse.HttpServerResponse>,
  seconds: number,
  told?: Stream.Stream<string>
) {
  const answering = yield* Effect.forkChild(patiently(messages, given, told))
  yield* TestClock.adjust("1 second")
  const { body } = yield* Fiber.join(answering)
  assert.strictEqual(body._tag, "Stream")
  const texts = yield* Queue.make<string>()
  const reading = yield* (body as HttpBody.Stream).stream.pipe(
    Stream.decodeText,
    Stream.runForEach((text) => Queue.offer(texts, text)),
    Effect.forkChild
  )
  for (let second = 0; second < seconds; second++) yield* TestClock.adjust("1 second")
  yield* Fiber.join(reading)
  const all = (yield* Queue.clear(texts)).join("")
  return all.split("\n\n").filter((event) => event !== "")
})
const closing = Effect.provideServiceEffect(Closing, Latch.make())

it.effect("a stream lives: every ten seconds it says so, until there is an answer", () =>
  Effect.gen(function* () {
    const silent = yield* eventsAfter([call(1)], answer("25 seconds", Effect.succeed(json)), 25)
    assert.deepStrictEqual(silent, [
      ": under way",
      ": under way",
      ": under way",
      'data: {"jsonrpc":"2.0","id":1,"result":{}}'
    ])
    const told = yield* eventsAfter([call(1, "p")], answer("15 seconds", Effect.succeed(json)), 15)
    const parsed = told.map((event) => JSON.parse(event.slice("data: ".length)))
    assert.deepStrictEqual(
      parsed.slice(0, -1).map(({ method, params }) => [method, params.progressToken, params.progress, params.message]),
      [
        ["notifications/progress", "p", 1, "Under way for 1 s."],
        ["notifications/progress", "p", 2, "Under way for 11 s."]
      ]
    )
    assert.strictEqual(parsed.at(-1).id, 1)
  }).pipe(closing, Effect.scoped)
)

it.effect("what is told of a call comes at once, and stands before the time that it takes", () =>
  Effect.gen(function* () {
    const told = Stream.fromEffect(Effect.as(Effect.sleep("4 seconds"), "Turn 1 of 8."))
    const messages = [call(1, "p")]
    const events = yield* eventsAfter(messages, answer("15 seconds", Effect.succeed(json)), 15, told)
    const said = events.slice(0, -1).map((event) => JSON.parse(event.slice("data: ".length)).params)
    assert.deepStrictEqual(
      said.map(({ progress, message }) => [progress, message]),
      [
        [1, "Under way for 1 s."],
        [2, "Turn 1 of 8."],
        [3, "Turn 1 of 8. Under way for 11 s."]
      ]
    )
    // who did not ask for progress hears that it lives, and no more
    const silent = yield* eventsAfter([call(1)], answer("15 seconds", Effect.succeed(json)), 15, told)
    assert.deepStrictEqual(silent.slice(0, -1), [": under way", ": under way"])
  }).pipe(closing, Effect.scoped)
)

it.effect("what fails after the stream began is said in it, as an error that a model can read, without the cause", () =>
  Effect.gen(function* () {
    const messages = [call("a"), { id: 2, method: "ping" }, { method: "notifications/progress" }]
    const events = yield* eventsAfter(messages, answer("5 seconds", Effect.die(new Error("secret"))), 5)
    assert.notInclude(events.join(), "secret")
    const [first, second, ...more] = events
      .filter((event) => event.startsWith("data: "))
      .map((event) => JSON.parse(event.slice("data: ".length)))
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual([first.id, first.result.isError], ["a", true])
    assert.match(first.result.content[0].text, /The service failed/)
    assert.deepStrictEqual([second.id, second.error.code], [2, -32603])
  }).pipe(closing, Effect.scoped)
)

it.effect("what is there at once, and what is no call, is answered as it is", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* patiently([call(1)], Effect.succeed(json)), json)
    const listing = yield* Effect.forkChild(
      patiently([{ id: 1, method: "tools/list" }], answer("1 minute", Effect.succeed(json)))
    )
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* Fiber.join(listing), json)
  }).pipe(closing, Effect.scoped)
)
