import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { positionOf } from "#engine/Position.ts"
import * as Belonging from "#infra/kurrent/belonging.ts"
import { Kurrent } from "#infra/kurrent/client.ts"
import * as Intake from "#infra/kurrent/copy/intake.ts"
import * as Source from "#infra/kurrent/copy/source.ts"
import * as KurrentEventStore from "#infra/kurrent/layer.ts"
import { type MaxAge, MaxAges } from "#infra/kurrent/retention.ts"
import * as KurrentTexts from "#infra/kurrent/texts.ts"
import { begin } from "#infra/postgres/copy/target.ts"
import { type CopiedEvent, LogIntake, LogSource } from "#ports/LogCopy.ts"
import { freshClient } from "#test/infra/stores.ts"
import { startedDouble } from "#test/kurrent/stores.ts"
import { cutting, step } from "./cutting.ts"
import { contract, type Knife } from "./LogIntake.contract.ts"
import { asOf, randomLog } from "./randomLog.ts"

const cuttingCalls = ({ append, readStream, ...kurrent }: Kurrent["Service"], knife: Knife): Kurrent["Service"] => ({
  ...kurrent,
  append: (...given) => step(append(...given), knife),
  readStream: (...given) => step(readStream(...given), knife)
})

/** Intakes on one empty store, each of another process. */
const opened = (knife: Knife, maxAges: ReadonlyArray<MaxAge> = []) =>
  Effect.gen(function* () {
    const double = yield* startedDouble
    yield* Effect.addFinalizer(() => Effect.sync(() => assert.deepStrictEqual(double.refused, [])))
    const client = yield* Layer.build(freshClient)
    yield* Effect.provide(begin({ secret: "secret", positions: "abcd" }, "kurrentdb"), client)
    const given = Layer.succeedContext(client)
    const log = yield* Layer.build(
      Layer.provideMerge(Belonging.layer, Layer.merge(given, Kurrent.layer(Redacted.make(double.url))))
    )
    const read = Source.layer.pipe(
      Layer.provide(KurrentEventStore.layer),
      Layer.provide(Layer.succeedContext(log)),
      Layer.provide(given)
    )
    const sql = cutting(Context.get(client, PgClient.PgClient), knife)
    const cut = Layer.mergeAll(
      Layer.succeedContext(log),
      Layer.succeed(PgClient.PgClient, sql),
      Layer.succeed(Kurrent, cuttingCalls(Context.get(log, Kurrent), knife)),
      Layer.succeed(MaxAges, maxAges)
    )
    const taking = Intake.layer.pipe(Layer.provide(KurrentTexts.layer), Layer.provide(cut))
    return { double, layer: Layer.fresh(Layer.merge(read, taking)).pipe(Layer.provide(Logger.layer([]))) }
  })

contract("KurrentDB, a double of its protocol", {
  opened: (_source, knife) => Effect.map(opened(knife), ({ layer }) => layer)
})

describe("a copy into KurrentDB", () => {
  const log = asOf(randomLog("into KurrentDB", 20), 1_000)
  const first = log[0]!

  it.live("tells a stream that is kept for a time so before its first event", () =>
    Effect.gen(function* () {
      const { double, layer } = yield* opened({ left: undefined }, [{ streams: first.stream, seconds: 60 }])
      yield* Effect.provide(
        Effect.flatMap(LogIntake, ({ take }) => take(log)),
        layer
      )
      assert.strictEqual(double.records.maxAge(first.stream), 60)
      const [told] = double.records.stream(`$$${first.stream}`)
      assert.isBelow(told!.position, double.records.stream(first.stream)[0]!.position)
      const other = log.find(({ stream }) => stream !== first.stream)!
      assert.isUndefined(double.records.maxAge(other.stream))
    }).pipe(Effect.scoped)
  )

  it.live("is refused where another event stands in the place of one, and goes no further", () =>
    Effect.gen(function* () {
      const { double, layer } = yield* opened({ left: undefined })
      const { stream, type } = first
      const taken = (...events: ReadonlyArray<CopiedEvent>) =>
        Effect.provide(
          Effect.flatMap(LogIntake, ({ take }) => take(events)),
          layer
        )
      const refused = Effect.fnUntraced(function* (event: CopiedEvent) {
        const length = double.records.stream(stream).length
        const next = { ...event, revision: event.revision + 1, eventId: crypto.randomUUID() }
        const { message } = yield* Effect.flip(taken(event, next))
        const place = `revision ${event.revision} of ${stream}`
        assert.include(message, `${place} can't be copied: another event stands in its place`)
        assert.lengthOf(double.records.stream(stream), length)
      })
      // of this log, and with another id
      yield* taken(first)
      yield* refused({ ...first, position: positionOf(1_000), eventId: crypto.randomUUID() })
      // with this id, and not of this log
      const id = crypto.randomUUID()
      double.foreign(stream, [{ id, type }])
      yield* refused({ ...first, position: positionOf(1_000), revision: 1, eventId: id })
    }).pipe(Effect.scoped)
  )

  it.live("finds an event by its revision, and no other in its stead", () =>
    Effect.gen(function* () {
      const { double, layer } = yield* opened({ left: undefined }, [{ streams: first.stream, seconds: 60 }])
      yield* Effect.gen(function* () {
        const { take } = yield* LogIntake
        const { find } = yield* LogSource
        const own = log.filter(({ stream }) => stream === first.stream)
        const last = own.at(-1)!
        yield* take(log.slice(0, log.indexOf(last)))
        assert.strictEqual((yield* find(first.stream, 0))?.eventId, first.eventId)
        assert.isUndefined(yield* find(first.stream, last.revision))
        double.records.now = () => Date.now() + 61_000
        yield* take(log.slice(log.indexOf(last)))
        // those before the last one are not told any more
        assert.strictEqual((yield* find(first.stream, last.revision))?.eventId, last.eventId)
        assert.isUndefined(yield* find(first.stream, 0))
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )
})
