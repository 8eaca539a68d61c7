import { assert, layer, type Vitest } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import type { AnyEvent, Recorded } from "#engine/Event.ts"
import { type Position, positionOf } from "#engine/Position.ts"
import { type Projection, schemaOf, tableOf } from "#engine/Projection.ts"
import { type Build, ReadModels } from "#engine/ports/ReadModels.ts"
import { fresh, upTo } from "./appends.ts"
import { small } from "./EventStore.pages.ts"

type Said = { readonly _tag: "Said"; readonly who: string; readonly what: string }
type Left = { readonly _tag: "Left"; readonly who: string }
type Broke = { readonly _tag: "Broke"; readonly who: string }
type TestEvent = Said | Left | Broke

type Row = { readonly id: string; readonly who: string; readonly what: string; readonly times: number }

/** What each has said, word by word, and how often; all of it goes with who leaves. */
const model = (name = fresh("model").replaceAll("-", "_"), version = 1): Projection => ({
  name,
  version,
  tables: {
    words: tableOf<TestEvent, unknown>()<Row>({
      columns: { id: "text", who: "text", what: "text", times: "integer" },
      indexes: ["(who)"],
      on: {
        Said: {
          rows: ({ who, what }) => [`${who} ${what.slice(0, 9)}`],
          to: (row, { who, what }, _, id) => ({ id, who, what, times: (row?.times ?? 0) + 1 })
        },
        Broke: {
          rows: ({ who }) => [who],
          to: () => {
            throw new Error("a fold that fails")
          }
        }
      },
      drops: { Left: { column: "who", value: ({ who }) => who } }
    })
  }
})

const at = (place: number, event: TestEvent): Recorded<AnyEvent> => ({
  position: positionOf(place * 10),
  tenant: "tenant",
  stream: "stream",
  revision: place,
  eventId: `e${place}`,
  type: event._tag,
  schemaVersion: 1,
  actor: { key: null, user: null, organization: null },
  event,
  commandId: "command",
  correlationId: "correlation",
  causationId: null,
  request: null,
  recordedAt: 0
})

const said = (who: string, ...words: ReadonlyArray<string>): ReadonlyArray<TestEvent> =>
  words.map((what) => ({ _tag: "Said", who, what }))
const left = (who: string): TestEvent => ({ _tag: "Left", who })

const placed = (from: number, events: ReadonlyArray<TestEvent>) =>
  events.map((event, index) => at(from + index + 1, event))
const end = (events: ReadonlyArray<Recorded<AnyEvent>>): Position => events.at(-1)!.position

/** The rows of a live build, as the port shows them: how it differs from one that has none. */
const rowsOf = Effect.fnUntraced(function* (projection: Projection) {
  const { begin, compare, apply, drop } = yield* ReadModels
  const none = yield* begin(projection)
  const bring = (live: Build) => Effect.map(apply([none], [], live.position), ([build]) => build!)
  const { differences } = yield* compare(projection, bring, 1_000)
  yield* drop(none)
  return Object.fromEntries(differences.map(({ id, live }) => [id, (JSON.parse(live!) as Row).times]))
})

