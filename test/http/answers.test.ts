import { EventEmitter } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { Caller } from "#src/api/middleware.ts"
import { Answers } from "#src/http/answers.ts"
import { portioned, slight } from "#src/portions.ts"
import { collectGarbage } from "#test/collectGarbage.ts"

const MiB = 1024 * 1024

/** A request whose answer's connection can be looked at. */
const asked = () => {
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    headersSent: false,
    destroy() {
      response.destroyed = true
      response.emit("close")
    }
  })
  return { response, request: { response } as unknown as HttpServerRequest.HttpServerRequest }
}

type Asked = ReturnType<typeof asked>

const by = (key: string, { request }: Asked) => {
  const provided = <A, E>(effect: Effect.Effect<A, E, HttpServerRequest.HttpServerRequest | Answers>) =>
    effect.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request),
      Effect.provideService(Caller, { key } as never)
    )
  return {
    take: (bytes: number) => provided(Effect.flatMap(Answers, ({ take }) => take(bytes))),
    count: (bytes: number) => provided(Effect.flatMap(Answers, ({ count }) => count(bytes))),
    body: (response: HttpServerResponse.HttpServerResponse) =>
      Effect.map(Answers, ({ sent }) => {
        const { body } = sent(request, response)
        assert.strictEqual(body._tag, "Stream")
        return body as Extract<typeof body, { readonly _tag: "Stream" }>
      })
  }
}

const chunks = (count: number, size: number) =>
  Stream.fromArray(Array.from({ length: count }, () => new Uint8Array(size))).pipe(Stream.rechunk(1))

/** Takes so many pieces, a second after each other, and then no more. */
const reading = (body: Stream.Stream<Uint8Array, unknown>, pieces: number) =>
  Effect.forkChild(
    Effect.scoped(
      Effect.gen(function* () {
        const pull = yield* Stream.toPull(body)
        for (let n = 0; n < pieces; n++) {
          yield* pull
          yield* Effect.sleep("1 second")
        }
        yield* pull
        return yield* Effect.never
      })
    ),
    { startImmediately: true }
  )

const waitingTake = (key: string, bytes: number) =>
  Effect.gen(function* () {
    const one = asked()
    const fiber = yield* Effect.forkChild(by(key, one).take(bytes), { startImmediately: true })
    return { ...one, fiber }
  })

const test = (name: string, run: () => Effect.Effect<unknown, unknown, Answers>) =>
  it.effect(name, () => Effect.provide(run(), Answers.layer))

