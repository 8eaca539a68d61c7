import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { duplexPair } from "node:stream"
import { IpNetwork } from "effect/net"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { defaults, makeServer } from "#src/http/listener.ts"
import { refused } from "./problem.ts"

/**
 * What a server does with who is slow, by waits that a test can wait for; that it does it is a connection that ends.
 */
const hasty = {
  ...defaults,
  head: 400,
  request: 800,
  push: 2_400,
  idle: 400,
  deaf: 400,
  look: 50,
  connections: 8,
  ofOneAddress: 3
}

let server: Server
/** Requests that were begun and whose answers have not gone yet, by address. */
const begun = new Map<string, number>()
/** Requests that the server's parser came upon. */
let parsed = 0
/** Connections as the server has them, the latest last. */
const connections: Array<Socket> = []
const handle = (request: IncomingMessage, response: ServerResponse) => {
  const { url = "" } = request
  begun.set(url, (begun.get(url) ?? 0) + 1)
  if (request.url === "/unread") return response.end("x")
  if (url.startsWith("/endless")) {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 20))) {}
    }
    response.on("drain", more)
    return more()
  }
  if (request.url === "/thinking") return void setTimeout(() => response.end("thought"), 2 * hasty.request)
  request.resume().on("end", () => response.end("whole"))
}

beforeAll(async () => {
  server = makeServer(hasty, [IpNetwork.fromStringUnsafe("198.51.100.0/24")]).on("request", handle)
  const emit = server.emit.bind(server) as (event: string, ...args: ReadonlyArray<unknown>) => boolean
  server.emit = (event: string, ...args: Array<unknown>) => {
    if (event === "request") parsed += 1
    if (event === "connection") connections.push(args[0] as Socket)
    return emit(event, ...args)
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())))

/** Sends, and now and then some more, until the other side ends it; answers with all that came. */
const sent = (first: string, { drip = "", deaf = false } = {}) =>
  new Promise<string>((resolve) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => void socket.write(first))
    let said = ""
    if (deaf) socket.pause()
    else socket.setEncoding("utf8").on("data", (text: string) => void (said += text))
    const dripping = setInterval(() => socket.writable && drip !== "" && socket.write(drip), 100)
    // who reads nothing sees only in a write that nobody is there
    if (deaf) setInterval(() => socket.write("\n"), 100).unref()
    socket.on("error", () => {})
    socket.once("close", () => {
      clearInterval(dripping)
      resolve(said)
    })
  })

/** The one error body of a raw answer. */
const told = (raw: string, status: number, code: string) => {
  const [head = "", body = ""] = raw.split("\r\n\r\n")
  assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
  const headers = new Headers(
    head
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(/: */, 2) as [string, string])
  )
  refused({ status, headers, text: body, json: JSON.parse(body) }, status, code)
}

