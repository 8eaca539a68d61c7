import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Logger, Scope } from "effect"
import { LeftOut } from "#engine/leftOut.ts"
import { makeProcesses } from "#engine/memory/Claims.ts"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import * as MemoryReadModels from "#engine/memory/ReadModels.ts"
import { Given } from "#engine/Projection.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels, ReadModelsUnavailable } from "#engine/ports/ReadModels.ts"
import { Projector } from "#engine/project.ts"
import { react } from "#engine/react.ts"
import { Tail } from "#engine/tail.ts"
import * as Codec from "#src/codec.ts"
import { passesByItself, reaction } from "#src/reaction.ts"
import { Keys, More, until, used } from "./projecting.ts"

const world = Layer.mergeAll(
  Codec.layer,
  MemoryEventStore.layer,
  MemoryReadModels.layer.pipe(Layer.provide(Layer.succeed(Given, {})))
)

/** Two processes on one world, each with what `given` makes it do; ending one is as though it was killed. */
const two = Effect.fnUntraced(function* <E, R>(given: (name: string) => Effect.Effect<unknown, E, R>) {
  const next = makeProcesses()
  const begin = Effect.fnUntraced(function* (name: string) {
    const process = next()
    const scope = yield* Scope.fork(yield* Effect.scope)
    yield* given(name).pipe(Effect.provideService(Claims, process), Scope.provide(scope))
    return { lose: process.lose, kill: Effect.andThen(process.lose, Scope.close(scope, Exit.void)) }
  })
  return [yield* begin("one"), yield* begin("two")] as const
})

it.live("a read model is folded by one process at a time, and by another from where that one ended", () =>
  Effect.gen(function* () {
    const models = yield* ReadModels
    const store = yield* EventStore
    const by: Array<string> = []
    /** Read models of a process, which tell who moves them. */
    const told = (name: string) =>
      ReadModels.of({
        ...models,
        apply: (builds, events, to) =>
          Effect.suspend(() => {
            by.push(name)
            return models.apply(builds, events, to)
          })
      })
    const [one, other] = yield* two((name) =>
      Effect.provideService(Layer.build(Projector.layer([Keys, More])), ReadModels, told(name))
    )
    const taken = Effect.gen(function* () {
      const head = yield* store.head
      const reached = Effect.map(models.checkpoints([Keys, More]), (found) =>
        [...found.values()].every(({ position }) => position === head)
      )
      yield* Effect.repeat(Effect.andThen(Effect.sleep("1 millis"), reached), { until: (is) => is })
    })
    for (const key of ["a", "b", "c"]) {
      yield* used(key)
      yield* taken
    }
    assert.deepStrictEqual([...new Set(by)], ["one"])
    // one that goes on, and has lost them, leaves them alone
    yield* one.lose
    yield* used("d")
    yield* taken
    const before = by.length
    for (const key of ["e", "f", "g"]) {
      yield* used(key)
      yield* taken
    }
    assert.deepStrictEqual([...new Set(by.slice(before))], ["two"])
    yield* other.kill
    for (const key of ["h", "i"]) {
      yield* used(key)
      yield* taken
    }
    assert.strictEqual(by.at(-1), "one")
  }).pipe(Effect.provide(world))
)

it.live("a process that has lost a read model moves it no more, and says nothing of why it could not", () =>
  Effect.gen(function* () {
    const models = yield* ReadModels
    const store = yield* EventStore
    const by: Array<string> = []
    const projectors = new Map<string, Projector["Service"]>()
    /** The first process can't take anything in. */
    const told = (name: string) =>
      ReadModels.of({
        ...models,
        apply: (builds, events, to) =>
          Effect.suspend(() => {
            by.push(name)
            return name === "one"
              ? Effect.fail(new ReadModelsUnavailable({ message: "away" }))
              : models.apply(builds, events, to)
          })
      })
    const [one] = yield* two((name) =>
      Layer.build(Projector.layer([Keys])).pipe(
        Effect.map((context) => projectors.set(name, Context.get(context, Projector))),
        Effect.provideService(ReadModels, told(name)),
        Effect.provide(Logger.layer([]))
      )
    )
    const failures = Effect.suspend(() => projectors.get("one")!.failures)
    const failed = Effect.map(failures, ({ size }) => size === 1)
    yield* used("a")
    yield* Effect.repeat(Effect.andThen(Effect.sleep("1 millis"), failed), { until: (is) => is })
    yield* one.lose
    for (const key of ["b", "c"]) {
      yield* used(key)
      const head = yield* store.head
      const reached = Effect.map(models.checkpoints([Keys]), (found) =>
        [...found.values()].every(({ position }) => position === head)
      )
      yield* Effect.repeat(Effect.andThen(Effect.sleep("1 millis"), reached), { until: (is) => is })
    }
    assert.strictEqual((yield* failures).size, 0)
    const last = by.indexOf("two")
    assert.deepStrictEqual([...new Set(by.slice(last))], ["two"])
  }).pipe(Effect.provide(world))
)

it.live("a reaction follows the log in one process at a time, and in another from where that one ended", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const [one] = yield* two((name) => {
      const mine = reaction({
        name: "mine",
        on: ["KeyUsed"],
        // long enough for another process to be at the same event, if it may
        handle: ({ event: { key } }) =>
          Effect.andThen(
            Effect.sleep("50 millis"),
            Effect.sync(() => void seen.push(`${name} ${key}`))
          )
      })
      return Effect.flatMap(Layer.build(Layer.fresh(Layer.mergeAll(LeftOut.layer, Tail.layer))), (context) =>
        Effect.provideContext(react([mine], passesByItself), context)
      )
    })
    yield* used("a", "b")
    yield* until(() => seen.length === 2)
    yield* one.lose
    yield* used("c")
    yield* until(() => seen.length >= 3)
    // whoever else follows would have seen it too by now
    yield* Effect.sleep("100 millis")
    assert.deepStrictEqual(seen, ["one a", "one b", "two c"])
  }).pipe(Effect.provide(world))
)