const tests = (it: Vitest.MethodsNonLive<ReadModels>) => {
  it.effect("a live build is made once, however many ask for it at once", () =>
    Effect.gen(function* () {
      const { live, checkpoints } = yield* ReadModels
      const mine = model()
      assert.deepStrictEqual([...(yield* checkpoints([mine]))], [])
      const builds = yield* Effect.all([live(mine), live(mine), live(mine)], { concurrency: "unbounded" })
      assert.strictEqual(new Set(builds.map(({ build }) => build)).size, 1)
      assert.deepStrictEqual([builds[0]!.position, builds[0]!.live], [0 as Position, true])
      assert.deepStrictEqual(
        [...(yield* checkpoints([mine, model()]))],
        [[schemaOf(mine), { position: 0 as Position, changed: 0 as Position }]]
      )
    })
  )

  it.effect("rows come out the same, however the events are cut: many, long, and dropped by a column", () =>
    Effect.gen(function* () {
      const { live, apply } = yield* ReadModels
      const long = upTo(9).map((n) => `long ${n} ${"x".repeat(6_000)}`)
      const events = placed(0, [
        ...said("ada", ...long, "a", "b", "a"),
        left("ada"),
        ...said("ada", "c"),
        ...said("eve", "a", "b", "a")
      ])
      for (const size of [events.length, 5, 3, 1]) {
        const mine = model()
        let build = yield* live(mine)
        for (let from = 0; from < events.length; from += size) {
          const some = events.slice(from, from + size)
          build = (yield* apply([build], some, end(some)))[0]!
        }
        assert.strictEqual(build.position, end(events))
        assert.deepStrictEqual(yield* rowsOf(mine), { "ada c": 1, "eve a": 2, "eve b": 1 }, `${size} at once`)
      }
    })
  )

  it.effect("of two projectors one takes a page in, and the other hears that it has moved", () =>
    Effect.gen(function* () {
      const { live, apply } = yield* ReadModels
      const mine = model()
      for (const round of upTo(12)) {
        const build = yield* live(mine)
        const events = placed(round, said("ada", "word"))
        const race = upTo(2).map(() => Effect.exit(apply([build], events, end(events))))
        const exits = yield* Effect.all(race, { concurrency: "unbounded" })
        assert.lengthOf(exits.filter(Exit.isSuccess), 1)
        assert.include(JSON.stringify(exits.filter(Exit.isFailure)), "BuildMoved")
      }
      assert.deepStrictEqual(yield* rowsOf(mine), { "ada word": 12 })
    })
  )

  it.effect("builds move together or not at all, also when a fold fails", () =>
    Effect.gen(function* () {
      const { live, apply, checkpoints } = yield* ReadModels
      const [one, other] = [model(), model()]
      const builds = [yield* live(one), yield* live(other)]
      const events = placed(0, said("ada", "a"))
      const [moved] = yield* apply([builds[0]!], events, end(events))
      assert.strictEqual((yield* Effect.flip(apply(builds, events, end(events))))._tag, "BuildMoved")
      const more = placed(1, [...said("ada", "b"), { _tag: "Broke", who: "ada" }])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(apply([moved!], more, end(more)))))
      const found = yield* checkpoints([one, other])
      assert.deepStrictEqual(
        [one, other].map((projection) => found.get(schemaOf(projection))?.position),
        [end(events), 0 as Position]
      )
      assert.deepStrictEqual([yield* rowsOf(one), yield* rowsOf(other)], [{ "ada a": 1 }, {}])
    })
  )

  it.effect("stopped between any two steps, rows and position have both moved or neither has", () =>
    Effect.gen(function* () {
      const { live, apply } = yield* ReadModels
      const mine = model()
      let [done, untouched, whole] = [0, 0, false]
      // further on each time, until one comes to its end before it is stopped
      for (let steps = 0; !whole; steps += 1 + Math.floor(steps / 16)) {
        const build = yield* live(mine)
        const events = placed(done, said("ada", "a", "b", "c", "d"))
        const applying = yield* Effect.forkChild(
          Effect.provideService(apply([build], events, end(events)), MaxOpsBeforeYield, 3)
        )
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(applying)
        whole = Exit.isSuccess(yield* Fiber.await(applying))
        const now = yield* live(mine)
        if (now.position === build.position) untouched += 1
        else done += events.length
        assert.strictEqual(now.position, positionOf(done * 10), `left after ${steps} steps`)
        const times = done / 4
        const expected = times === 0 ? {} : { "ada a": times, "ada b": times, "ada c": times, "ada d": times }
        assert.deepStrictEqual(yield* rowsOf(mine), expected, `left after ${steps} steps`)
      }
      assert.isAbove(untouched, 1)
      assert.isAbove(done, 0)
    })
  )

  it.effect("the live build stays where it is while another is compared with it, and goes on then", () =>
    Effect.gen(function* () {
      const { live, begin, apply, compare } = yield* ReadModels
      const mine = model()
      const events = placed(0, said("ada", "a", "b", "c"))
      const [build] = yield* apply([yield* live(mine)], events, end(events))
      const more = placed(3, said("ada", "d"))
      const rebuilt = yield* begin(mine)
      const [begun, open] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const comparing = yield* Effect.forkChild(
        compare(
          mine,
          (held) =>
            Effect.andThen(
              Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(open)),
              Effect.map(apply([rebuilt], events.slice(0, 1), held.position), ([brought]) => brought!)
            ),
          1
        )
      )
      yield* Deferred.await(begun)
      const moving = yield* Effect.forkChild(apply([build!], more, end(more)))
      for (const _ of upTo(50)) yield* Effect.yieldNow
      assert.isUndefined(moving.pollUnsafe())
      yield* Deferred.succeed(open, undefined)
      const { differences, live: held } = yield* Fiber.join(comparing)
      assert.strictEqual(held.position, end(events))
      assert.deepStrictEqual(
        differences.map(({ id, rebuilt }) => [id, rebuilt]),
        [["ada b", null]]
      )
      yield* Fiber.join(moving)
      assert.strictEqual((yield* live(mine)).position, end(more))
    })
  )

  it.effect("a build that is promoted is the live one, and the one before can't be moved on", () =>
    Effect.gen(function* () {
      const { live, begin, apply, promote, drop, checkpoints } = yield* ReadModels
      const mine = model()
      const events = placed(0, said("ada", "a"))
      const [build] = yield* apply([yield* live(mine)], events, end(events))
      const next = yield* begin(mine)
      yield* promote(mine, (held) => Effect.map(apply([next], [], held.position), ([brought]) => brought!))
      assert.strictEqual((yield* live(mine)).build, next.build)
      assert.deepStrictEqual(
        [...(yield* checkpoints([mine])).values()],
        [{ position: end(events), changed: end(events) }]
      )
      assert.strictEqual((yield* Effect.flip(apply([build!], [], positionOf(90))))._tag, "BuildMoved")
      yield* drop(build!)
      assert.deepStrictEqual(yield* rowsOf(mine), {})
    })
  )

  it.effect("what is kept of a build is there until it is forgotten, and the build is gone", () =>
    Effect.gen(function* () {
      const { live, begin, apply, keep, forget } = yield* ReadModels
      const mine = model()
      yield* live(mine)
      const events = placed(0, said("ada", "a", "b"))
      const [build] = yield* apply([yield* begin(mine)], events, end(events))
      const schema = fresh("kept").replaceAll("-", "_")
      assert.deepStrictEqual(yield* keep(build!, schema), [
        { table: "words", name: `${schema}.${mine.name}_words`, rows: 2 }
      ])
      assert.strictEqual((yield* Effect.flip(keep(build!, schema)))._tag, "BuildMoved")
      assert.deepStrictEqual([yield* forget(schema), yield* forget(schema)], [true, false])
    })
  )

  it.effect("a build is told as unfinished until it is dropped, kept or live", () =>
    Effect.gen(function* () {
      const { apply, begin, drop, keep, live, promote, unfinished } = yield* ReadModels
      const mine = model("unfinished_of_a_contract", 1)
      const told = Effect.map(unfinished, (all) =>
        all
          .filter(({ projection }) => projection.name === mine.name)
          .map(({ projection: { version, tables }, ...rest }) => ({ ...rest, version, tables }))
      )
      const first = yield* live(mine)
      assert.deepStrictEqual(yield* told, [])
      const begun = yield* begin(mine)
      const [moved] = yield* apply([begun], [], positionOf(7))
      const expected = { build: begun.build, position: positionOf(7), live: false, version: 1, tables: {} }
      assert.deepStrictEqual(yield* told, [expected])
      yield* drop((yield* unfinished).find(({ projection }) => projection.name === mine.name)!)
      assert.deepStrictEqual(yield* told, [])
      assert.strictEqual((yield* Effect.flip(apply([moved!], [], positionOf(8))))._tag, "BuildMoved")
      yield* keep(yield* begin(mine), fresh("unfinished").replaceAll("-", "_"))
      assert.deepStrictEqual(yield* told, [])
      const next = yield* begin(mine)
      yield* promote(mine, () => Effect.succeed(next))
      // the one whose place it took
      assert.deepStrictEqual(
        (yield* told).map(({ build }) => build),
        [first.build]
      )
    })
  )

  it.effect("a version that nobody moves is retired, and one that has moved is not", () =>
    Effect.gen(function* () {
      const { live, apply, others, retire, checkpoints } = yield* ReadModels
      const [old, now] = [model("retired_of_a_contract", 1), model("retired_of_a_contract", 2)]
      const build = yield* live(old)
      yield* live(now)
      const mine = Effect.map(others([now]), (found) => found.filter(({ name }) => name === old.name))
      const [found] = yield* mine
      assert.deepStrictEqual(found, { name: old.name, version: 1, position: 0 as Position })
      yield* apply([build], [], positionOf(10))
      assert.isFalse(yield* retire(found!))
      assert.isTrue(yield* retire((yield* mine)[0]!))
      assert.deepStrictEqual([...(yield* checkpoints([old, now])).keys()], [schemaOf(now)])
    })
  )

  it.effect("of two that move a reaction on from one place, one does", () =>
    Effect.gen(function* () {
      const { reaction, advance } = yield* ReadModels
      const name = fresh("reaction")
      for (const round of upTo(10)) {
        const from = yield* reaction(name)
        assert.strictEqual(from, positionOf(round * 5))
        const moved = upTo(2).map(() => advance(name, from, positionOf((round + 1) * 5)))
        assert.sameMembers(yield* Effect.all(moved, { concurrency: "unbounded" }), [true, false])
      }
    })
  )

  it.effect("of several that are moved on at once, those move that stood where that was thought", () =>
    Effect.gen(function* () {
      const { reaction, advance, advanceAll } = yield* ReadModels
      const [one, other, moved, unknown] = [fresh("one"), fresh("other"), fresh("moved"), fresh("unknown")]
      const [from, to] = [yield* reaction(one), positionOf(7)]
      yield* reaction(other)
      yield* advance(moved, yield* reaction(moved), positionOf(3))
      const went = yield* advanceAll([one, other, moved, unknown].map((name) => ({ name, from, to })))
      // a name that nobody has asked for has no place yet, or stands at the beginning
      assert.sameMembers(
        [...went].filter((name) => name !== unknown),
        [one, other]
      )
      assert.deepStrictEqual(yield* Effect.forEach([one, other, moved], reaction), [to, to, positionOf(3)])
      assert.deepStrictEqual(yield* advanceAll([]), new Set())
    })
  )
}

/**
 * What every store of read models must do, with pages so small that hardly anything fits into one; each adapter's test
 * is this and a layer.
 */
export const contract = <E>(name: string, models: Layer.Layer<ReadModels, E>) =>
  layer(Layer.fresh(models).pipe(Layer.provide(small)), { excludeTestServices: true })(`ReadModels (${name})`, tests)
