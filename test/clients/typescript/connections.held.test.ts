import { assert, describe, it } from "vitest"
import { collectGarbage } from "#test/collectGarbage.ts"
import { Cairn, type Clock, type Fetch } from "../../../clients/typescript/src/index.ts"

const count = 400

/** A body of so many pieces, each made when it is asked for, and each of which only who takes it may hold. */
const flowing = (type: string, textOf: (n: number) => string) => {
  const pieces: Array<WeakRef<Uint8Array>> = []
  const fetch: Fetch = async () => {
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const piece = new TextEncoder().encode(textOf(pieces.length + 1))
          pieces.push(new WeakRef(piece))
          controller.enqueue(piece)
        }
      },
      { highWaterMark: 0 }
    )
    return new Response(body, { headers: { "content-type": type } })
  }
  return { pieces, fetch }
}

/** How many of all that came are still held while their connection is open. */
const held = async (
  { pieces, fetch }: ReturnType<typeof flowing>,
  streamed: (cairn: Cairn) => AsyncIterable<unknown>
) => {
  // of a timer that is cancelled nothing stays, as with the machine's
  const timers = new Set<() => void>()
  const clock: Clock = {
    now: () => 0,
    random: () => 0,
    sleep: async () => {},
    timeout: (_, run) => {
      timers.add(run)
      return () => void timers.delete(run)
    }
  }
  const cairn = new Cairn({ apiKey: "k", baseUrl: "http://cairn.test", fetch, clock })
  let taken = 0
  for await (const _ of streamed(cairn)) {
    if (++taken < count) continue
    // a WeakRef holds what it was made of up to the end of a task
    await new Promise((resolve) => setTimeout(resolve))
    collectGarbage()
    assert.strictEqual(timers.size, 0)
    return pieces.filter((piece) => piece.deref() !== undefined).length
  }
  throw new Error("It ended.")
}

const event = (n: number) => `id: ${n}\ndata: ${JSON.stringify({ position: `${n}`, type: "X", actor: {} })}\n\n`
const text = (n: number) => `event: text\ndata: ${JSON.stringify({ turn: n, offset: 0, text: `said ${n}` })}\n\n`

describe("what has come over a connection that goes on", () => {
  it("is held by nobody: pieces of a backup", async () => {
    const flow = flowing("application/x-tar", (n) => `${n}`.repeat(1_000))
    assert.isAtMost(await held(flow, (cairn) => cairn.system.backup()), 4)
    assert.isAtLeast(flow.pieces.length, count)
  })

  it("is held by nobody: events, and what a run says", async () => {
    const streams = [
      [event, (cairn: Cairn) => cairn.eventStream()],
      [text, (cairn: Cairn) => cairn.runs.stream("r")]
    ] as const
    for (const [textOf, streamed] of streams) {
      const flow = flowing("text/event-stream", textOf)
      assert.isAtMost(await held(flow, streamed), 4)
      assert.isAtLeast(flow.pieces.length, count)
    }
  })
})
