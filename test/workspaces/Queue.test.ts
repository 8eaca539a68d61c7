import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, PubSub } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Asker } from "#engine/ask.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { makeProcesses } from "#engine/memory/Claims.ts"
import { positionOf } from "#engine/Position.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Projector } from "#engine/project.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { Workers } from "#ports/Workers.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import * as Codec from "#src/codec.ts"
import { Search } from "#src/snippets/search.ts"
import { Storage } from "#src/usage/Storage.ts"
import { Runs } from "#src/workspaces/queue.ts"
import { claimOf } from "#src/workspaces/restore.ts"
import { Spoken } from "#src/workspaces/spoken.ts"
import { leftAfter, mostSteps } from "../engine/leaving.ts"

type Open = ReadonlyArray<{ readonly id: string; readonly workspace: string; readonly position: bigint }>

/**
 * Runs that end as soon as the log is read for them, which a test lets happen; and the order in which that is. `left`
 * are those that have not ended, or how they are asked for.
 */
const world = (left: Open | Effect.Effect<Open, string>) => {
  const begun: Array<string> = []
  const gates = new Map<string, Deferred.Deferred<void>>()
  const gate = (run: string) => {
    const known = gates.get(run) ?? Deferred.makeUnsafe<void>()
    gates.set(run, known)
    return known
  }
  const store = {
    readStream: (stream: string) =>
      Effect.suspend(() => {
        const run = stream.slice("chat-".length)
        begun.push(run)
        return Effect.as(Deferred.await(gate(run)), { events: [], more: false })
      }),
    outcome: () => Effect.succeed([])
  }
  const services = Context.empty().pipe(
    Context.add(EventStore, store as never),
    Context.add(Dispatcher, { state: () => Effect.succeed({ head: null, generation: 0 }) } as never),
    Context.add(Asker, { fresh: () => Effect.succeed({ position: 0, changed: 0, due: 0 }) } as never),
    Context.add(SqlClient.SqlClient, (() => (Effect.isEffect(left) ? left : Effect.succeed(left))) as never),
    Context.add(WorkspaceStore, {} as never),
    Context.add(Workers, {} as never),
    Context.add(Sandbox, {} as never),
    Context.add(LanguageModel, {} as never),
    Context.add(Search, {} as never)
  )
  const until = (condition: () => boolean) =>
    Effect.gen(function* () {
      while (!condition()) yield* Effect.yieldNow
    })
  const idle = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })
  return {
    begun,
    gate,
    until,
    idle,
    layer: Runs.layer.pipe(
      Layer.provide(Layer.succeedContext(services)),
      Layer.provide(
        Layer.effect(
          Projector,
          Effect.map(PubSub.unbounded<string>(), (moved) =>
            Projector.of({ moved, failures: Effect.succeed(new Map()) })
          )
        )
      ),
      Layer.provide(Layer.mergeAll(Codec.layer, Spoken.layer, Storage.unbounded))
    )
  }
}

it.effect("a run that nobody waits for is carried all the same", () => {
  const { begun, idle, layer } = world([])
  return Effect.gen(function* () {
    const runs = yield* Runs
    yield* runs.begin({ run: "alone", workspace: "w", position: positionOf(1) })
    yield* idle
    assert.deepStrictEqual(begun, ["alone"])
  }).pipe(Effect.provide(layer))
})

it.effect("runs of one workspace go one at a time, in the order in which they were asked for", () => {
  const { begun, gate, until, idle, layer } = world([])
  return Effect.gen(function* () {
    const runs = yield* Runs
    const end = (run: string, position: number, workspace = "w") =>
      runs.end({ run, workspace, position: positionOf(position) })
    const first = yield* Effect.forkChild(end("five", 5))
    yield* until(() => begun.length === 1)
    // they come out of order: each request goes its own way to the queue
    const others = []
    for (const [run, position] of [
      ["eight", 8],
      ["six", 6],
      ["nine", 9],
      ["seven", 7],
      ["four", 4]
    ] as const) {
      others.push(yield* Effect.forkChild(end(run, position)))
      yield* idle
    }
    // asked for again, it is the same run
    others.push(yield* Effect.forkChild(end("six", 6)))
    const elsewhere = yield* Effect.forkChild(end("other", 99, "v"))
    yield* until(() => begun.includes("other"))
    assert.deepStrictEqual(begun, ["five", "other"])
    yield* Deferred.succeed(gate("other"), undefined)
    yield* Fiber.join(elsewhere)
    for (const run of ["five", "four", "six", "seven", "eight", "nine"]) {
      yield* until(() => begun.at(-1) === run || (run === "five" && begun[0] === "five"))
      yield* idle
      yield* Deferred.succeed(gate(run), undefined)
    }
    yield* Fiber.join(first)
    yield* Effect.forEach(others, Fiber.join)
    assert.deepStrictEqual(begun, ["five", "other", "four", "six", "seven", "eight", "nine"])
  }).pipe(Effect.provide(layer))
})

