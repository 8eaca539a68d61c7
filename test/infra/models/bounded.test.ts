import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { boundedFetch } from "#infra/models/bounded.ts"
import { collectGarbage } from "#test/collectGarbage.ts"

/** Begins an answer, or none, and then says nothing, or nothing but that it is there. */
let server: Server
let url: string
/** Answers that their reader has left. */
let closed = 0
beforeAll(async () => {
  server = createServer(({ url }, response) => {
    response.on("close", () => closed++)
    if (url === "/head") return
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write("data: half\n\n")
    if (url !== "/drip") return
    const pinging = setInterval(() => response.write(": still here\n\n"), 5)
    response.on("close", () => clearInterval(pinging))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const readAll = async (path: string, patience: number, signal?: AbortSignal, deadline?: number) => {
  const response = await boundedFetch(patience, undefined, deadline)(url + path, signal === undefined ? {} : { signal })
  const reader = response.body!.getReader()
  for (;;) if ((await reader.read()).done) return "an end"
}

// whatever held on to the request is garbage by then
const collecting = async (reading: Promise<unknown>) => {
  const collector = setInterval(collectGarbage, 20)
  const error = await reading.then(
    () => undefined,
    (error: unknown) => error
  )
  clearInterval(collector)
  return error as Error
}

describe("an answer that falls silent", () => {
  it.each(["/body", "/head"])("is given up, and its connection closed: %s", async (path) => {
    const before = closed
    assert.strictEqual((await collecting(readAll(path, 200))).name, "Silent")
    while (closed === before) await new Promise((resolve) => setTimeout(resolve, 5))
  })

  it.each(["/body", "/head"])("is left when its reader leaves: %s", async (path) => {
    const before = closed
    const leaving = new AbortController()
    const reading = collecting(readAll(path, 600_000, leaving.signal))
    setTimeout(() => leaving.abort(new Error("left")), 200)
    assert.strictEqual((await reading).message, "left")
    while (closed === before) await new Promise((resolve) => setTimeout(resolve, 5))
    // also by who had left before it was asked for
    assert.strictEqual((await collecting(readAll(path, 600_000, leaving.signal))).message, "left")
  })

  it("is waited for for a minute from its last byte, unless told otherwise", async () => {
    const begun = vi.spyOn(globalThis, "setTimeout")
    const minutes = () => begun.mock.calls.filter(([, wait]) => wait === 60_000)
    const response = await boundedFetch()(`${url}/body`)
    const reader = response.body!.getReader()
    assert.strictEqual(new TextDecoder().decode((await reader.read()).value), "data: half\n\n")
    const [giveUp] = minutes().at(-1)!
    const reading = reader.read().then(
      () => undefined,
      (error: Error) => error.name
    )
    ;(giveUp as () => void)()
    assert.strictEqual(await reading, "Silent")
    // once for its head, again when that came, and with each piece
    assert.isAtLeast(minutes().length, 3)
  })
})

describe("an answer that does not end", () => {
  it.each(["/drip", "/body", "/head"])(
    "is given up when its time is over, and its connection closed: %s",
    async (path) => {
      const before = closed
      assert.strictEqual((await collecting(readAll(path, 600_000, undefined, 200))).name, "Late")
      while (closed === before) await new Promise((resolve) => setTimeout(resolve, 5))
    }
  )

  it("has ten minutes for its head and its body together, however much of it has come", async () => {
    const begun = vi.spyOn(globalThis, "setTimeout")
    const deadlines = () => begun.mock.calls.filter(([, wait]) => wait === 600_000)
    const response = await boundedFetch()(`${url}/drip`)
    const reader = response.body!.getReader()
    for (let pieces = 0; pieces < 3; pieces++) await reader.read()
    // one, from the beginning on, which no piece has put off
    assert.lengthOf(deadlines(), 1)
    const [giveUp] = deadlines()[0]!
    ;(giveUp as () => void)()
    const error = await reader.read().then(
      () => undefined,
      (error: Error) => error.name
    )
    assert.strictEqual(error, "Late")
  })
})
