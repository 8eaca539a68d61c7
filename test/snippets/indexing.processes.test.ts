import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, PubSub } from "effect"
import { SqlClient } from "effect/sql"
import { ReadPatience } from "#engine/ask.ts"
import { makeProcesses, type Process } from "#engine/memory/Claims.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { type IndexStand, IndexUnavailable, SnippetIndex } from "#ports/SnippetIndex.ts"
import { Telling } from "#ports/Telling.ts"
import { Indexing } from "#src/snippets/indexing.ts"
import { catalogue, projector, taken, uploaded } from "./catalogue.ts"

/** What becomes of what a process gives the index. */
type Fate = "is taken" | "is lost" | "never ends"

/** An index of several processes, and who fed it: a process for each place to which it came. */
const makeIndex = () => {
  const fed: Array<number> = []
  const said: Array<string> = []
  /** Who asked it where it is. */
  const asked: Array<number> = []
  const topic = Effect.runSync(PubSub.unbounded<string>())
  const next = makeProcesses()
  let stand: IndexStand = { build: undefined, position: 0 }
  let count = 0
  /** One more process with this index, until the scope closes. */
  const start = Effect.fnUntraced(function* (fate: Fate = "is taken", patience = 600_000) {
    const n = count++
    const claims: Process = next()
    const index = SnippetIndex.of({
      apply: (_, upTo) => {
        if (fate === "never ends") return Effect.never
        if (fate === "is lost") return Effect.fail(new IndexUnavailable({ fault: "it can't be reached from here" }))
        return Effect.sync(() => {
          if (upTo.position <= stand.position) return { refused: [] }
          fed.push(n)
          stand = upTo
          return { refused: [] }
        })
      },
      stand: Effect.sync(() => {
        asked.push(n)
        return stand
      }),
      candidates: () => Effect.die("not asked for"),
      frequencies: () => Effect.die("not asked for"),
      sharedAs: "the same one"
    })
    const telling = Telling.of({
      tell: (about, text) => {
        said.push(`${n} ${about} ${text}`)
        return Effect.asVoid(PubSub.publish(topic, text))
      },
      told: () => PubSub.subscribe(topic)
    })
    const services = yield* Layer.build(
      Indexing.layer.pipe(
        Layer.provide([
          projector,
          Layer.succeed(SnippetIndex, index),
          Layer.succeed(Telling, telling),
          Layer.succeed(Claims, claims),
          Layer.succeed(ReadPatience, patience)
        ])
      )
    )
    return { ...Context.get(services, Indexing), lose: claims.lose }
  })
  /** Somebody has fed it up to there. */
  const come = (position: number) => {
    stand = { build: 1, position }
  }
  return { start, fed, said, asked, come, topic }
}

const some = (...ids: ReadonlyArray<string>) => ids.map((id) => uploaded(id, `def ${id}(): pass`))

it.live(
  "an index of several processes is fed by one, from which the others hear; when that one goes another does",
  () =>
    Effect.gen(function* () {
      const { start, fed, said } = makeIndex()
      yield* taken(some("a", "b", "c"))
      const first = yield* start()
      assert.isTrue(yield* first.reach(3))
      const second = yield* start()
      assert.isTrue(yield* second.reach(3))
      for (let at = 3; at < 8; at++) {
        yield* taken(some(`d${at}`), at)
        assert.isTrue(yield* second.reach(at + 1))
      }
      assert.deepStrictEqual([...new Set(fed)], [0])
      assert.includeMembers(said, ["0 snippet_index 8"])
      assert.isEmpty(said.filter((text) => text.startsWith("1")))
      yield* first.lose
      const before = fed.length
      yield* taken(some("e"), 8)
      assert.isTrue(yield* first.reach(9))
      assert.deepStrictEqual([...new Set(fed.slice(before))], [1])
    }).pipe(Effect.scoped, Effect.provide(catalogue))
)

it.live("who is to feed it and stands still holds up nobody for longer than half of what a read waits", () =>
  Effect.gen(function* () {
    const { start, fed } = makeIndex()
    yield* taken(some("a"))
    yield* start("never ends")
    const second = yield* start("is taken", 10_000)
    assert.isTrue(yield* second.reach(1))
    assert.deepStrictEqual(fed, [1])
  }).pipe(Effect.scoped, Effect.provide(catalogue))
)

it.live("who can't feed it lets another one", () =>
  Effect.gen(function* () {
    const { start, fed } = makeIndex()
    yield* taken(some("a"))
    const first = yield* start("is lost")
    // also who asked it first sees what the other one does
    assert.isFalse(yield* first.reach(1))
    const second = yield* start()
    assert.isTrue(yield* second.reach(1))
    assert.isTrue(yield* Effect.repeat(first.reach(1), { until: (reached) => reached }))
    assert.deepStrictEqual(fed, [1])
  }).pipe(Effect.scoped, Effect.provide(catalogue))
)

it.effect("who waits for another one's feeding goes on as soon as that says how far it has come", () =>
  Effect.gen(function* () {
    const { start, asked, come, topic } = makeIndex()
    yield* start("never ends")
    const second = yield* start()
    const waiting = yield* Effect.forkScoped(second.reach(1))
    // it has looked by itself, in vain, and does not look again: no time passes here
    while (asked.filter((n) => n === 1).length < 2) yield* Effect.yieldNow
    come(1)
    yield* PubSub.publish(topic, "1")
    for (let turns = 0; turns < 1_000 && waiting.pollUnsafe() === undefined; turns++) yield* Effect.yieldNow
    assert.deepStrictEqual(waiting.pollUnsafe(), Exit.succeed(true))
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.succeed(SqlClient.SqlClient, { unsafe: () => Effect.succeed([]) } as never))
  )
)
