import { assert, describe, it } from "vitest"
import { APIError, CacheUnavailableError, ConflictError } from "../../../clients/typescript/src/index.ts"
import { failure, retriesIn, stub } from "./stub.ts"

const tar =
  (...pieces: ReadonlyArray<string | Error>) =>
  async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const piece = pieces[0]
        pieces = pieces.slice(1)
        if (piece === undefined) controller.close()
        else if (typeof piece === "string") controller.enqueue(new TextEncoder().encode(piece))
        else controller.error(piece)
      }
    })
    return new Response(body, { headers: { "content-type": "application/x-tar" } })
  }

const taken = async (pieces: AsyncIterable<Uint8Array>) => {
  let text = ""
  for await (const piece of pieces) text += new TextDecoder().decode(piece)
  return text
}

describe("a backup by the client", () => {
  it("comes piece by piece, asked for with who may read it; what is refused for a moment is asked for again", async () => {
    const { cairn, sent, waits } = stub([{ status: 503 }, tar("one, ", "two")])
    assert.strictEqual(await taken(cairn.system.backup({ recipient: "age1a" })), "one, two")
    assert.deepStrictEqual(
      sent.map(({ url }) => new URL(url).searchParams.get("recipient")),
      ["age1a", "age1a"]
    )
    assert.strictEqual(sent[0]!.headers.get("accept"), "application/x-tar")
    assert.strictEqual(waits.length, 1)
  })

  it("warns of a wait of more than ten seconds, and of no other", async () => {
    const later = (seconds: string) => ({ status: 503, headers: { "retry-after": seconds } })
    const { cairn, lines } = stub([later("10"), later("11"), tar("one")], { logLevel: "info" })
    assert.strictEqual(await taken(cairn.system.backup()), "one")
    assert.deepStrictEqual(retriesIn(lines), [
      "info GET /api/admin/backup is sent again in 10000 ms",
      "warn GET /api/admin/backup is sent again in 11000 ms"
    ])
  })

  it("fails where it is cut, and is not begun anew; another under way and no archive are errors at once", async () => {
    const cut = stub([tar("one", new Error("gone"))])
    const error = await failure(taken(cut.cairn.system.backup()))
    assert.instanceOf(error, CacheUnavailableError)
    assert.include((error as Error).message, "What came is no backup")
    assert.strictEqual(cut.sent.length, 1)
    const running = stub([{ status: 409, body: { code: "conflict/backup_running", message: "Another one." } }])
    assert.instanceOf(await failure(taken(running.cairn.system.backup())), ConflictError)
    assert.strictEqual(running.sent.length, 1)
    const other = stub([{ status: 200, body: "<html>" }])
    assert.instanceOf(await failure(taken(other.cairn.system.backup())), APIError)
    assert.strictEqual(other.sent.length, 1)
  })

  it("ends with its signal's reason also where that comes between two pieces, of a fetch that does not listen", async () => {
    const silent: ReadableStream<Uint8Array> = new ReadableStream({
      start: (body) => body.enqueue(new TextEncoder().encode("one"))
    })
    const { cairn } = stub([async () => new Response(silent, { headers: { "content-type": "application/x-tar" } })])
    const controller = new AbortController()
    const pieces = cairn.system.backup({}, { signal: controller.signal })[Symbol.asyncIterator]()
    assert.isFalse((await pieces.next()).done)
    controller.abort("enough")
    assert.strictEqual(await failure(pieces.next()), "enough")
  })

  it("ends with its signal's reason, and when nothing comes", async () => {
    const controller = new AbortController()
    const { cairn } = stub(["silence"])
    const ended = failure(taken(cairn.system.backup({}, { signal: controller.signal })))
    controller.abort("enough")
    assert.strictEqual(await ended, "enough")
    const silent = stub(["silence"], { maxRetries: 0 })
    const waiting = failure(taken(silent.cairn.system.backup()))
    while (silent.timeouts.length === 0) await Promise.resolve()
    assert.strictEqual(silent.timeouts[0]!.milliseconds, 600_000)
    silent.timeouts[0]!.run()
    assert.include(((await waiting) as Error).message, "nothing came for 600000 ms")
  })
})
