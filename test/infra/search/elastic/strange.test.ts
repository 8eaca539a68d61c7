import { createServer as createHttpServer } from "node:http"
import { createServer, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { errors } from "@elastic/elasticsearch"
import { Effect, Fiber, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { connect } from "#infra/search/elastic/Engine.ts"
import { faultOf, passesByItself } from "#infra/search/elastic/fault.ts"
import { freePort } from "#test/freePort.ts"
import { nobodysPorts } from "#test/nobodysPorts.ts"

const turn = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))

it.effect(
  "what speaks no HTTP at Elasticsearch's address is given up in time, and leaves nothing that is waited for",
  () =>
    Effect.gen(function* () {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket.on("error", () => {}))
        socket.write("SSH-2.0-OpenSSH_9.2\r\n")
      })
      yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
      const { port } = server.address() as { readonly port: number }
      const starting = yield* connect({
        urls: [`http://127.0.0.1:${port}`],
        auth: undefined,
        caFile: undefined,
        index: "cairn-snippets"
      }).pipe(Effect.scoped, Effect.flip, Effect.forkChild)
      let seconds = 0
      for (; starting.pollUnsafe() === undefined && seconds < 60; seconds++) {
        yield* TestClock.adjust("1 second")
        yield* turn
      }
      for (const socket of sockets) socket.destroy()
      server.close()
      assert.isBelow(seconds, 60)
      const { message, passes } = yield* Fiber.join(starting)
      assert.match(
        message,
        new RegExp(`^Elasticsearch at 127\\.0\\.0\\.1:${port} \\(ELASTICSEARCH_URL\\) can't be used: `)
      )
      assert.isTrue(passes)
    })
)

it("what speaks no TLS where https is asked for is said to do so, which does not pass by itself", () => {
  for (const said of [
    "received corrupt message of type InvalidContentType (SSL routines:ssl3_get_record:wrong version number)",
    "write EPROTO 80DB:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:ssl3_record.c:354:\n"
  ]) {
    const error = new errors.ConnectionError(said)
    assert.strictEqual(faultOf(error), "it does not speak TLS")
    assert.isFalse(passesByItself(error))
  }
})

/** Something that answers as a node does, until the scope's end; what it was asked. */
const node = Effect.fnUntraced(function* (at = 0) {
  const asked: Array<string> = []
  const server = createHttpServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(200, { "content-type": "application/json", "x-elastic-product": "Elasticsearch" })
    response.end(JSON.stringify({ nodes: { one: { version: "9.5.0" } } }))
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve))),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as { readonly port: number }
  return { port, asked: asked as ReadonlyArray<string> }
})

it.live("what can't reach one node is asked of another one, at once, a search as well", () =>
  Effect.gen(function* () {
    const [gone] = nobodysPorts
    const { port, asked } = yield* node()
    const urls = [`http://127.0.0.1:${gone}`, `http://127.0.0.1:${port}`]
    // which one is asked first is the client's to choose
    for (const order of [urls, urls.toReversed()]) {
      const { ask } = yield* connect({ urls: order, auth: undefined, caFile: undefined, index: "cairn-snippets" })
      for (let times = 0; times < 4; times++) {
        const { status } = yield* ask({ method: "POST", path: "/a/_search", body: {}, within: 5_000 })
        assert.strictEqual(status, 200)
      }
    }
    assert.lengthOf(asked, 10)
  }).pipe(Effect.scoped)
)

it.live("a node that comes back alone is asked again, with nothing begun anew", () =>
  Effect.gen(function* () {
    const away = yield* Effect.promise(freePort)
    const { port, asked } = yield* node()
    const urls = [`http://127.0.0.1:${away}`, `http://127.0.0.1:${port}`]
    const { ask } = yield* connect({ urls, auth: undefined, caFile: undefined, index: "cairn-snippets" })
    const search = ask({ method: "POST", path: "/a/_search", body: {}, within: 5_000 })
    // whichever is asked first: each has had its turn
    yield* Effect.repeat(search, { times: 3 })
    const before = asked.length
    assert.isAbove(before, 3)
    const back = yield* node(away)
    const heard = Effect.sync(() => back.asked.filter((one) => one.endsWith("_search")).length)
    yield* Effect.repeat(Effect.andThen(search, heard), {
      until: (searches) => searches > 0,
      schedule: Schedule.spaced("50 millis")
    })
  }).pipe(Effect.scoped)
)
