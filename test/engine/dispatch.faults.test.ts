import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Cause, Clock, Deferred, Effect, Exit, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { UsageEvent } from "#domain/Usage.ts"
import type { Decider } from "#engine/Decider.ts"
import { Busy } from "#engine/decide.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { StoreUnavailable, WrongRevision } from "#engine/ports/EventStore.ts"
import { castVote, deleteSnippet, given, uploadSnippet } from "#test/commands.ts"
import { revisions, upTo } from "./appends.ts"
import { on, waiting } from "./dispatching.ts"
import { whole } from "./whole.ts"

const down = new StoreUnavailable({ message: "down" })
const together = { concurrency: "unbounded" } as const

const stored = (snippet: string) => Effect.flatMap(whole, ({ readStream }) => readStream(`snippet-${snippet}`, -1))

it.live("carries a command out though its caller is gone", () => {
  const [reached, open] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  return Effect.gen(function* () {
    const caller = yield* Effect.forkChild(uploadSnippet("s"))
    yield* Deferred.await(reached)
    yield* Fiber.interrupt(caller)
    yield* Deferred.succeed(open, undefined)
    // it goes behind the other
    yield* castVote("s")
    assert.deepStrictEqual(
      (yield* stored("s")).map(({ type }) => type),
      ["SnippetUploaded", "VoteCast"]
    )
  }).pipe(
    Effect.provide(
      on(({ append }) => ({
        append: (request) =>
          Deferred.succeed(reached, undefined).pipe(
            Effect.andThen(Deferred.await(open)),
            Effect.andThen(append(request))
          )
      }))
    )
  )
})

it.live("is busy while the store is down, and works again after it", () => {
  let failing = 0
  const fails = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> => (failing-- > 0 ? Effect.fail(down) : effect))
  return Effect.gen(function* () {
    yield* uploadSnippet("s")
    const id = randomUUID()
    failing = 3
    for (const _ of upTo(3)) assert.deepStrictEqual(yield* Effect.flip(castVote("s", id)), new Busy())
    const first = yield* castVote("s", id)
    assert.deepStrictEqual(yield* castVote("s", id), first)
    assert.deepStrictEqual(revisions(yield* stored("s")), [0, 1])
    // a refusal can't be told apart from a repeated command without the store
    failing = 1
    assert.deepStrictEqual(yield* Effect.flip(castVote("other")), new Busy())
  }).pipe(
    Effect.provide(
      on(({ append, readStream, outcome }) => ({
        append: (request) => fails(append(request)),
        readStream: (stream, after) => fails(readStream(stream, after)),
        outcome: (stream, id) => fails(outcome(stream, id))
      }))
    )
  )
})

it.live("doubles nothing when the store took the events and did not say so", () => {
  let silent = true
  return Effect.gen(function* () {
    const [upload, vote] = [randomUUID(), randomUUID()]
    assert.deepStrictEqual(yield* Effect.flip(uploadSnippet("s", upload)), new Busy())
    assert.lengthOf(yield* uploadSnippet("s", upload), 1)
    silent = true
    assert.deepStrictEqual(yield* Effect.flip(castVote("s", vote)), new Busy())
    assert.lengthOf(yield* castVote("s", vote), 1)
    assert.deepStrictEqual(revisions(yield* stored("s")), [0, 1])
  }).pipe(
    Effect.provide(
      on(({ append }) => ({
        append: (request) =>
          Effect.flatMap(append(request), (events) => {
            const lost = silent
            silent = false
            return lost ? Effect.fail(down) : Effect.succeed(events)
          })
      }))
    )
  )
})

it.live("refuses nothing because of what was not recorded in the end", () => {
  const { readStream, release } = waiting()
  let failing = false
  return Effect.gen(function* () {
    const upload = yield* Effect.forkChild(uploadSnippet("s"))
    yield* Effect.yieldNow
    const both = yield* Effect.forkChild(Effect.forEach([deleteSnippet("s"), castVote("s")], Effect.exit, together))
    yield* Effect.yieldNow
    yield* release
    yield* Fiber.join(upload)
    failing = true
    const exits = yield* Fiber.join(both)
    assert.deepStrictEqual(exits as ReadonlyArray<unknown>, [Exit.fail(new Busy()), Exit.fail(new Busy())])
    failing = false
    // it is still there
    assert.lengthOf(yield* castVote("s"), 1)
  }).pipe(
    Effect.provide(
      on((store) => ({
        readStream: readStream(store),
        append: (request) =>
          Effect.suspend(() =>
            request.commands.some(({ events }) => events.some(({ erases }) => erases.length > 0)) || failing
              ? Effect.fail(down)
              : store.append(request)
          )
      }))
    )
  )
})