it.effect("what an earlier process left goes first, also before what is asked for meanwhile", () => {
  const { begun, gate, until, layer } = world([
    { id: "left one", workspace: "w", position: 1n },
    { id: "left two", workspace: "w", position: 2n }
  ])
  return Effect.gen(function* () {
    const runs = yield* Runs
    const asked = yield* Effect.forkChild(runs.end({ run: "new", workspace: "w", position: positionOf(3) }))
    for (const run of ["left one", "left two", "new"]) {
      yield* until(() => begun.at(-1) === run)
      yield* Deferred.succeed(gate(run), undefined)
    }
    yield* Fiber.join(asked)
    assert.deepStrictEqual(begun, ["left one", "left two", "new"])
  }).pipe(Effect.provide(layer))
})

it.effect(
  "stops what was asked for before its workspace was erased, also what reads the log right then, and nothing later",
  () => {
    const { begun, gate, until, idle, layer } = world([])
    return Effect.gen(function* () {
      const runs = yield* Runs
      const waiting = []
      for (const [run, position] of [
        ["one", 1],
        ["two", 2],
        ["four", 4]
      ] as const) {
        waiting.push(yield* Effect.forkChild(runs.end({ run, workspace: "w", position: positionOf(position) })))
        yield* idle
      }
      const elsewhere = yield* Effect.forkChild(runs.end({ run: "other", workspace: "v", position: positionOf(1) }))
      yield* until(() => begun.includes("one") && begun.includes("other"))
      // nobody opens the gate of the first: only its end can
      yield* runs.stop("w", positionOf(3))
      yield* Effect.forEach(waiting.slice(0, 2), Fiber.join)
      yield* until(() => begun.includes("four"))
      assert.notInclude(begun, "two")
      assert.isUndefined(waiting[2]!.pollUnsafe())
      assert.isUndefined(elsewhere.pollUnsafe())
      for (const run of ["four", "other"]) yield* Deferred.succeed(gate(run), undefined)
      yield* Effect.forEach([waiting[2]!, elsewhere], Fiber.join)
      assert.deepStrictEqual([...begun].sort(), ["four", "one", "other"])
      // of a workspace that has none, and again
      yield* runs.stop("w", positionOf(9))
      yield* runs.stop("x", positionOf(9))
    }).pipe(Effect.provide(layer))
  }
)

it.effect("whoever leaves while stopping runs keeps nobody waiting for one of them", () =>
  Effect.gen(function* () {
    let ended = false
    for (let steps = 0; !ended && steps < mostSteps; steps++) {
      const { begun, until, idle, layer } = world([])
      yield* Effect.gen(function* () {
        const runs = yield* Runs
        const asked = [yield* Effect.forkChild(runs.end({ run: "first", workspace: "w", position: positionOf(1) }))]
        yield* until(() => begun.length === 1)
        for (const position of [2, 3]) {
          asked.push(
            yield* Effect.forkChild(
              runs.end({ run: `run ${position}`, workspace: "w", position: positionOf(position) })
            )
          )
        }
        yield* idle
        ended = yield* leftAfter(steps, runs.stop("w", positionOf(9)))
        // as the reaction does
        yield* Effect.forkChild(runs.stop("w", positionOf(9)))
        yield* idle
        for (const one of asked) assert.isDefined(one.pollUnsafe(), `left after ${steps} steps`)
      }).pipe(Effect.provide(layer))
    }
    assert.isTrue(ended)
  })
)

