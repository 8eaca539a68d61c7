import { assert, it } from "@effect/vitest"
import { Clock, Effect, Exit, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Asker, longPatience, Stale, Unreadable } from "#engine/ask.ts"
import { beginning, positionOf } from "#engine/Position.ts"
import { schemaOf } from "#engine/Projection.ts"
import { Installation } from "#ports/Installation.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { keysAreThere } from "#src/keys/keysAreThere.ts"

const head = positionOf(1_000)
const keys = schemaOf(Keys)
const standing = (at: number) => ({ position: positionOf(at), changed: beginning, due: head })

/** What a start meets, by the milliseconds since it began. */
interface Course {
  /** When the keys' read model has come along. */
  readonly there: number
  /** Where read models stand. */
  readonly at: (now: number) => { readonly [name: string]: number }
  /** What comes of a read before. */
  readonly fails: () => Effect.Effect<never, Stale | Unreadable>
  /** Whether it comes at once, and not when the read has waited. */
  readonly atOnce?: boolean
  /** The log's head, where that moves on. */
  readonly head?: (now: number) => number
  /** Whether looks are answered. */
  readonly looks?: boolean
}

const stale = (away: boolean) => Effect.fail(new Stale({ name: keys, standing: standing(0), away }))

const asked = (
  { there, at, fails, atOnce = false, head: grown = () => 1_000, looks = true }: Course,
  began: number
) => {
  const since = Effect.map(Clock.currentTimeMillis, (now) => now - began)
  return Asker.of({
    fresh: (_, patience = 0) =>
      Effect.gen(function* () {
        const left = there - (yield* since)
        if (left > patience) return yield* Effect.andThen(Effect.sleep(atOnce ? 0 : patience), fails())
        yield* Effect.sleep(Math.max(0, left))
        return standing(1_000)
      }),
    freshBy: () => stale(false),
    seen: () => Effect.undefined,
    look: Effect.flatMap(since, (now) => {
      const models = new Map(Object.entries(at(now)).map(([name, position]) => [name, standing(position)]))
      return looks ? Effect.succeed({ head: positionOf(grown(now)), models, away: false }) : Effect.never
    })
  })
}

/** How a start ended within so many minutes, when, and what it has said. */
const started = Effect.fnUntraced(function* (course: Course, minutes: number) {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${[message].flat()[0]}`))
  const ended: Array<{ readonly seconds: number; readonly why: string | undefined }> = []
  const began = yield* Clock.currentTimeMillis
  yield* keysAreThere.pipe(
    Effect.provideService(Asker, asked(course, began)),
    Effect.provideService(Installation, { secret: "s" }),
    Effect.provide(Logger.layer([logger])),
    Effect.exit,
    Effect.flatMap((exit) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        ended.push({ seconds: (now - began) / 1_000, why: Exit.isSuccess(exit) ? undefined : String(exit.cause) })
      })
    ),
    Effect.forkChild
  )
  for (let second = 0; second < 60 * minutes; second++) yield* TestClock.adjust("1 second")
  return { end: ended[0], lines }
})

const nowhere = () => ({ [keys]: 0 })

it.effect("a start waits for the keys while their read model or the log is away", () =>
  Effect.gen(function* () {
    let reads = 0
    const fails = () => [stale(true), Effect.fail(new Unreadable()), stale(false)][reads++ % 3]!
    const { end } = yield* started({ there: 50_000, at: nowhere, fails }, 2)
    assert.deepStrictEqual(end, { seconds: 50, why: undefined })
  })
)

it.effect("a start gives the keys up a minute after any read model has moved on, and not before", () =>
  Effect.gen(function* () {
    const never = { there: Number.POSITIVE_INFINITY, fails: () => stale(false) }
    const { end } = yield* started({ ...never, at: nowhere }, 2)
    assert.include(end?.why, "does not catch up")
    assert.closeTo(end!.seconds, 60.5, 0.5)
    // another one goes before it, and stands still after three minutes
    const at = (now: number) => ({ ...nowhere(), other: Math.min(now, 180_000) / 180 })
    const late = yield* started({ ...never, at }, 6)
    assert.include(late.end?.why, "does not catch up")
    assert.closeTo(late.end!.seconds, 240, longPatience / 1_000 + 1)
    // what was not in the log yet when it began has no end
    const head = (now: number) => 1_000 + now
    const busy = yield* started({ ...never, head, at: (now) => ({ ...nowhere(), other: 1_000 + now }) }, 2)
    assert.closeTo(busy.end!.seconds, 60.5, 0.5)
  })
)

it.effect("nor does a start wait for an answer that never comes", () =>
  Effect.gen(function* () {
    const { end } = yield* started({ there: Number.POSITIVE_INFINITY, at: nowhere, fails: () => Effect.never }, 2)
    assert.include(end?.why, "does not catch up")
    assert.isAtMost(end!.seconds, 80)
  })
)

it.effect("nor for a look that is never answered", () =>
  Effect.gen(function* () {
    const never = { there: Number.POSITIVE_INFINITY, at: nowhere, fails: () => stale(false), looks: false }
    const { end } = yield* started(never, 2)
    assert.include(end?.why, "does not catch up")
    assert.isAtMost(end!.seconds, 80)
  })
)

it.effect("where reads fail at once, a start asks five times a second, and says no more than otherwise", () =>
  Effect.gen(function* () {
    let reads = 0
    const fails = () => {
      reads++
      return stale(true)
    }
    const { end, lines } = yield* started({ there: Number.POSITIVE_INFINITY, at: nowhere, fails, atOnce: true }, 2)
    assert.include(end?.why, "does not catch up")
    assert.isAtMost(reads, 5 * 60 + 5)
    assert.isAtMost(lines.length, 6)
  })
)

it.effect("a start waits as long as the keys' read model moves on, and says where it is every ten seconds", () =>
  Effect.gen(function* () {
    // a batch of the log takes half a minute
    const at = (now: number) => ({ [keys]: Math.floor(now / 30_000) * 50 })
    const { end, lines } = yield* started({ there: 590_000, at, fails: () => stale(false) }, 11)
    assert.deepStrictEqual(end, { seconds: 590, why: undefined })
    assert.strictEqual(lines[0], "Info the start waits for the read model of the keys: it is at 0 of 1000")
    assert.include(lines, "Info the start waits for the read model of the keys: it is at 500 of 1000")
    assert.isAtLeast(lines.length, 50)
    assert.isBelow(lines.length, 59)
  })
)

it.effect("a start that needs not wait says nothing", () =>
  Effect.gen(function* () {
    const { end, lines } = yield* started({ there: 5_000, at: nowhere, fails: () => stale(false) }, 1)
    assert.deepStrictEqual([end, lines], [{ seconds: 5, why: undefined }, []])
  })
)
