import fs from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { findGit } from "#infra/git/native/git.ts"
import * as PushIntakeLayer from "#infra/git/push/layer.ts"
import type { Pace } from "#infra/git/push/pace.ts"
import { PushIntake } from "#ports/PushIntake.ts"
import { packetLine, readPush, report } from "#src/http/git/pushed.ts"
import { git, noGit, temporaryDirectory } from "./git.ts"
import { nameOf } from "./packOf.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

const update = packetLine(`${nameOf("from")} ${nameOf("to")} refs/heads/main\0report-status`)
const chunk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")])

/** What git's clients are answered by; a push is its path's tenant's. */
const serving = Effect.gen(function* () {
  const take = (yield* PushIntake).take!
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  /** By path: bytes of its pack that were taken, and who waits for how many. */
  const taken = new Map<string, { bytes: number; more: () => void }>()
  const server = createServer(async (request, response) => {
    const { url = "" } = request
    const asked = await readPush(request)
    const at = taken.get(url)!
    const pack = (async function* () {
      for await (const piece of asked.pack) {
        yield piece
        at.bytes += piece.length
        at.more()
      }
    })()
    const pushed = { from: asked.updates[0]!.from, to: asked.updates[0]!.to, pack }
    const reason = await run(
      take(url.split("/")[1]!, "slow", pushed).pipe(
        Effect.scoped,
        Effect.flip,
        Effect.map((refused) => ("reason" in refused ? refused.reason : String(refused)))
      )
    )
    response.end(report(asked, () => reason))
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as AddressInfo

  /** A client on a socket of its own, which sends what it is told to and no more. */
  return Effect.fnUntraced(function* (tenant: string, name: string) {
    const path = `/${tenant}/${name}`
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => connect(port, "127.0.0.1").on("error", () => {})),
      (socket) => Effect.sync(() => socket.destroy())
    )
    let said = ""
    const answered = Promise.withResolvers<string>()
    socket.setEncoding("latin1").on("data", (text) => {
      said += text
      const [, reason] = /ng refs\/heads\/main ([^\n]*)\n/.exec(said) ?? []
      if (reason !== undefined) answered.resolve(reason)
    })
    const at = { bytes: 0, more: () => {} }
    taken.set(path, at)
    socket.write(`POST ${path} HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n\r\n`)
    socket.write(chunk(Buffer.concat([update, Buffer.from("0000")])))
    let sent = 0
    return {
      /** Sends so many bytes of a pack, which are there when it answers. */
      send: (count: number) => {
        sent += count
        const all = sent
        socket.write(chunk(Buffer.alloc(count)))
        return Effect.promise(
          () =>
            new Promise<void>((resolve) => {
              at.more = () => {
                if (at.bytes >= all) resolve()
              }
              at.more()
            })
        )
      },
      end: Effect.sync(() => void socket.write("0\r\n\r\n")),
      /** Why git is told that it is refused. */
      refusal: Effect.promise(() => answered.promise)
    }
  })
})

const intake = (pace?: Pace) => PushIntakeLayer.layer({ directory, git: findGit(), ...(pace && { pace }) })

describe.skipIf(noGit)("a push over a connection that is slow", () => {
  it.effect("loses its place when nothing comes, to who waits for it; and both are told what became of theirs", () =>
    Effect.gen(function* () {
      git(directory, ["init", "-q", "--bare", "slow.git"])
      const client = yield* serving
      const still = yield* Effect.forEach(["one", "two"], (name) => client("tenant", name))
      for (const { send } of still) yield* send(100)
      const waits = yield* client("tenant", "three")
      const other = yield* client("another", "one")
      yield* other.send(100)
      yield* other.end
      // of another tenant nobody waits for them
      assert.strictEqual(yield* other.refusal, "the pack is broken, or lacks something")
      yield* TestClock.adjust("29 seconds")
      // something came: it is as if it had only begun
      yield* still[1]!.send(1)
      // it is looked at once a second
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* still[0]!.refusal, "nothing came for 30 seconds; push again")
      yield* waits.send(100)
      yield* waits.end
      assert.strictEqual(yield* waits.refusal, "the pack is broken, or lacks something")
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* still[1]!.refusal, "nothing came for 30 seconds; push again")
    }).pipe(Effect.scoped, Effect.provide(intake()))
  )

  it.effect("loses it when too little comes for a while, however much had come at once before", () =>
    Effect.gen(function* () {
      git(directory, ["init", "-q", "--bare", "slow.git"])
      const client = yield* serving
      const { send, refusal } = yield* client("tenant", "dribbles")
      const refused = yield* Effect.forkScoped(refusal)
      yield* send(500_000)
      let seconds = 0
      for (; refused.pollUnsafe() === undefined && seconds < 10; seconds++) {
        yield* TestClock.adjust("1 second")
        if (seconds < 3) yield* send(1)
        else yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.match(yield* Fiber.join(refused), /^it comes too slowly, less than 1 kB in each second of the last 3;/)
    }).pipe(Effect.scoped, Effect.provide(intake({ still: 100, window: 3, least: 1_000 })))
  )

  it.effect("keeps it as long as enough comes", () =>
    Effect.gen(function* () {
      git(directory, ["init", "-q", "--bare", "slow.git"])
      const client = yield* serving
      const { send, end, refusal } = yield* client("tenant", "steady")
      yield* send(1_000)
      for (let seconds = 0; seconds < 10; seconds++) {
        yield* TestClock.adjust("1 second")
        yield* send(1_000)
      }
      yield* end
      assert.strictEqual(yield* refusal, "the pack is broken, or lacks something")
    }).pipe(Effect.scoped, Effect.provide(intake({ still: 2, window: 3, least: 1_000 })))
  )
})
