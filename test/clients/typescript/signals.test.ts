import { assert, describe, it } from "vitest"
import { systemClock } from "../../../clients/typescript/src/clock.ts"
import { failure, fine, type Reply, stub } from "./stub.ts"

describe("a signal", () => {
  const reason = new Error("changed my mind")
  it("that is aborted already sends nothing", async () => {
    const { vote, sent } = stub([fine])
    assert.strictEqual(await failure(vote({ signal: AbortSignal.abort(reason) })), reason)
    assert.strictEqual(sent.length, 0)
  })
  it("ends a request that is under way, which is not sent again; also one whose fetch does not listen", async () => {
    const deaf: Reply = () => new Promise(() => {})
    for (const reply of ["silence", deaf] as const) {
      const { vote, sent, waits, timeouts } = stub([reply])
      const controller = new AbortController()
      const voting = failure(vote({ signal: controller.signal }))
      while (sent.length === 0) await Promise.resolve()
      controller.abort(reason)
      assert.strictEqual(await voting, reason)
      assert.deepStrictEqual([sent.length, waits, timeouts[0]!.cancelled], [1, [], true])
    }
  })
  it("ends a request whose answer has begun", async () => {
    let begun = () => {}
    const beginning = new Promise<void>((resolve) => void (begun = resolve))
    const endless: Reply = async () => {
      const start = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array([123]))
      begun()
      return new Response(new ReadableStream({ start }))
    }
    const { vote, sent } = stub([endless])
    const controller = new AbortController()
    const voting = failure(vote({ signal: controller.signal }))
    await beginning
    controller.abort(reason)
    assert.strictEqual(await voting, reason)
    assert.strictEqual(sent.length, 1)
  })
  it("ends pages: none is fetched after it", async () => {
    const body = { events: [{ actor: {} }, { actor: {} }], next_after: "2" }
    const { cairn, sent } = stub([{ status: 200, body }])
    const controller = new AbortController()
    const reading = async () => {
      for await (const _ of cairn.events({}, { signal: controller.signal })) controller.abort(reason)
    }
    assert.strictEqual(await failure(reading()), reason)
    assert.strictEqual(sent.length, 1)
  })
  it("ends a wait", async () => {
    const controller = new AbortController()
    const { vote, sent } = stub([
      async () => {
        controller.abort(reason)
        return new Response("{}", { status: 503 })
      }
    ])
    assert.strictEqual(await failure(vote({ signal: controller.signal })), reason)
    assert.strictEqual(sent.length, 1)
    const sleeping = new AbortController()
    const slept = failure(systemClock.sleep(2 ** 40, sleeping.signal))
    sleeping.abort(reason)
    assert.strictEqual(await slept, reason)
    assert.strictEqual(await failure(systemClock.sleep(1, AbortSignal.abort(reason))), reason)
  })
})
