import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, PubSub } from "effect"
import { TestClock } from "effect/testing"
import { Asker, fresh, longPatience, Stale, Unreadable } from "#engine/ask.ts"
import { beginning, isAfter, type Position, positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Checkpoint, ReadModels, ReadModelsUnavailable } from "#engine/ports/ReadModels.ts"
import { Projector } from "#engine/project.ts"
import { leftAfter, mostSteps } from "./leaving.ts"

const model = (name: string): Projection => ({
  name,
  version: 1,
  tables: { rows: { columns: { id: "text" }, on: { [name]: { rows: () => [], to: () => undefined } } } }
})
const [A, B] = [model("a"), model("b")]

/** Read models that stand where a test puts them, and are looked at when it lets that happen. */
const world = () => {
  const standings = new Map<string, Checkpoint>()
  const asked: Array<ReadonlyArray<string>> = []
  const gates: Array<Deferred.Deferred<void>> = []
  let down = false
  let head = 0
  const moved = Effect.runSync(PubSub.sliding<string>(8))
  const models = {
    checkpoints: (projections: ReadonlyArray<Projection>) =>
      Effect.suspend(() => {
        asked.push(projections.map(({ name }) => name))
        const gate = gates.shift()
        // as it is when the look begins
        const seen = new Map(standings)
        const failed = down
        return Effect.flatMap(gate === undefined ? Effect.void : Deferred.await(gate), () =>
          failed ? Effect.fail(new ReadModelsUnavailable({ message: "down" })) : Effect.succeed(seen)
        )
      })
  }
  const dues = new Map<string, Position>()
  const store = {
    head: Effect.sync(() => positionOf(head)),
    since: (after: Position) =>
      Effect.sync(() => {
        const kinds = [...dues].map(([type, last]) => ({ tenant: "tenant", type, last }))
        return { head: positionOf(head), kinds: kinds.filter(({ last }) => isAfter(last, after)) }
      })
  }
  const stands = (name: string, position: number, due: number) => {
    head = Math.max(head, due)
    dues.set(name, positionOf(due))
    standings.set(`${name}_v1`, { position: positionOf(position), changed: beginning })
  }
  const gate = () => {
    const made = Deferred.makeUnsafe<void>()
    gates.push(made)
    return Deferred.succeed(made, undefined)
  }
  const isDown = (now: boolean) => void (down = now)
  const services = Context.empty().pipe(
    Context.add(ReadModels, models as never),
    Context.add(EventStore, store as never),
    Context.add(Projector, { moved, failures: Effect.succeed(new Map()) })
  )
  const layer = Asker.layer([A, B]).pipe(Layer.provide(Layer.succeedContext(services)))
  const move = (name: string, position: number, due: number) =>
    Effect.suspend(() => {
      stands(name, position, due)
      return PubSub.publish(moved, `${name}_v1`)
    })
  return { asked, stands, gate, isDown, move, layer }
}

/** What lies before it is not told apart: whoever stands there has to come to its end. */
const first = Effect.flatMap(Asker, ({ look }) => look)

const idle = Effect.forEach(Array.from({ length: 100 }), () => Effect.yieldNow, { discard: true })
const later = <A, E>(effect: Effect.Effect<A, E, Asker>) => Effect.tap(Effect.forkChild(effect), () => idle)
const isWaiting = (fiber: Fiber.Fiber<unknown, unknown>) => fiber.pollUnsafe() === undefined

it.effect("a read goes on at once where its read model has passed all that concerns it", () => {
  const { asked, stands, layer } = world()
  return Effect.gen(function* () {
    yield* first
    stands("a", 7, 7)
    stands("b", 3, 9)
    assert.deepStrictEqual(yield* fresh(A), { position: 7, changed: 0, due: 7 })
    assert.deepStrictEqual(asked.slice(1), [["a", "b"]])
    const { head, models } = yield* Effect.flatMap(Asker, ({ look }) => look)
    assert.deepStrictEqual([head, models.size], [9, 2])
  }).pipe(Effect.provide(layer))
})

it.effect("a read by a look that was there before asks for none, and waits for what that look had seen", () => {
  const { asked, stands, move, layer } = world()
  return Effect.gen(function* () {
    yield* first
    stands("a", 7, 7)
    stands("b", 3, 9)
    const { look, freshBy } = yield* Asker
    const seen = yield* look
    const before = asked.length
    stands("a", 7, 12)
    assert.deepStrictEqual(yield* freshBy(seen, A), { position: 7, changed: 0, due: 7 })
    assert.strictEqual(asked.length, before)
    const behind = yield* later(freshBy(seen, B))
    assert.isTrue(isWaiting(behind))
    yield* move("b", 9, 14)
    assert.deepStrictEqual(yield* Fiber.join(behind), { position: 9, changed: 0, due: 14 })
  }).pipe(Effect.provide(layer))
})