const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nab`

describe("requests behind one another", () => {
  it("are answered in their order, each when the one before was taken", async () => {
    const raw = await sent(["/a", "/b", "/c"].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""))
    assert.strictEqual(raw.match(/whole/g)?.length, 3)
  })

  it("are not begun while nobody takes the answer ahead", async () => {
    await sent(`GET /endless?one HTTP/1.1\r\nHost: x\r\n\r\n${"GET /behind HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3)}`, {
      deaf: true
    })
    assert.deepStrictEqual([begun.get("/endless?one"), begun.get("/behind")], [1, undefined])
  })

  it("are not read while one of them waits", async () => {
    parsed = 0
    await sent("GET /endless?many HTTP/1.1\r\nHost: x\r\n\r\n".repeat(5_000), { deaf: true })
    assert.strictEqual(begun.get("/endless?many"), 1)
    assert.isAtMost(parsed, 10)
  })

  it("are all answered, those with bodies too, wherever they were cut in two", async () => {
    const body = "\r\n\r\n".repeat(5_000)
    const asked = `GET /a HTTP/1.1\r\nHost: x\r\n\r\nPOST /b HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const raw = await sent(asked.repeat(20))
    assert.strictEqual(raw.match(/whole/g)?.length, 40)
  })
})

/** How many listen to the latest connection, in all. */
const listening = () => {
  const connection = connections.at(-1)!
  return connection.eventNames().reduce((sum, name) => sum + connection.listenerCount(name), 0)
}

/**
 * Sends the parts of requests one after the other over one connection, each when `next` was heard; answers with how
 * many listened then.
 */
const overOne = (parts: ReadonlyArray<string>, next: RegExp) =>
  new Promise<ReadonlyArray<number>>((resolve) => {
    const counts: Array<number> = []
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => void socket.write(parts[0]!))
    let said = ""
    socket.setEncoding("utf8").on("data", (text: string) => {
      said += text
      if (!next.test(said)) return
      said = ""
      counts.push(listening())
      if (counts.length < parts.length) socket.write(parts[counts.length]!)
      else socket.destroy()
    })
    socket.once("close", () => resolve(counts))
  })

describe("a connection has no more listeners", () => {
  it("after its fiftieth request than after its first", async () => {
    const counts = await overOne(Array(50).fill("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"), /whole/)
    assert.lengthOf(counts, 50)
    assert.strictEqual(counts.at(-1), counts[0])
  })

  it("when each body came behind its answer", async () => {
    // the rest of the one before, and the beginning of the next
    const parts = Array.from({ length: 50 }, (_, n) => (n === 0 ? "" : "c".repeat(998)) + post("/unread"))
    const counts = await overOne(parts, /\r\n\r\nx|\r\nx\r\n/)
    assert.lengthOf(counts, 50)
    assert.strictEqual(counts.at(-1), counts[0])
  })

  it("when what is no request goes on behind its refusal", async () => {
    await sent(`GET /${"a".repeat(1_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    assert.isAtMost(connections.at(-1)!.listenerCount("error"), 1)
  })
})

describe("an expectation that HTTP does not know", () => {
  it("is passed over", async () => {
    assert.match(await sent("GET /a HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n"), /^HTTP\/1\.1 200 .*whole/s)
  })
})

