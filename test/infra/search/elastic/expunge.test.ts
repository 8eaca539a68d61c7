import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Engine } from "#infra/search/elastic/Engine.ts"
import { makeExpunge } from "#infra/search/elastic/expunge.ts"
import { IndexUnavailable } from "#ports/SnippetIndex.ts"

/** Milliseconds between two tellings of all copies what they need not keep for each other. */
const telling = 30_000

/**
 * An Elasticsearch of two copies which is written to all the time, twice a second, so that some deleted document is
 * always left.
 */
const busy = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const writes = () => Math.floor(clock.currentTimeMillisUnsafe() / 500)
  const merges: Array<number> = []
  let [looks, flushes, tellings] = [0, 0, 0]
  const at = { isAway: false, failed: 0, merging: 0, deleted: 7, isBehind: false, closed: 0 }
  let committed = -1
  const copy = () => {
    const told = Math.floor(clock.currentTimeMillisUnsafe() / telling) * (telling / 500)
    return {
      seq_no: { max_seq_no: writes(), global_checkpoint: at.isBehind ? -1 : writes() },
      retention_leases: { leases: [{ retaining_seq_no: writes() }, { retaining_seq_no: told }] },
      commit: { user_data: { local_checkpoint: `${committed}`, max_seq_no: `${committed}` } },
      merges: { current: at.merging }
    }
  }
  const engine = {
    ask: ({ path }) =>
      Effect.suspend((): Effect.Effect<never, IndexUnavailable> => {
        looks++
        if (at.isAway) return Effect.fail(new IndexUnavailable({ fault: "away" }))
        if (path.endsWith("/_flush")) {
          flushes++
          committed = writes()
        }
        if (path.includes("/_stats/")) tellings++
        if (path.endsWith("/_forcemerge")) merges.push(clock.currentTimeMillisUnsafe())
        const failed = path.endsWith("/_forcemerge") ? at.failed : 0
        const { seq_no, ...other } = copy()
        const copies = [copy(), tellings <= at.closed ? other : { seq_no, ...other }]
        const indices = { one: { uuid: "uuid", shards: { "0": copies } } }
        const _all = { total: { docs: { deleted: at.deleted } } }
        return Effect.succeed({
          status: 200,
          body: { _shards: { successful: 2 - failed, failed }, _all, indices }
        } as never)
      })
  } as Engine
  return { engine, merges, at, looks: () => looks, flushes: () => flushes }
})

/** Until nothing is asked any more, or for a day. */
const settled = Effect.fnUntraced(function* (looks: () => number) {
  for (let [before, hour] = [-1, 0]; before !== looks() && hour < 23; hour++) {
    before = looks()
    yield* TestClock.adjust("1 hour")
  }
})

describe("what was deleted from an index that is written to all the time", () => {
  it.effect("goes with one merge, which begins when no copy keeps it for another", () =>
    Effect.gen(function* () {
      const { engine, merges, looks } = yield* busy
      yield* TestClock.adjust("5 seconds")
      const erased = yield* makeExpunge(engine, "snippets")
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(merges, [])
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(merges, 1)
      assert.isAtLeast(merges[0]!, telling)
      const before = looks()
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(looks(), before)

      const next = Math.ceil((yield* Clock.currentTimeMillis) / telling) * telling
      erased()
      yield* settled(looks)
      assert.lengthOf(merges, 2)
      assert.isAtLeast(merges[1]!, next)
    })
  )

  it.effect("is looked at again a day later, for a copy that was away", () =>
    Effect.gen(function* () {
      const { engine, merges, looks } = yield* busy
      yield* makeExpunge(engine, "snippets")
      yield* settled(looks)
      assert.lengthOf(merges, 1)
      yield* TestClock.adjust("25 hours")
      assert.lengthOf(merges, 2)
    })
  )

  it.effect("is tried ever less often while a copy does not merge, or Elasticsearch is away", () =>
    Effect.gen(function* () {
      const { engine, merges, at, looks } = yield* busy
      at.failed = 1
      yield* makeExpunge(engine, "snippets")
      yield* TestClock.adjust("1 hour")
      assert.isAbove(merges.length, 1)
      assert.isAtMost(merges.length, 3_600 / 30)
      at.isAway = true
      const [before, merged] = [looks(), merges.length]
      yield* TestClock.adjust("1 hour")
      assert.isAtMost(looks() - before, 3_600 / 30)
      at.isAway = false
      at.failed = 0
      yield* settled(looks)
      assert.lengthOf(merges, merged + 1)
    })
  )

  it.effect("waits for merges that began before, and for no merge where nothing is left", () =>
    Effect.gen(function* () {
      const { engine, merges, at, looks, flushes } = yield* busy
      at.merging = 1
      yield* makeExpunge(engine, "snippets")
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(merges, [])
      const before = flushes()
      at.deleted = 0
      yield* settled(looks)
      assert.deepStrictEqual(merges, [])
      // a merge of its own accord: the files that it left must go all the same
      assert.strictEqual(flushes(), before + 1)
    })
  )

  it.effect("is kept while the files of a copy are ahead of what every copy has", () =>
    Effect.gen(function* () {
      const { engine, merges, at, looks } = yield* busy
      at.isBehind = true
      yield* makeExpunge(engine, "snippets")
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(merges, [])
      at.isBehind = false
      yield* settled(looks)
      assert.lengthOf(merges, 1)
    })
  )

  it.effect("is what was deleted by the time that every copy tells of its writes", () =>
    Effect.gen(function* () {
      const { engine, merges, at, looks } = yield* busy
      // the first two looks are before the copies tell each other, the third, at which both tell us, is after it
      at.closed = 2
      yield* TestClock.adjust("27 seconds")
      yield* makeExpunge(engine, "snippets")
      yield* settled(looks)
      assert.lengthOf(merges, 1)
      assert.isAtLeast(merges[0]!, 2 * telling)
    })
  )
})