it.effect("it waits until its read model has passed what was there when it came, and no longer", () => {
  const { asked, stands, move, layer } = world()
  return Effect.gen(function* () {
    yield* first
    stands("a", 5, 7)
    stands("b", 1, 7)
    const read = yield* later(fresh(A))
    assert.isTrue(isWaiting(read))
    const before = asked.length
    // another one has moved, and this one not far enough
    yield* move("b", 7, 9)
    yield* idle
    yield* move("a", 6, 10)
    yield* idle
    assert.isTrue(isWaiting(read))
    assert.strictEqual(asked.length, before + 2)
    // what came behind its arrival is not waited for
    yield* move("a", 7, 10)
    assert.deepStrictEqual(yield* Fiber.join(read), { position: 7, changed: 0, due: 10 })
    // nobody waits any more: nothing is asked
    const after = asked.length
    yield* TestClock.adjust("5 seconds")
    yield* move("a", 8, 10)
    yield* idle
    assert.strictEqual(asked.length, after)
    // and whoever comes then is waited for again
    const next = yield* later(fresh(A))
    yield* move("a", 10, 10)
    assert.strictEqual((yield* Fiber.join(next)).position, 10)
  }).pipe(Effect.provide(layer))
})

it.effect("it is looked at again after 10 ms when another process may have moved it", () => {
  const { asked, stands, layer } = world()
  return Effect.gen(function* () {
    stands("a", 5, 7)
    const read = yield* later(fresh(A))
    const before = asked.length
    yield* TestClock.adjust("9 millis")
    yield* idle
    assert.strictEqual(asked.length, before)
    stands("a", 7, 7)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* Fiber.join(read)).position, 7)
  }).pipe(Effect.provide(layer))
})

it.effect("after a second behind, it is told where its read model stands; others wait their own time", () => {
  const { stands, move, layer } = world()
  return Effect.gen(function* () {
    stands("a", 5, 7)
    stands("b", 2, 7)
    const first = yield* later(Effect.exit(fresh(A)))
    yield* TestClock.adjust("500 millis")
    const second = yield* later(fresh(B))
    yield* TestClock.adjust("499 millis")
    yield* idle
    assert.isTrue(isWaiting(first))
    yield* TestClock.adjust("10 millis")
    const stale = yield* Effect.flip(yield* Fiber.join(first))
    const behind = new Stale({
      away: false,
      name: "a_v1",
      standing: { position: positionOf(5), changed: beginning, due: positionOf(7) }
    })
    assert.deepStrictEqual({ ...stale }, { ...behind })
    yield* idle
    assert.isTrue(isWaiting(second))
    yield* move("b", 7, 7)
    assert.strictEqual((yield* Fiber.join(second)).position, 7)
  }).pipe(Effect.provide(layer))
})

it.effect("whoever could only refuse waits longer", () => {
  const { stands, move, layer } = world()
  return Effect.gen(function* () {
    stands("a", 5, 7)
    const read = yield* later(fresh(A, longPatience))
    yield* TestClock.adjust("9 seconds")
    assert.isTrue(isWaiting(read))
    yield* move("a", 7, 7)
    assert.strictEqual((yield* Fiber.join(read)).position, 7)
    stands("a", 7, 8)
    const given = yield* later(Effect.flip(fresh(A, longPatience)))
    yield* TestClock.adjust("10010 millis")
    assert.strictEqual((yield* Fiber.join(given))._tag, "Stale")
  }).pipe(Effect.provide(layer))
})

it.effect("a read model that is not there yet counts as behind", () => {
  const { move, layer } = world()
  return Effect.gen(function* () {
    const read = yield* later(fresh(A))
    assert.isTrue(isWaiting(read))
    yield* move("a", 0, 0)
    yield* idle
    assert.isTrue(isWaiting(read))
    yield* move("a", 1, 1)
    assert.strictEqual((yield* Fiber.join(read)).position, 1)
    const other = yield* later(Effect.flip(fresh(B)))
    yield* TestClock.adjust("1010 millis")
    const standing = { position: beginning, changed: beginning, due: positionOf(1) }
    const missing = yield* Fiber.join(other)
    // two errors are equal by their messages alone
    // who logs it says why
    assert.include(String(missing), "the read model b_v1 is behind the log")
    assert.deepStrictEqual(missing instanceof Stale && { ...missing }, {
      ...new Stale({ name: "b_v1", standing, away: false })
    })
  }).pipe(Effect.provide(layer))
})

it.effect("a read model that stands behind what does not concern it is fresh", () => {
  const { stands, layer } = world()
  return Effect.gen(function* () {
    stands("a", 1, 1)
    stands("b", 1, 1)
    yield* fresh(A)
    stands("b", 5, 5)
    const standing = yield* fresh(A)
    assert.deepStrictEqual([standing.position, standing.due], [positionOf(1), positionOf(1)])
    stands("a", 1, 6)
    assert.isTrue(isWaiting(yield* later(fresh(A))))
    yield* fresh(B)
  }).pipe(Effect.provide(layer))
})

