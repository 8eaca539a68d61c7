import { Deferred, Effect, Fiber, Scheduler } from "effect"
import { assert, describe, it } from "vitest"
import { inSteps } from "#engine/pages.ts"
import { FairScheduler } from "#src/process/scheduler.ts"

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
    /** The same, done before there is an operation. */
    workAtOnce: (milliseconds: number) => {
      now += milliseconds
      return Effect.void
    },
    /** The same in a step of one. */
    step: (milliseconds: number): void => {
      now += milliseconds
    },
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

  it("steps of one operation end with the stretch", () => {
    const one = loop()
    let left = 64
    const steps = (function* () {
      for (; left > 0; left--) {
        one.step(1)
        yield
      }
    })()
    const fiber = one.run(Effect.andThen(Effect.andThen(Effect.yieldNow, one.work(7)), inSteps(steps)))
    const taken = rounds(one)
    assert.isDefined(fiber.pollUnsafe())
    assert.strictEqual(left, 0)
    assert.isAtMost(Math.max(...taken), 10 + 4)
    // each time it is sent away once, and goes on in the next stretch
    assert.isAtMost(taken.length, 8)
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

  it("those that one message wakes do not all work on end with the message itself", () => {
    const one = loop()
    const fiber = one.run(
      Effect.gen(function* () {
        const message = yield* Deferred.make<number>()
        const waiters = yield* Effect.forEach(many, () =>
          Effect.forkChild(Effect.flatMap(Deferred.await(message), one.workAtOnce), { startImmediately: true })
        )
        yield* Effect.yieldNow
        yield* Deferred.succeed(message, 4)
        yield* Fiber.awaitAll(waiters)
      })
    )
    const taken = rounds(one)
    assert.isDefined(fiber.pollUnsafe())
    assert.isAtMost(Math.max(...taken), 10 + 4)
  })

  it("a fiber that is begun has begun before whoever began it goes on, also when the stretch is over", () => {
    const one = loop()
    const begun: Array<number> = []
    const late: Array<number> = []
    const fiber = one.run(
      Effect.gen(function* () {
        const context = yield* Effect.context<never>()
        for (const n of many) {
          yield* one.work(20)
          yield* Effect.sync(() => {
            // as a server registers what it was asked: what comes next may be the end of the message
            const begins = Effect.withFiber(() => {
              begun.push(n)
              return Effect.void
            })
            Effect.runForkWith(context)(begins)
            if (!begun.includes(n)) late.push(n)
          })
        }
      })
    )
    rounds(one)
    assert.isDefined(fiber.pollUnsafe())
    assert.deepStrictEqual(late, [])
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

/**
 * A scheduler by itself, with a clock that says how often it was looked at, and an event loop that is asked to come
 * back.
 */
const alone = () => {
  const seen = { now: 0, looks: 0, comesBack: [] as Array<() => void> }
  const now = () => {
    seen.looks += 1
    return seen.now
  }
  const scheduler = new FairScheduler({ now, later: (run) => void seen.comesBack.push(run) })
  /** A fiber's so many-th operation since it was begun or woken; unless told, of one that is known. */
  const yields = (currentOpCount: number, id = 0) =>
    scheduler.shouldYield({ id, currentOpCount, cache: { maxOpsBeforeYield: 2_048 } } as never)
  return { seen, scheduler, yields }
}

describe("a stretch", () => {
  it("ends for whoever has done as many operations as Effect allows, without a look at the clock", () => {
    const { seen, yields } = alone()
    assert.deepStrictEqual([yields(2_047), yields(2_048), yields(2_049), seen.looks], [false, true, true, 0])
  })

  it("is looked at with each fourth operation, with the first of a fiber that is woken and the second of one that is begun, and begins with the first look", () => {
    const { seen, yields } = alone()
    for (const looks of [0, 0, 0, 1]) assert.deepStrictEqual([yields(5), seen.looks], [false, looks])
    seen.now = 9
    for (const looks of [1, 1, 1, 2]) assert.deepStrictEqual([yields(5), seen.looks], [false, looks])
    seen.now = 10
    assert.deepStrictEqual([yields(1), yields(1), seen.looks], [true, true, 4])
    assert.deepStrictEqual([yields(1, 7), seen.looks], [false, 4])
    assert.deepStrictEqual([yields(2, 7), yields(1, 7), yields(1, 6), seen.looks], [true, true, true, 7])
    // the event loop was asked once, and has nothing to do here when it comes
    assert.lengthOf(seen.comesBack, 1)
    seen.comesBack[0]!()
    assert.lengthOf(seen.comesBack, 1)
    seen.now = 100
    assert.isFalse(yields(1))
    assert.lengthOf(seen.comesBack, 2)
    seen.now = 109
    assert.isFalse(yields(1))
    seen.now = 110
    assert.isTrue(yields(1))
  })

  it("sends away once whoever asked by itself and gives way, and is looked at again when it comes back", () => {
    const { seen, yields } = alone()
    for (let n = 0; n < 2; n++) assert.isFalse(yields(1, -2))
    seen.now = 10
    // it asks, and gives way with its next operation
    assert.isTrue(yields(1, -2))
    assert.isFalse(yields(2, -2))
    // woken, it takes steps in that one
    assert.strictEqual([2, 2, 2, 2].filter((count) => yields(count, -2)).length, 1)
  })

  it("runs what waits until ten milliseconds are over, the first of them in any case", () => {
    const { seen, scheduler, yields } = alone()
    const done: Array<unknown> = []
    const task = (name: string, milliseconds: number) =>
      scheduler.scheduleTask(() => {
        seen.now += milliseconds
        done.push(name)
      }, 0)
    for (const name of ["a", "b", "c"]) task(name, 5)
    task("d", 1)
    scheduler.scheduleTask(() => {
      seen.now += 50
      done.push(yields(1), yields(1))
      task("later", 0)
    }, 0)
    const expected = [["a", "b"], ["c", "d", false, true], ["later"]]
    for (const [n, names] of expected.entries()) {
      assert.lengthOf(seen.comesBack, n + 1)
      done.length = 0
      seen.comesBack[n]!()
      assert.deepStrictEqual(done, names)
    }
    assert.lengthOf(seen.comesBack, expected.length)
  })

  it("keeps the order of thousands, also of those that come while they run", () => {
    const { seen, scheduler } = alone()
    const done: Array<number> = []
    const task = (n: number): void =>
      scheduler.scheduleTask(() => {
        done.push(n)
        if (n < 1_000) task(n + 3_000)
      }, 0)
    for (let n = 0; n < 3_000; n++) task(n)
    scheduler.flush()
    assert.deepStrictEqual(
      done,
      Array.from({ length: 4_000 }, (_, n) => n)
    )
    assert.lengthOf(seen.comesBack, 1)
    seen.comesBack[0]!()
    assert.lengthOf(seen.comesBack, 1)
  })
})
