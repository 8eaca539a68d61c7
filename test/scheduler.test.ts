import { Deferred, Effect, Fiber, Scheduler } from "effect"
import { assert, describe, it } from "vitest"
import { FairScheduler } from "#src/scheduler.ts"

/** An event loop that goes round when it is told, with a clock that only work moves. */
const loop = () => {
  let now = 0
  let waiting: Array<() => void> = []
  const scheduler = new FairScheduler({ now: () => now, later: (run) => void waiting.push(run) })
  return {
    run: <A>(effect: Effect.Effect<A>) =>
      Effect.runFork(Effect.provideService(effect, Scheduler.Scheduler, scheduler), { scheduler }),
    /** So many milliseconds of one operation. */
    work: (milliseconds: number) =>
      Effect.sync(() => {
        now += milliseconds
      }),
    /** How long the loop is held until it goes round; `undefined`: nothing is left to do. */
    round: (): number | undefined => {
      if (waiting.length === 0) return undefined
      const before = now
      const due = waiting
      waiting = []
      for (const run of due) run()
      return now - before
    },
    scheduler
  }
}

/** Goes round until nothing is left to do: how long each time took. */
const rounds = ({ round }: ReturnType<typeof loop>): ReadonlyArray<number> => {
  const taken: Array<number> = []
  for (let one = round(); one !== undefined; one = round()) {
    taken.push(one)
    assert.isAtMost(taken.length, 10_000)
  }
  return taken
}

const many = Array.from({ length: 64 }, (_, n) => n)

describe("the event loop is held for a stretch of 10 ms and one operation at most", () => {
  it("whoever waits has a turn, a few of them in each stretch", () => {
    const one = loop()
    const done: Array<number> = []
    const searches = many.map((n) =>
      Effect.yieldNow.pipe(Effect.andThen(one.work(4)), Effect.andThen(Effect.sync(() => done.push(n))))
    )
    const fiber = one.run(Effect.all(searches, { concurrency: "unbounded", discard: true }))
    const taken = rounds(one)
    assert.isDefined(fiber.pollUnsafe())
    assert.sameMembers(done, many)
    assert.isAtMost(Math.max(...taken), 14)
    assert.isAtLeast(taken.length, (64 * 4) / 14)
  })

  it("a fiber of many operations gives way to others by itself", () => {
    const one = loop()
    const heard: Array<string> = []
    const long = Effect.forEach(many, () => one.work(1), { discard: true }).pipe(
      Effect.andThen(Effect.sync(() => heard.push("the long one")))
    )
    one.run(Effect.andThen(Effect.yieldNow, long))
    one.run(
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => heard.push("another"))
      )
    )
    const taken = rounds(one)
    assert.deepStrictEqual(heard, ["another", "the long one"])
    assert.isAtMost(Math.max(...taken), 10 + 4)
    assert.isAtLeast(taken.length, 5)
  })

  it("those that one message wakes do not all work on end", async () => {
    const one = loop()
    const fiber = one.run(
      Effect.gen(function* () {
        const message = yield* Deferred.make<void>()
        const waiters = yield* Effect.forEach(many, () =>
          Effect.forkChild(Effect.andThen(Deferred.await(message), one.work(4)), { startImmediately: true })
        )
        yield* Effect.yieldNow
        yield* Deferred.succeed(message, undefined)
        yield* Fiber.awaitAll(waiters)
      })
    )
    const taken = rounds(one)
    assert.isDefined(fiber.pollUnsafe())
    assert.isAtMost(Math.max(...taken), 10 + 4)
  })

  it("whoever gives way comes after what sockets and timers have brought", () => {
    const one = loop()
    const fiber = one.run(Effect.andThen(Effect.yieldNow, Effect.yieldNow))
    one.round()
    assert.isUndefined(fiber.pollUnsafe())
    one.round()
    assert.isDefined(fiber.pollUnsafe())
  })

  it("what takes longer than a stretch by itself is done all the same", () => {
    const one = loop()
    const fiber = one.run(Effect.forEach(many, () => one.work(100), { discard: true }))
    rounds(one)
    assert.isDefined(fiber.pollUnsafe())
  })

  it("the lowest number of a priority goes first, and flush leaves nothing", () => {
    const { scheduler } = loop()
    const done: Array<string> = []
    for (const [name, priority] of [
      ["later", 1],
      ["first", 0],
      ["before all", -1],
      ["second", 0]
    ] as const)
      scheduler.scheduleTask(() => void done.push(name), priority)
    scheduler.flush()
    assert.deepStrictEqual(done, ["before all", "first", "second", "later"])
  })
})
