import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { Caller } from "#src/api/middleware.ts"
import { asked, requestBytes } from "#src/http/git/asked.ts"
import { Rooms } from "#src/http/middleware/body.ts"

const KiB = 1024

const asks = (key: string, body: Stream.Stream<Uint8Array>, headers = {}) =>
  asked.pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, { headers, stream: body } as never),
    Effect.provideService(Caller, { key } as never)
  )
const zeros = (bytes: number) => Stream.make(new Uint8Array(bytes))
/** A body whose sender sends so many bytes of it, and then waits. */
const halfSent = (bytes: number) => Stream.concat(zeros(bytes), Stream.never)
const begun = (key: string, body: Stream.Stream<Uint8Array>) =>
  Effect.forkChild(Effect.scoped(asks(key, body)), { startImmediately: true })

const test = (name: string, run: () => Effect.Effect<unknown, unknown, Rooms>) =>
  it.effect(name, () => Effect.provide(run(), Rooms.layer))

describe("what clients ask git for", () => {
  test("has room from when it comes until it is answered", () =>
    Effect.gen(function* () {
      const { git } = yield* Rooms
      yield* Effect.scoped(
        Effect.gen(function* () {
          assert.lengthOf(yield* asks("a", zeros(1_000)), 1_000)
          assert.strictEqual(git.held(), 1_000)
          assert.lengthOf(yield* asks("a", zeros(100 * KiB)), 100 * KiB)
          assert.strictEqual(git.held(), 1_000 + 100 * KiB)
        })
      )
      assert.strictEqual(git.held(), 0)
    }))

  test("is little as long as little came, and as much as may come of more, which waits for its room", () =>
    Effect.gen(function* () {
      const { git } = yield* Rooms
      const little = yield* begun("a", halfSent(1_000))
      assert.strictEqual(git.held(), 64 * KiB)
      yield* Fiber.interrupt(little)
      assert.strictEqual(git.held(), 0)
      for (let n = 0; n < 5; n++) yield* begun("a", halfSent(100 * KiB))
      assert.strictEqual(git.held(), 2 * requestBytes)
      assert.strictEqual(git.waiting(), 3)
      // those of others come meanwhile
      assert.lengthOf(yield* Effect.scoped(asks("b", zeros(100 * KiB))), 100 * KiB)
    }))

  test("is given up after a minute, with its room", () =>
    Effect.gen(function* () {
      const { git } = yield* Rooms
      const slow = yield* begun("a", halfSent(100 * KiB))
      yield* TestClock.adjust("1 minute")
      const { _tag } = yield* Fiber.await(slow)
      assert.strictEqual(_tag, "Failure")
      assert.strictEqual(git.held(), 0)
    }))
})

it.live("what clients ask git for is bounded as it is when it is unpacked", () =>
  Effect.gen(function* () {
    const zipped = (bytes: number) =>
      Effect.scoped(
        asks("a", Stream.make(new Uint8Array(gzipSync(new Uint8Array(bytes)))), { "content-encoding": "gzip" })
      )
    assert.lengthOf(yield* zipped(requestBytes), requestBytes)
    const refused = yield* Effect.flip(zipped(requestBytes + 1))
    assert.strictEqual((refused as { code: string }).code, "validation/invalid_body")
    assert.strictEqual((yield* Rooms).git.held(), 0)
  }).pipe(Effect.provide(Rooms.layer))
)
