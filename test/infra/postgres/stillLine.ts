import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { Deferred, Effect, Redacted } from "effect"

/**
 * A way to a database whose connections may go dead as a network's do: nothing comes through, and nobody is told. With
 * `folder`, it is a socket of that folder. It ends with the scope.
 */
export const stillLine = Effect.fnUntraced(function* (database: Redacted.Redacted<string>, folder?: string) {
  const there = new URL(Redacted.value(database))
  const open = new Set<Socket>()
  const dead = new Set<Socket>()
  let word: string | undefined
  let isHeard = false
  let isDead = false
  let isSlow = false
  /** What has come of the server on a slow line, and is not passed on yet. */
  const kept: Array<{ readonly client: Socket; readonly bytes: Buffer }> = []
  const said = yield* Deferred.make<void>()
  const server = createServer((client) => {
    const upstream = connect(Number(there.port), there.hostname)
    const end = () => [client, upstream].forEach((socket) => void socket.destroy())
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end)
    open.add(client)
    client.on("close", () => open.delete(client))
    if (isDead) dead.add(client)
    client.on("data", (chunk) => {
      if (word !== undefined && chunk.includes(word)) {
        word = undefined
        if (isHeard) upstream.write(chunk)
        dead.add(client)
        Deferred.doneUnsafe(said, Effect.void)
      }
      if (!dead.has(client)) upstream.write(chunk)
    })
    upstream.on("data", (chunk) => {
      if (dead.has(client)) return
      if (isSlow) kept.push({ client, bytes: chunk })
      else client.write(chunk)
    })
  })
  const at = folder === undefined ? { port: 0, host: "127.0.0.1" } : { path: join(folder, ".s.PGSQL.5432") }
  yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(at, resolve)))
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      cut()
    })
  )
  const through = new URL(there)
  const address = server.address()
  if (typeof address === "object") {
    through.hostname = "127.0.0.1"
    through.port = String(address!.port)
  } else {
    through.searchParams.set("host", folder!)
    through.searchParams.set("port", "5432")
  }
  return {
    url: Redacted.make(through.href),
    /** The connection on which these bytes are sent next is dead from then on, and `said` done. */
    dieAt: (bytes: string) => {
      word = bytes
      isHeard = false
    },
    /** As `dieAt`, but the server hears these bytes yet: its answer is lost. */
    dieBehind: (bytes: string) => {
      word = bytes
      isHeard = true
    },
    said: Deferred.await(said),
    /** Whether what the server says is passed on by `pass` only, one piece each time. */
    slow: (is: boolean) => {
      isSlow = is
      if (!is) for (const { client, bytes } of kept.splice(0)) client.write(bytes)
    },
    pass: () => {
      const next = kept.shift()
      next?.client.write(next.bytes)
    },
    /** All connections are dead, and those that are made from now on. */
    die: () => {
      isDead = true
      for (const socket of open) dead.add(socket)
    },
    /** All connections end, and whoever has one hears that. */
    cut
  }
})
