import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { UsageEvent } from "#domain/Usage.ts"
import type { Decider } from "#engine/Decider.ts"
import { Busy } from "#engine/decide.ts"
import { Dispatcher, dispatch } from "#engine/dispatch.ts"
import { positionOf } from "#engine/Position.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { WrongRevision } from "#engine/ports/EventStore.ts"
import { given } from "#test/commands.ts"
import { on, waiting } from "./dispatching.ts"
import { whole } from "./whole.ts"

type Gate = "open" | "shut" | "pass"

/** A gate that a command may pass only while it is open. */
const Gatekeeper: Decider<Gate, UsageEvent, boolean, { readonly _tag: "Shut" }> = {
  initial: true,
  decide: (command, open) =>
    command === "pass" && !open
      ? Result.fail({ _tag: "Shut" as const })
      : Result.succeed([UsageEvent.cases.KeyUsed.make({ key: command })]),
  evolve: (open, { key }) => (key === "pass" ? open : key === "open")
}

const together = { concurrency: "unbounded" } as const

/** Commands that come together, each with what becomes of it. */
const all = (...gates: ReadonlyArray<Gate>) =>
  Effect.forEach(gates, (gate) => Effect.exit(dispatch(Gatekeeper, given("gate", gate))), together)

const until = (condition: () => boolean) =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.yieldNow
  })

const recorded = Effect.gen(function* () {
  const { readStream } = yield* whole
  return (yield* readStream("gate", -1)).map(({ data }) => JSON.parse(data).key)
})

it.live(
  "decides again what it refused, when what that rests on was recorded before and the stream went on from there",
  () => {
    const { readStream, release } = waiting()
    let calls = 0
    return Effect.gen(function* () {
      const both = yield* Effect.forkChild(all("shut", "pass"))
      yield* Effect.yieldNow
      yield* release
      const [shut, passed] = yield* Fiber.join(both)
      assert.isTrue(Exit.isSuccess(shut!))
      assert.isTrue(Exit.isSuccess(passed!), "the other process has opened the gate again")
      assert.deepStrictEqual(yield* recorded, ["open", "shut", "open", "pass"])
      // the stream was read anew, and nothing sent from the old fold
      assert.strictEqual(calls, 2)
    }).pipe(
      Effect.provide(
        on((store) => ({
          readStream: readStream(store),
          append: (request) =>
            Effect.suspend(() => {
              if (++calls > 1) return store.append(request)
              // another process carries the same command out just before, between two of its own
              const [command] = request.commands
              const theirs = { ...request, expected: "any" as const }
              const events = [{ ...command!.events[0]!, data: JSON.stringify({ key: "open" }) }]
              const opens = Effect.suspend(() =>
                store.append({ ...theirs, commands: [{ ...command!, commandId: randomUUID(), events }] })
              )
              return Effect.all([opens, store.append(theirs), opens]).pipe(Effect.andThen(store.append(request)))
            })
        }))
      )
    )
  }
)

it.live("answers all that wait, in their order, when one call takes only some of them", () => {
  const { readStream: waits, release } = waiting()
  const calls: Array<number> = []
  const reads: Array<number> = []
  return Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(all("pass", "pass", "pass", "pass", "shut", "pass", "open", "pass", "pass"))
    yield* Effect.yieldNow
    yield* release
    assert.deepStrictEqual(
      (yield* Fiber.join(waiting)).map((exit) => (Exit.isSuccess(exit) ? exit.value[0]!.revision : "refused")),
      [0, 1, 2, 3, 4, "refused", 5, 6, 7]
    )
    // two of them reach the bound
    assert.deepStrictEqual(calls, [2, 2, 2, 2])
    // the fold is where the log is: the next one is sent once
    yield* all("pass")
    assert.deepStrictEqual(calls, [2, 2, 2, 2, 1])
    // and so it is for whoever asks for it: only what is new is read
    reads.length = 0
    assert.isTrue(yield* Effect.flatMap(Dispatcher, ({ state }) => state(Gatekeeper, "gate")))
    assert.deepStrictEqual(reads, [8])
  }).pipe(
    Effect.provide(
      on((store) => ({
        readStream: (stream, after) =>
          Effect.suspend(() => {
            reads.push(after)
            return waits(store)(stream, after)
          }),
        append: (request) =>
          Effect.suspend(() => {
            calls.push(request.commands.length)
            return store.append(request)
          })
      }))
    ),
    Effect.provideService(Bounds, { count: 100, bytes: 2 * JSON.stringify({ key: "pass" }).length })
  )
})

