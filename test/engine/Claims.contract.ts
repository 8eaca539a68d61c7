import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { type Claim, type Claiming, Claims, whileMine } from "#engine/ports/Claims.ts"

/** A process whose session, or whatever its claims stand on, can be ended. */
interface Loser extends Claiming {
  readonly lose: Effect.Effect<void>
}

/** What every adapter of the port keeps; `processes` gives some of them that share what they claim. */
export const claims = (
  name: string,
  processes: Effect.Effect<readonly [Loser, Loser, Loser], unknown, Scope.Scope>
) => {
  const test = (
    what: string,
    body: (one: Loser, other: Loser, third: Loser) => Effect.Effect<void, unknown, Scope.Scope>
  ) => it.live(`${name}: ${what}`, () => Effect.flatMap(processes, (all) => body(...all)))

  /** Had until its scope is closed. */
  const had = Effect.fnUntraced(function* (process: Claiming, name: string) {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const claim = yield* Scope.provide(process.claim(name), scope)
    return { ...claim, leave: Scope.close(scope, Exit.void) }
  })
  const asking = (process: Claiming, name: string) => Effect.forkChild(had(process, name), { startImmediately: true })
  /** Whoever waits has been asked about by now, as often as one that does not wait. */
  const notYet = Effect.fnUntraced(function* (fiber: Fiber.Fiber<Claim, unknown>, process: Claiming) {
    yield* Effect.flatMap(had(process, "something else"), ({ leave }) => leave)
    assert.isUndefined(fiber.pollUnsafe())
  })

  test("what one process has, another gets when it is given up, and is told so", (one, other) =>
    Effect.gen(function* () {
      const first = yield* had(one, "a")
      assert.isFalse(first.handedOver)
      yield* first.begin
      const waiting = yield* asking(other, "a")
      yield* notYet(waiting, other)
      yield* first.leave
      assert.isTrue((yield* Fiber.join(waiting)).handedOver)
    }))

  test("of one process, too, one at a time has it, in the order in which they asked", (one) =>
    Effect.gen(function* () {
      const first = yield* had(one, "a")
      const second = yield* asking(one, "a")
      yield* notYet(second, one)
      const third = yield* asking(one, "a")
      yield* notYet(third, one)
      yield* first.leave
      const next = yield* Fiber.join(second)
      yield* notYet(third, one)
      yield* next.leave
      yield* Fiber.join(third)
    }))

  test("different names are nothing to each other", (one, other) =>
    Effect.gen(function* () {
      yield* had(one, "a")
      yield* had(other, "b")
      yield* had(other, "a b")
    }))

  test("who does not wait any more does not get it", (one, other) =>
    Effect.gen(function* () {
      const first = yield* had(one, "a")
      const waiting = yield* Effect.forkChild(Effect.scoped(other.claim("a")), { startImmediately: true })
      yield* notYet(waiting, other)
      yield* Fiber.interrupt(waiting)
      yield* first.leave
      const again = yield* had(one, "a")
      yield* again.leave
    }))

  test("what is lost is said, and another has it without a word; the one that lost it waits its turn", (one, other) =>
    Effect.gen(function* () {
      const first = yield* had(one, "a")
      const kept = yield* had(one, "b")
      const waiting = yield* asking(other, "a")
      yield* notYet(waiting, other)
      yield* one.lose
      yield* Effect.all([first.lost, kept.lost])
      const taken = yield* Fiber.join(waiting)
      assert.isFalse(taken.handedOver)
      // what it gives up now is not its own any more
      yield* first.leave
      const back = yield* asking(one, "a")
      yield* notYet(back, one)
      yield* taken.leave
      yield* Fiber.join(back)
    }))

  test("what was handed over, and then lost by who got it, was not handed over to the next", (one, other, third) =>
    Effect.gen(function* () {
      const first = yield* had(one, "a")
      yield* first.begin
      const waiting = yield* Effect.forEach([other, third], (process) => asking(process, "a"))
      yield* notYet(waiting[0]!, other)
      yield* notYet(waiting[1]!, third)
      yield* first.leave
      const getter = yield* Effect.raceFirst(
        Effect.as(Fiber.join(waiting[0]!), 0),
        Effect.as(Fiber.join(waiting[1]!), 1)
      )
      const got = yield* Fiber.join(waiting[getter]!)
      assert.isTrue(got.handedOver)
      yield* got.begin
      yield* [other, third][getter]!.lose
      assert.isFalse((yield* Fiber.join(waiting[1 - getter]!)).handedOver)
    }))

  test("what was left without a word was not handed over by who had it and did not begin", (one, other, third) =>
    Effect.gen(function* () {
      const first = yield* had(one, "a")
      yield* first.begin
      const waiting = yield* asking(other, "a")
      yield* notYet(waiting, other)
      yield* one.lose
      yield* first.leave
      const between = yield* Fiber.join(waiting)
      assert.isFalse(between.handedOver)
      const next = yield* asking(third, "a")
      yield* notYet(next, third)
      yield* between.leave
      assert.isFalse((yield* Fiber.join(next)).handedOver)
    }))

  test("what was handed over to who did not begin was handed over to the next", (one, other, third) =>
    Effect.gen(function* () {
      const first = yield* had(one, "a")
      yield* first.begin
      const waiting = yield* asking(other, "a")
      yield* notYet(waiting, other)
      yield* first.leave
      const between = yield* Fiber.join(waiting)
      assert.isTrue(between.handedOver)
      const next = yield* asking(third, "a")
      yield* notYet(next, third)
      yield* between.leave
      assert.isTrue((yield* Fiber.join(next)).handedOver)
    }))

  test("work goes on for as long as its claim is had, and again when it is had again", (one, other) =>
    Effect.gen(function* () {
      const began = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const ended = yield* Deferred.make<void>()
      let times = 0
      let atWork = 0
      const work = Effect.acquireUseRelease(
        Effect.suspend(() => {
          atWork += 1
          return Deferred.succeed(began[times++]!, undefined)
        }),
        () => Effect.never,
        () => Effect.suspend(() => Effect.as(Deferred.succeed(ended, undefined), void atWork--))
      )
      yield* Effect.forkScoped(
        Effect.provideService(
          whileMine("a", () => work),
          Claims,
          one
        )
      )
      yield* Deferred.await(began[0]!)
      const waiting = yield* asking(other, "a")
      yield* notYet(waiting, other)
      yield* one.lose
      yield* Deferred.await(ended)
      // whoever asks first has it now, and that may be the one that lost it
      const taken = yield* Effect.raceFirst(Fiber.join(waiting), Effect.as(Deferred.await(began[1]!), undefined))
      if (taken !== undefined) {
        assert.strictEqual(atWork, 0)
        yield* taken.leave
      }
      yield* Deferred.await(began[1]!)
      assert.strictEqual(atWork, 1)
    }))
}