it.effect("reads that come during one look share the next one, whole", () => {
  const { asked, stands, gate, layer } = world()
  return Effect.gen(function* () {
    stands("a", 1, 1)
    const [first, second] = [gate(), gate()]
    const early = yield* later(fresh(A))
    // this one was asked for before they came: it may not know what was written then
    stands("a", 2, 2)
    const late = [yield* later(fresh(A)), yield* later(fresh(B)), yield* later(fresh(A))]
    assert.lengthOf(asked, 1)
    yield* first
    assert.strictEqual((yield* Fiber.join(early)).position, 1)
    yield* idle
    assert.lengthOf(asked, 2)
    assert.isTrue(isWaiting(late[0]!))
    stands("b", 1, 1)
    yield* second
    assert.strictEqual((yield* Fiber.join(late[0]!)).position, 2)
    assert.strictEqual((yield* Fiber.join(late[2]!)).position, 2)
    yield* TestClock.adjust("10 millis")
    yield* Fiber.join(late[1]!)
  }).pipe(Effect.provide(layer))
})

it.effect("whoever waits hears at once that the read models can't be asked, and who comes after it is served", () => {
  const { stands, isDown, move, layer } = world()
  return Effect.gen(function* () {
    stands("a", 5, 7)
    const read = yield* later(Effect.flip(fresh(A)))
    isDown(true)
    yield* move("a", 6, 7)
    assert.deepStrictEqual(yield* Fiber.join(read), new Unreadable())
    assert.deepStrictEqual(yield* Effect.flip(fresh(A)), new Unreadable())
    isDown(false)
    const next = yield* later(fresh(A))
    yield* move("a", 7, 7)
    assert.strictEqual((yield* Fiber.join(next)).position, 7)
  }).pipe(Effect.provide(layer))
})

it.effect("a look goes on without the one who asked for it", () => {
  const { stands, gate, layer } = world()
  return Effect.gen(function* () {
    stands("a", 1, 1)
    const open = gate()
    const gone = yield* later(fresh(A))
    const second = yield* later(fresh(A))
    yield* Fiber.interrupt(gone)
    yield* open
    assert.strictEqual((yield* Fiber.join(second)).position, 1)
  }).pipe(Effect.provide(layer))
})

it.effect(
  "however many come during one look, they are one look more; however many wait, a move is one look for all",
  () => {
    const { asked, stands, gate, move, layer } = world()
    return Effect.gen(function* () {
      stands("a", 1, 1)
      const open = gate()
      const early = yield* later(fresh(A))
      const late = yield* Effect.forEach([A, A, A, A], (model) => later(fresh(model)))
      yield* open
      for (const read of [early, ...late]) assert.strictEqual((yield* Fiber.join(read)).position, 1)
      assert.lengthOf(asked, 2)
      stands("a", 1, 2)
      const behind = yield* Effect.forEach([A, A, A, A], (model) => later(fresh(model)))
      const before = asked.length
      stands("b", 1, 2)
      yield* move("b", 2, 2)
      yield* idle
      assert.lengthOf(asked, before + 1)
      yield* TestClock.adjust("10 millis")
      yield* idle
      assert.lengthOf(asked, before + 2)
      yield* move("a", 2, 2)
      for (const read of behind) assert.strictEqual((yield* Fiber.join(read)).position, 2)
      assert.lengthOf(asked, before + 3)
    }).pipe(Effect.provide(layer))
  }
)

it.effect("whoever leaves while beginning a look keeps nobody else waiting", () =>
  Effect.gen(function* () {
    let ended = false
    for (let steps = 0; !ended && steps < mostSteps; steps++) {
      const { stands, layer } = world()
      yield* Effect.gen(function* () {
        stands("a", 7, 7)
        ended = yield* leftAfter(steps, fresh(A))
        const next = yield* later(fresh(A))
        assert.isFalse(isWaiting(next), `left after ${steps} steps`)
      }).pipe(Effect.provide(layer))
    }
    assert.isTrue(ended)
  })
)

it.effect("whoever leaves while beginning to watch keeps nobody else waiting", () =>
  Effect.gen(function* () {
    // it waits long before these are over
    for (let steps = 0; steps < 60; steps++) {
      const { stands, move, layer } = world()
      yield* Effect.gen(function* () {
        stands("a", 7, 9)
        assert.isFalse(yield* leftAfter(steps, fresh(A)))
        const behind = yield* later(fresh(A))
        yield* move("a", 9, 9)
        yield* idle
        yield* TestClock.adjust("10 millis")
        yield* idle
        assert.isFalse(isWaiting(behind), `left after ${steps} steps`)
      }).pipe(Effect.provide(layer))
    }
  })
)
