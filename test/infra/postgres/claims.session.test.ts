import { assert, describe, it } from "@effect/vitest"
import { type Cause, Deferred, Effect, Exit, Fiber, Queue, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { makeClaims, type Session } from "#infra/postgres/claims.ts"

/** A session that is asked by hand: `taken` are others' locks, `unlocked` is what was given up on it. */
const makeSession = Effect.gen(function* () {
  const heard = yield* Queue.make<{ processId: number; channel: string; payload: string }, SqlError | Cause.Done>()
  const taken = new Set<string>()
  const unlocked: Array<string> = []
  const told: Array<string> = []
  let still = false
  let before: Effect.Effect<void> = Effect.void
  const session = {
    query: (statement, [given]) =>
      Effect.gen(function* () {
        if (still) return yield* Effect.never
        const names = JSON.parse(String(given ?? "[]")) as ReadonlyArray<string>
        if (statement.includes("pg_try_advisory_lock")) {
          const free = names.filter((name) => !taken.has(name))
          yield* before
          return free.map((name) => ({ name }))
        }
        if (statement.includes("pg_notify")) told.push(...names)
        if (statement.includes("pg_advisory_unlock")) unlocked.push(...names)
        return []
      }),
    heard: heard as Session["heard"]
  } satisfies Session
  return {
    session,
    taken,
    unlocked,
    told,
    /** It answers nothing any more. */
    stop: () => void (still = true),
    /** What happens between the taking of a lock and the answer. */
    meanwhile: (effect: Effect.Effect<void>) => void (before = effect),
    /** Another process says that it gives something up. */
    tell: (name: string) => Queue.offer(heard, { processId: 1, channel: "cairn_claims", payload: name })
  }
})

const settled = TestClock.adjust(0)

describe("claims on a session", () => {
  it.effect("that answers nothing any more are lost, also while nothing is wanted", () =>
    Effect.gen(function* () {
      const { session, stop } = yield* makeSession
      const { claiming, on } = yield* makeClaims
      const ended = yield* Effect.forkChild(on(session))
      const mine = yield* claiming.claim("a")
      const lost = yield* Effect.forkChild(mine.lost)
      stop()
      yield* TestClock.adjust("7 seconds")
      assert.isDefined(ended.pollUnsafe())
      assert.isDefined(lost.pollUnsafe())
    })
  )

  it.effect("are another waiter's of this process on the next one, though who lost them has not heard of it", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* makeSession, yield* makeSession]
      const { claiming, on } = yield* makeClaims
      const ending = yield* Effect.forkChild(on(first.session))
      yield* claiming.claim("a")
      const next = yield* Effect.forkChild(claiming.claim("a"))
      first.stop()
      yield* TestClock.adjust("7 seconds")
      yield* Fiber.join(ending)
      assert.isUndefined(next.pollUnsafe())
      yield* Effect.forkChild(on(second.session))
      yield* settled
      assert.isFalse((yield* Fiber.join(next)).handedOver)
      assert.deepStrictEqual(second.unlocked, [])
    })
  )

  it.effect("that come for somebody who has left are given up at once", () =>
    Effect.gen(function* () {
      const { session, meanwhile, told, unlocked } = yield* makeSession
      const { claiming, on } = yield* makeClaims
      const waiter = yield* Scope.make()
      const [asked, answer] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      meanwhile(Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answer)))
      yield* Effect.forkChild(Scope.provide(claiming.claim("a"), waiter))
      yield* Effect.forkChild(on(session))
      yield* Deferred.await(asked)
      yield* Scope.close(waiter, Exit.void)
      yield* Deferred.succeed(answer, undefined)
      yield* settled
      assert.deepStrictEqual([told, unlocked], [["free a"], ["a"]])
    })
  )

  it.effect("were handed over by who said so just now, and once", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* makeSession, yield* makeSession]
      first.taken.add("a")
      const { claiming, on } = yield* makeClaims
      const ending = yield* Effect.forkChild(on(first.session))
      const [one, other] = [yield* Effect.forkChild(claiming.claim("a")), yield* Effect.forkChild(claiming.claim("a"))]
      yield* settled
      first.taken.delete("a")
      yield* first.tell("a")
      yield* settled
      assert.isTrue((yield* Fiber.join(one)).handedOver)
      // lost and had again within the time for which it is remembered
      yield* Fiber.interrupt(ending)
      yield* Effect.forkChild(on(second.session))
      yield* settled
      assert.isFalse((yield* Fiber.join(other)).handedOver)
    })
  )

  it.effect("were not handed over by who said so long ago, when another had them since and ended without a word", () =>
    Effect.gen(function* () {
      const { session, taken, tell } = yield* makeSession
      taken.add("a")
      const { claiming, on } = yield* makeClaims
      yield* Effect.forkChild(on(session))
      const waiting = yield* Effect.forkChild(claiming.claim("a"))
      yield* settled
      yield* tell("a")
      yield* TestClock.adjust("6 seconds")
      taken.delete("a")
      yield* TestClock.adjust("1 second")
      assert.isFalse((yield* Fiber.join(waiting)).handedOver)
    })
  )

  it.effect("are given up before who ends has ended", () =>
    Effect.gen(function* () {
      const { session, unlocked } = yield* makeSession
      const { claiming, on, givenAway } = yield* makeClaims
      yield* Effect.forkChild(on(session))
      yield* Effect.scoped(claiming.claim("a"))
      const given = yield* Effect.forkChild(givenAway)
      yield* TestClock.adjust("5 millis")
      yield* Fiber.join(given)
      assert.deepStrictEqual(unlocked, ["a"])
    })
  )
})