describe("a connection ends", () => {
  it("of a head that does not end, however it drips", async () => {
    const [silent, dripping, nothing] = await Promise.all([
      sent("GET /a HTTP/1.1\r\nHost: x\r\n"),
      sent("GET /a HTTP/1.1\r\nHost: x\r\n", { drip: "X-A: b\r\n" }),
      sent("")
    ])
    for (const raw of [silent, dripping]) told(raw, 408, "body/too_slow")
    assert.isString(nothing)
  })

  it("of a body that does not end, however it drips", async () => {
    const [silent, dripping] = await Promise.all([sent(post("/a")), sent(post("/a"), { drip: "c" })])
    for (const raw of [silent, dripping]) told(raw, 408, "body/too_slow")
  })

  it("of a push as late as its pack may come, which is later", async () => {
    const began = performance.now()
    const raw = await sent(post("/workspaces/w.git/git-receive-pack"), { drip: "c" })
    told(raw, 408, "body/too_slow")
    // by the listener's own clock, which nothing else on the machine makes faster
    assert.isAtLeast(performance.now() - began, hasty.push)
  })

  it("of a body that goes on behind its answer", async () => {
    assert.match(await sent(post("/unread"), { drip: "c" }), /^HTTP\/1\.1 200 /)
  })

  it("of an answer that nobody takes", () => sent("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n", { deaf: true }))

  it("that asks for nothing more, and not while its answer is thought of", async () => {
    assert.match(await sent("GET /thinking HTTP/1.1\r\nHost: x\r\n\r\n"), /thought/)
    // what came whole waits for as long as it is worked on
    assert.match(await sent("POST /thinking HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"), /thought/)
  })

  it("of what is no HTTP, with the one error body", async () => {
    told(await sent("GARBAGE\r\n\r\n"), 400, "validation/malformed_request")
    told(await sent(`GET /${"a".repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`), 431, "header/too_large")
  })

  it("of a head that goes on behind its refusal, which is heard all the same", async () => {
    const whole = await new Promise<string>((resolve) => {
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
      let said = ""
      // reads only when all is written, as many clients do
      socket.pause()
      socket.write(`GET /${"a".repeat(4_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, () => {
        socket.setEncoding("utf8").on("data", (text: string) => void (said += text))
        socket.resume()
      })
      socket.on("error", (error) => resolve(`${error}`))
      socket.once("close", () => resolve(said))
    })
    told(whole, 431, "header/too_large")
  })

  it("of a refusal that nobody hangs up behind", () =>
    new Promise<void>((resolve) => {
      const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true })
      socket.resume().write("GARBAGE\r\n\r\n")
      const dripping = setInterval(() => socket.write("more"), 100)
      socket.on("error", () => {})
      socket.once("close", () => {
        clearInterval(dripping)
        resolve()
      })
    }))

  it("when one address has too many, until one of them ends; this machine's own and a trusted proxy's may have more", () => {
    const come = (remoteAddress: string) => {
      const [socket] = duplexPair()
      server.emit("connection", Object.assign(socket, { remoteAddress }))
      return socket
    }
    const lives = (sockets: ReadonlyArray<{ readonly destroyed: boolean }>) =>
      sockets.filter(({ destroyed }) => !destroyed).length
    const far = Array.from({ length: 4 }, () => come("192.0.2.1"))
    const other = come("192.0.2.2")
    const own = Array.from({ length: 8 }, (_, n) => come(n % 2 ? "127.0.0.1" : "::ffff:127.0.0.1"))
    assert.deepStrictEqual([lives(far), far[3]!.destroyed, lives([other]), lives(own)], [3, true, 1, 8])
    const proxy = Array.from({ length: 8 }, (_, n) => come(n % 2 ? "198.51.100.7" : "::ffff:198.51.100.7"))
    assert.strictEqual(lives(proxy), 8)
    far[0]!.emit("close")
    far[3]!.emit("close")
    assert.strictEqual(lives([come("192.0.2.1"), come("192.0.2.1")]), 1)
    for (const socket of [...far, other, ...own, ...proxy]) socket.destroy()
  })

  it("when there are too many", async () => {
    const ends = await Promise.all(
      Array.from({ length: 3 * hasty.connections }, () => sent("GET / HTTP/1.1\r\nHost: "))
    )
    const answered = ends.filter((raw) => raw !== "").length
    assert.isTrue(answered > 0 && answered <= hasty.connections, String(answered))
  })
})

describe("a server that ends", () => {
  it("waits for no connection on which nothing came", { timeout: 60_000 }, async () => {
    const server = makeServer({ ...defaults, head: 3_600_000, request: 3_600_000, push: 3_600_000 }).on(
      "request",
      handle
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const connected = new Promise((resolve) => server.once("connection", resolve))
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {})
    const ended = new Promise((resolve) => socket.once("close", resolve))
    await connected
    await new Promise((resolve) => server.close(resolve))
    await ended
  })
})

describe("a server that listens before its routes are there", () => {
  it("answers what came until then, in its order", async () => {
    const early = makeServer(hasty)
    const emit = early.emit.bind(early) as (event: string, ...args: ReadonlyArray<unknown>) => boolean
    let came = 0
    early.emit = (event: string, ...args: Array<unknown>) => {
      if (event === "request") came += 1
      return emit(event, ...args)
    }
    await new Promise<void>((resolve) => early.listen(0, "127.0.0.1", resolve))
    const { port } = early.address() as AddressInfo
    const answers = ["/one", "/two"].map((path) => fetch(`http://127.0.0.1:${port}${path}`).then((one) => one.text()))
    await vi.waitFor(() => assert.strictEqual(came, 2), { timeout: 60_000 })
    early.on("request", ({ url }: IncomingMessage, response: ServerResponse) => response.end(url))
    assert.deepStrictEqual(await Promise.all(answers), ["/one", "/two"])
    assert.strictEqual(await (await fetch(`http://127.0.0.1:${port}/three`)).text(), "/three")
    await new Promise<void>((resolve) => early.close(() => resolve()))
  })
})