describe("large answers", () => {
  test("have room until they have left; who finds none waits for that", () =>
    Effect.gen(function* () {
      const { held, waiting } = yield* Answers
      const first = asked()
      yield* by("a", first).take(32 * MiB)
      const second = yield* waitingTake("a", MiB)
      assert.deepStrictEqual([held(), waiting()], [32 * MiB, 1])
      first.response.emit("close")
      yield* Fiber.join(second.fiber)
      assert.deepStrictEqual([held(), waiting()], [MiB, 0])
      second.response.emit("close")
      assert.strictEqual(held(), 0)
    }))

  test("that have begun wait for their rest for minutes: they can't be refused any more, only cut", () =>
    Effect.gen(function* () {
      const holder = asked()
      yield* by("a", holder).take(32 * MiB)
      const begun = asked()
      begun.response.headersSent = true
      const first = yield* Effect.forkChild(by("a", begun).take(MiB), { startImmediately: true })
      yield* TestClock.adjust("4 minutes")
      holder.response.emit("close")
      yield* Fiber.join(first)
      yield* by("a", asked()).take(31 * MiB)
      const second = yield* Effect.forkChild(Effect.flip(by("a", begun).take(MiB)), { startImmediately: true })
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* Fiber.join(second)).code, "unavailable/busy")
    }))

  test("are cut when their reader takes nothing while somebody waits for their room, and not before", () =>
    Effect.gen(function* () {
      const deaf = asked()
      const { take, body } = by("a", deaf)
      yield* take(32 * MiB)
      const { stream } = yield* body(HttpServerResponse.stream(chunks(10, 1_000)))
      yield* reading(stream, 0)
      yield* TestClock.adjust("50 seconds")
      assert.isFalse(deaf.response.destroyed)
      // another key has its own share
      yield* by("b", asked()).take(MiB)
      yield* TestClock.adjust("2 seconds")
      assert.isFalse(deaf.response.destroyed)
      const next = yield* waitingTake("a", MiB)
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(deaf.response.destroyed)
      yield* Fiber.join(next.fiber)
    }))

  test("are not cut when their reader keeps pace, however long it takes", () =>
    Effect.gen(function* () {
      const one = asked()
      const { take, body } = by("a", one)
      yield* take(32 * MiB)
      const { stream } = yield* body(HttpServerResponse.stream(chunks(100, MiB)))
      yield* reading(stream, 60)
      yield* TestClock.adjust("20 seconds")
      yield* waitingTake("a", MiB)
      yield* TestClock.adjust("9 seconds")
      assert.isFalse(one.response.destroyed)
    }))

  test("count also where nobody asked for their room, and go out slice by slice", () =>
    Effect.gen(function* () {
      const { held } = yield* Answers
      const one = asked()
      const body = yield* by("a", one).body(HttpServerResponse.uint8Array(new Uint8Array(3 * slight).fill(7)))
      assert.deepStrictEqual([held(), body.contentLength], [3 * slight, 3 * slight])
      const slices = yield* Stream.runCollect(body.stream)
      assert.isTrue(slices.every(({ length }) => length <= 64 * 1024))
      assert.strictEqual(Buffer.concat(slices).equals(Buffer.alloc(3 * slight, 7)), true)
      one.response.emit("close")
      assert.strictEqual(held(), 0)
    }))

  test("have a reader who is watched from their beginning, also where they take room only then", () =>
    Effect.gen(function* () {
      const deaf = asked()
      const { take, count, body } = by("a", deaf)
      yield* count(0)
      const { stream } = yield* body(HttpServerResponse.stream(chunks(10, 1_000)))
      yield* take(32 * MiB)
      yield* reading(stream, 0)
      yield* waitingTake("a", MiB)
      yield* TestClock.adjust("9 seconds")
      assert.isTrue(deaf.response.destroyed)
    }))

  test("are counted when they are in hand already, unless somebody took room for them", () =>
    Effect.gen(function* () {
      const { held } = yield* Answers
      const [one, other] = [asked(), asked()]
      yield* by("a", one).count(40 * MiB)
      assert.strictEqual(held(), 40 * MiB)
      yield* by("b", other).take(MiB)
      yield* by("b", other).count(2 * MiB)
      assert.strictEqual(held(), 41 * MiB)
      one.response.emit("close")
      other.response.emit("close")
      assert.strictEqual(held(), 0)
    }))

  test("take and count nothing when nobody is there to answer any more: no end of them would come again", () =>
    Effect.gen(function* () {
      const { held } = yield* Answers
      const [one, other] = [asked(), asked()]
      for (const { response } of [one, other]) response.destroy()
      yield* by("a", one).take(MiB)
      yield* by("a", other).count(MiB)
      assert.strictEqual(held(), 0)
    }))

  test("that were made by the time their reader had gone are left as they are, and take no room", () =>
    Effect.gen(function* () {
      const { held, sent } = yield* Answers
      const gone = asked()
      gone.response.destroy()
      const large = HttpServerResponse.uint8Array(new Uint8Array(8 * MiB))
      assert.strictEqual(sent(gone.request, large), large)
      assert.strictEqual(held(), 0)
    }))

  test("are forgotten with their readers, also with those who had gone before they were asked for room", () =>
    Effect.gen(function* () {
      const { held } = yield* Answers
      const gone = yield* Effect.forEach(Array.from({ length: 50 }), () => {
        const one = asked()
        one.response.destroy()
        return Effect.as(by("a", one).count(0), new WeakRef(one.response))
      })
      // a WeakRef holds what it was made of up to the end of a task
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve)))
      collectGarbage()
      assert.isAtMost(gone.filter((one) => one.deref() !== undefined).length, 2)
      assert.strictEqual(held(), 0)
    }))

  test("wait for no room any more when they were refused, and nobody cuts a reader who has gone", () =>
    Effect.gen(function* () {
      const { waiting } = yield* Answers
      const [first, gone] = [asked(), asked()]
      yield* by("a", first).take(32 * MiB)
      const refused = yield* waitingTake("a", MiB)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Effect.flip(Fiber.join(refused.fiber))).code, "unavailable/busy")
      assert.strictEqual(waiting(), 0)
      yield* by("a", gone).count(0)
      const { stream } = yield* by("a", gone).body(HttpServerResponse.stream(chunks(10, 1_000)))
      yield* reading(stream, 0)
      gone.response.emit("close")
      yield* waitingTake("a", MiB)
      yield* TestClock.adjust("9 seconds")
      assert.isFalse(gone.response.destroyed)
    }))

  test("are looked at two at a time before their size is known", () =>
    Effect.gen(function* () {
      const { looking } = yield* Answers
      let reading = 0
      const read = looking(
        Effect.andThen(
          Effect.sync(() => void (reading += 1)),
          Effect.sleep("1 second")
        )
      )
      for (let n = 0; n < 5; n++) yield* Effect.forkChild(read, { startImmediately: true })
      assert.strictEqual(reading, 2)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(reading, 4)
    }))

  test("that turned out small have no room any more", () =>
    Effect.gen(function* () {
      const { held, sent } = yield* Answers
      const one = asked()
      yield* by("a", one).take(20 * MiB)
      const small = HttpServerResponse.text("small")
      assert.strictEqual(sent(one.request, small), small)
      assert.strictEqual(held(), 0)
    }))

  it("come in portions of neighbours, a large row alone", () => {
    const rows = [10_000, 50_000, 10_000, 900_000, 1, 2].map((bytes, id) => ({ id, bytes }))
    assert.deepStrictEqual(
      portioned(rows).map((portion) => portion.map(({ id }) => id)),
      [[0, 1], [2], [3], [4, 5]]
    )
  })
})
