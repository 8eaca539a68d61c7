import { createServer, type Socket } from "node:net"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { unusableDatabase } from "#src/process/unreachable.ts"

/** Who is asked for a session says something else. */
const asked = (says: (socket: Socket) => void, query = "") =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<ReturnType<typeof createServer>>((resolve) => {
            const server = createServer((socket) => says(socket.on("error", () => {})))
            server.listen(0, "127.0.0.1", () => resolve(server))
          })
      ),
      (server) => Effect.sync(() => server.close())
    )
    const { port } = server.address() as { readonly port: number }
    const url = Redacted.make(`postgres://me:hunter2@127.0.0.1:${port}/cairn${query}`)
    const ssl = query !== "" && { rejectUnauthorized: true }
    const error = yield* Effect.flip(PgConnection.make({ url, ssl, connectTimeout: "2 seconds" }))
    const { message, passes } = unusableDatabase(error, url)
    const before = `the database cairn at 127.0.0.1:${port} (DATABASE_URL) can't be used: `
    assert.strictEqual(message.slice(0, before.length), before)
    assert.notInclude(message, "hunter2")
    return { why: message.slice(before.length), passes }
  }).pipe(Effect.scoped)

const tls = "?sslmode=verify-full"
const others: ReadonlyArray<readonly [string, (socket: Socket) => void, string?]> = [
  ["SSH", (socket) => void socket.write("SSH-2.0-OpenSSH_9.2\r\n")],
  ["HTTP", (socket) => void socket.write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")],
  ["zeros", (socket) => void socket.write(Buffer.alloc(64))],
  ["SSH, asked for TLS", (socket) => void socket.write("SSH-2.0-OpenSSH_9.2\r\n"), tls],
  ["a byte, asked for TLS", (socket) => void socket.write("X"), tls],
  ["an E, asked for TLS", (socket) => void socket.write(`E${"x".repeat(40)}`), tls]
]

it.live.each(others)("what is no Postgres is said to be none, which does not pass by itself: %s", ([, says, query]) =>
  Effect.map(asked(says, query), ({ why, passes }) => {
    assert.match(why, /^what answers there is not Postgres \(/)
    assert.isFalse(passes)
  })
)

it.live("a server without TLS is refused where TLS is asked for, which does not pass by itself", () =>
  Effect.map(
    asked((socket) => void socket.once("data", () => socket.write("N")), tls),
    (found) => assert.deepStrictEqual(found, { why: "it takes no TLS, which sslmode asks for", passes: false })
  )
)

it.live("one that hangs up, or says nothing, may be one in a moment", () =>
  Effect.gen(function* () {
    const gone = yield* asked((socket) => void socket.end())
    assert.deepStrictEqual(gone, { why: "Connection closed unexpectedly", passes: true })
    const silent = yield* asked(() => {})
    assert.deepStrictEqual(silent, { why: "Connection timed out", passes: true })
  })
)