it.live("records nothing of a command that it refuses, though others with it are decided again", () => {
  const { readStream, release } = waiting()
  let raced = false
  return Effect.gen(function* () {
    const [vote, upload] = [randomUUID(), randomUUID()]
    const both = yield* Effect.forkChild(
      Effect.all([Effect.exit(castVote("s", vote)), Effect.exit(uploadSnippet("s", upload))], together)
    )
    yield* Effect.yieldNow
    yield* release
    const [voted, uploaded] = yield* Fiber.join(both)
    assert.isTrue(Exit.isSuccess(uploaded))
    const events = yield* stored("s")
    // the vote may come too early or not; what its caller was told has to be so
    assert.strictEqual(
      events.some(({ commandId }) => commandId === vote),
      Exit.isSuccess(voted)
    )
    assert.isTrue(raced)
  }).pipe(
    Effect.provide(
      on((store) => ({
        readStream: readStream(store),
        append: (request) =>
          Effect.suspend(() => {
            if (raced) return store.append(request)
            raced = true
            // another process stores the same code just before
            const [command] = request.commands
            const theirs = { ...request, commands: [{ ...command!, commandId: randomUUID() }] }
            return Effect.andThen(store.append(theirs), store.append(request))
          })
      }))
    )
  )
})

it.effect("gives up a stream that is never where it should be, after its time", () =>
  Effect.gen(function* () {
    const caller = yield* Effect.forkChild(Effect.exit(uploadSnippet("s")))
    yield* TestClock.adjust("4 seconds")
    assert.isUndefined(caller.pollUnsafe())
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(yield* Fiber.join(caller), Exit.fail(new Busy()))
  }).pipe(
    Effect.provide(
      on(() => ({
        append: ({ stream, expected }) => Effect.fail(new WrongRevision({ stream, expected, actual: 7 }))
      }))
    )
  )
)

it.live("fails a command that can't be decided, and no other", () => {
  const { readStream, release } = waiting()
  const fault = new Error("a fault of the decider")
  const Counting: Decider<number, UsageEvent, number, never> = {
    initial: 0,
    decide: (number) => {
      if (number % 3 === 1) throw fault
      return Result.succeed([UsageEvent.cases.KeyUsed.make({ key: `${number}` })])
    },
    evolve: (count) => count + 1
  }
  const count = (stream: string, number: number) => Effect.exit(dispatch(Counting, given(stream, number)))
  return Effect.gen(function* () {
    const first = yield* Effect.forkChild(Effect.forEach(upTo(9), (number) => count("one", number), together))
    const other = yield* Effect.forkChild(count("two", 0))
    yield* Effect.yieldNow
    yield* release
    for (const [number, exit] of (yield* Fiber.join(first)).entries()) {
      if (number % 3 !== 1) assert.isTrue(Exit.isSuccess(exit), `${number}`)
      else assert.strictEqual(Exit.isFailure(exit) && Cause.squash(exit.cause), fault)
    }
    assert.isTrue(Exit.isSuccess(yield* Fiber.join(other)))
    assert.isTrue(Exit.isSuccess(yield* count("one", 9)))
    const { readStream } = yield* whole
    const events = yield* readStream("one", -1)
    assert.deepStrictEqual(revisions(events), upTo(7))
    assert.strictEqual(new Set(events.map(({ data }) => data)).size, 7)
  }).pipe(Effect.provide(on((store) => ({ readStream: readStream(store) }))))
})

it.live("gives what was answered before a defect not to the store again", () => {
  const { readStream, release } = waiting()
  const calls: Array<ReadonlyArray<string>> = []
  const Counting: Decider<string, UsageEvent, number, never> = {
    initial: 0,
    decide: (key) => Result.succeed([UsageEvent.cases.KeyUsed.make({ key })]),
    evolve: (count) => count + 1
  }
  return Effect.gen(function* () {
    const all = yield* Effect.forkChild(
      Effect.forEach(["1", "2", "!", "4"], (key) => Effect.exit(dispatch(Counting, given("one", key))), together)
    )
    yield* Effect.yieldNow
    yield* release
    assert.deepStrictEqual((yield* Fiber.join(all)).map(Exit.isSuccess), [true, true, false, true])
    assert.deepStrictEqual(calls, [["1", "2"], ["!", "4"], ["!"], ["4"]])
  }).pipe(
    Effect.provide(
      on((store) => ({
        readStream: readStream(store),
        append: (request) =>
          Effect.suspend(() => {
            const keys = request.commands.flatMap(({ events }) => events.map(({ data }) => JSON.parse(data).key))
            calls.push(keys)
            return keys.includes("!") ? Effect.die(new Error("a fault of the store")) : store.append(request)
          })
      }))
    ),
    Effect.provideService(Bounds, { count: 100, bytes: 2 * JSON.stringify({ key: "1" }).length })
  )
})

it.effect("waits a little longer each time before it decides again, a tenth of a second at most", () => {
  const times: Array<number> = []
  return Effect.gen(function* () {
    const random = Math.random
    yield* Effect.addFinalizer(() => Effect.sync(() => Object.assign(Math, { random })))
    Object.assign(Math, { random: () => 0.8 })
    const caller = yield* Effect.forkChild(Effect.exit(uploadSnippet("s")))
    for (let millisecond = 0; millisecond < 1_200; millisecond++) yield* TestClock.adjust("1 millis")
    const waits = times.slice(1).map((time, n) => time - times[n]!)
    assert.deepStrictEqual(
      waits.slice(0, 22),
      upTo(22).map((n) => Math.min(4 * (n + 1), 80))
    )
    yield* Fiber.interrupt(caller)
  }).pipe(
    Effect.scoped,
    Effect.provide(
      on(() => ({
        append: ({ stream, expected }) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            times.push(now)
            return Effect.fail(new WrongRevision({ stream, expected, actual: 7 }))
          })
      }))
    )
  )
})