it.effect("whoever leaves while asking for a run keeps nobody waiting for it", () =>
  Effect.gen(function* () {
    let ended = false
    for (let steps = 0; !ended && steps < mostSteps; steps++) {
      const { gate, idle, layer } = world([])
      yield* Effect.gen(function* () {
        const runs = yield* Runs
        const run = { run: "asked for", workspace: "w", position: positionOf(1) }
        // it ends as soon as it is carried
        yield* Deferred.succeed(gate("asked for"), undefined)
        ended = yield* leftAfter(steps, runs.end(run))
        const other = yield* Effect.forkChild(runs.end(run))
        yield* idle
        assert.isDefined(other.pollUnsafe(), `left after ${steps} steps`)
      }).pipe(Effect.provide(layer))
    }
    assert.isTrue(ended)
  })
)

it.effect("nothing is carried before it is known what other processes were asked for, however long that takes", () => {
  let open: Open | undefined = []
  const { begun, gate, until, idle, layer } = world(
    Effect.suspend(() => (open === undefined ? Effect.fail("away") : Effect.succeed(open)))
  )
  const mine = { lost: Effect.never, handedOver: true, begin: Effect.void }
  const claims = { shared: true, claim: () => Effect.succeed(mine) }
  return Effect.gen(function* () {
    const runs = yield* Runs
    yield* idle
    open = undefined
    const later = { run: "later", workspace: "w", position: positionOf(2) }
    const asked = yield* Effect.forkChild(Effect.exit(runs.end(later)))
    for (let seconds = 0; seconds < 60; seconds++) {
      yield* TestClock.adjust("1 second")
      yield* idle
    }
    assert.deepStrictEqual(begun, [])
    // who waits was told, and the run stays where it is
    assert.isTrue(Exit.isFailure(yield* Fiber.join(asked)))
    const again = yield* Effect.forkChild(runs.end(later))
    const notEnded = { id: "later", workspace: "w", position: 2n }
    open = [{ id: "earlier", workspace: "w", position: 1n }, notEnded]
    for (let seconds = 0; seconds < 10; seconds++) {
      yield* TestClock.adjust("1 second")
      yield* idle
    }
    assert.deepStrictEqual(begun, ["earlier"])
    open = [notEnded]
    yield* Deferred.succeed(gate("earlier"), undefined)
    yield* until(() => begun.length > 1)
    assert.deepStrictEqual(begun, ["earlier", "later"])
    yield* Deferred.succeed(gate("later"), undefined)
    yield* Fiber.join(again)
  }).pipe(Effect.provide(layer), Effect.provideService(Claims, claims))
})

it.effect("an erasure waits for a run that another process has, and for none of another workspace", () => {
  const { idle, layer } = world([])
  const asked: Array<string> = []
  const given = Deferred.makeUnsafe<void>()
  const claim = (name: string) =>
    Effect.suspend(() => {
      asked.push(name)
      return Effect.as(Deferred.await(given), { lost: Effect.never, handedOver: true, begin: Effect.void })
    })
  return Effect.gen(function* () {
    const runs = yield* Runs
    const stopping = yield* Effect.forkChild(runs.stop("w", positionOf(3)))
    yield* idle
    assert.isUndefined(stopping.pollUnsafe())
    assert.deepStrictEqual(asked, [claimOf("w")])
    yield* Deferred.succeed(given, undefined)
    yield* Fiber.join(stopping)
  }).pipe(Effect.provide(layer), Effect.provideService(Claims, { shared: true, claim }))
})

it.effect("a run that a killed process left is not handed over by who got its claim for another that had ended", () => {
  const next = makeProcesses()
  const [killed, ours, later] = [next(), next(), next()]
  let open: Open = [{ id: "ended elsewhere", workspace: "w", position: 1n }]
  const { begun, idle, layer } = world(Effect.sync(() => open))
  return Effect.gen(function* () {
    const { begin } = yield* killed.claim(claimOf("w"))
    yield* begin
    const { counts } = yield* Runs
    yield* idle
    assert.strictEqual((yield* counts).waiting, 1)
    open = []
    while ((yield* counts).waiting > 0) {
      yield* TestClock.adjust("1 second")
      yield* idle
    }
    const takingUp = yield* Effect.forkChild(later.claim(claimOf("w")), { startImmediately: true })
    yield* killed.lose
    assert.isFalse((yield* Fiber.join(takingUp)).handedOver)
    assert.deepStrictEqual(begun, [])
  }).pipe(Effect.scoped, Effect.provide(layer), Effect.provideService(Claims, ours))
})