it.live("answers all that are given again together, when one call takes only some of them", () => {
  const open = Deferred.makeUnsafe<void>()
  let calls = 0
  return Effect.gen(function* () {
    const before = (["pass", "pass", "pass"] as const).map((gate) => given("gate", gate))
    for (const envelope of before) yield* dispatch(Gatekeeper, envelope)
    const next = yield* Effect.forkChild(all("pass"))
    yield* until(() => calls === 4)
    const again = yield* Effect.forkChild(
      Effect.forEach(before, (envelope) => dispatch(Gatekeeper, envelope), together),
      { startImmediately: true }
    )
    yield* Effect.yieldNow
    yield* Deferred.succeed(open, undefined)
    assert.deepStrictEqual(
      (yield* Fiber.join(again)).map((led) => led.map(({ revision }) => revision)),
      [[0], [1], [2]]
    )
    yield* Fiber.join(next)
    assert.lengthOf(yield* recorded, 4)
    // they had waited together
    assert.strictEqual(calls, 6)
  }).pipe(
    Effect.provide(
      on((store) => ({
        append: (request) =>
          Effect.suspend(() =>
            Effect.andThen(++calls === 4 ? Deferred.await(open) : Effect.void, store.append(request))
          )
      }))
    ),
    Effect.provideService(Bounds, { count: 100, bytes: 2 * JSON.stringify({ key: "pass" }).length })
  )
})

it.effect("answers as the first time where it is so already, by the command that is given again", () => {
  const Once: Decider<string, UsageEvent, boolean, never> = {
    initial: false,
    decide: (key, done) => Result.succeed(done ? [] : [UsageEvent.cases.KeyUsed.make({ key })]),
    evolve: () => true
  }
  return Effect.gen(function* () {
    const envelope = given("once", "key")
    const first = yield* dispatch(Once, envelope)
    assert.lengthOf(first, 1)
    assert.deepStrictEqual(yield* dispatch(Once, envelope), first)
    assert.isEmpty(yield* dispatch(Once, given("once", "key")))
  }).pipe(Effect.provide(on(() => ({}))))
})

it.effect("gives up what has had its time to the millisecond", () =>
  Effect.gen(function* () {
    const caller = yield* Effect.forkChild(all("open"))
    for (let n = 0; n < 100; n++) yield* Effect.yieldNow
    assert.deepStrictEqual(caller.pollUnsafe() as unknown, Exit.succeed([Exit.fail(new Busy())]))
  }).pipe(
    Effect.provide(
      on(() => ({
        append: ({ stream, expected }) =>
          Effect.andThen(TestClock.setTime(5_000), Effect.fail(new WrongRevision({ stream, expected, actual: 7 })))
      }))
    )
  )
)

it.effect("keeps the folds of the streams that were used last, and never lets go of one that is at work", () => {
  const reads = new Map<string, number>()
  const appends: Array<string> = []
  const open = Deferred.makeUnsafe<void>()
  const pass = (stream: string) => dispatch(Gatekeeper, given(stream, "pass" as Gate))
  return Effect.gen(function* () {
    const busy = [yield* Effect.forkChild(pass("busy"))]
    yield* until(() => appends.includes("busy"))
    for (const stream of ["first", "second"]) yield* pass(stream)
    for (let n = 0; n < 4_093; n++) yield* pass(`other ${n}`)
    yield* pass("first")
    assert.strictEqual(reads.get("first"), 1)
    // one too many: the least recently used one that is idle goes
    yield* pass("one more")
    yield* pass("first")
    assert.strictEqual(reads.get("first"), 1)
    yield* pass("second")
    assert.strictEqual(reads.get("second"), 2)
    // behind the one that is under way
    busy.push(yield* Effect.forkChild(pass("busy")))
    for (let n = 0; n < 100; n++) yield* Effect.yieldNow
    assert.lengthOf(
      appends.filter((stream) => stream === "busy"),
      1
    )
    yield* Deferred.succeed(open, undefined)
    const answers = yield* Effect.forEach(busy, Fiber.join)
    assert.deepStrictEqual(
      answers.map(([event]) => event!.revision),
      [0, 1]
    )
    assert.strictEqual(reads.get("busy"), 1)
  }).pipe(
    Effect.provide(
      // a store that takes everything and forgets it: thousands of streams cost it nothing
      on(() => ({
        readStream: (stream) =>
          Effect.sync(() => {
            reads.set(stream, (reads.get(stream) ?? 0) + 1)
            return { events: [], more: false }
          }),
        append: ({ stream, expected, commands }) =>
          Effect.suspend(() => {
            appends.push(stream)
            const revision = (typeof expected === "number" ? expected : -1) + commands.length
            const appended = { revision, positions: commands.map(() => positionOf(1)), recordedAt: 0 }
            return Effect.as(stream === "busy" ? Deferred.await(open) : Effect.void, appended)
          })
      }))
    )
  )
})
