import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { vi } from "vitest"
import { asked } from "#domain/search/query.ts"
import { Index } from "#infra/search/memory/Index.ts"
import { comparingBy } from "#infra/search/memory/layer.ts"
import { comparing } from "#infra/search/memory/Nearness.ts"
import { Pace } from "#infra/search/memory/Pace.ts"
import { Postings } from "#infra/search/memory/Postings.ts"
import { VectorMemory } from "#infra/search/memory/VectorMemory.ts"
import { type IndexChanges, type IndexQuery, SnippetIndex } from "#ports/SnippetIndex.ts"
import { embeddings, encoder } from "#test/embeddings.ts"
import { corpus, queries, queryOf, snippetOf } from "#test/evaluation.ts"
import { searching } from "#test/searching.ts"

const tasks = [...queries("agent30"), ...queries("mbpp")].map(({ text }) => text)
const long = tasks.slice(0, 40).join(". ")
const real = [...corpus("agent30"), ...corpus("mbpp")].map((document) => snippetOf(document))

const questionOf = (task: string, rest: Partial<IndexQuery> = {}): IndexQuery => {
  const { limit: _limit, task: _task, ...query } = queryOf(task)
  return { ...query, asked: asked(task, encoder), ...rest }
}

const ways = [
  ["all are compared", comparing],
  ["the nearest are", { exactUpTo: 0, share: 0.05 }]
] as const

/** What is looked at in each step of a search: vectors, and snippets that have a term. */
const lookedAt = (index: Index, query: IndexQuery) => {
  const steps: Array<{ readonly vectors: number; readonly postings: number }> = []
  let now = { vectors: 0, postings: 0 }
  const { compare, compareListed, estimate } = VectorMemory.prototype
  const { of } = Postings.prototype
  const spies = [
    vi.spyOn(VectorMemory.prototype, "compare").mockImplementation(function (this: VectorMemory, ...given) {
      now.vectors += given[2]
      return compare.apply(this, given)
    }),
    vi.spyOn(VectorMemory.prototype, "compareListed").mockImplementation(function (this: VectorMemory, ...given) {
      now.vectors += given[4] - given[3]
      return compareListed.apply(this, given)
    }),
    vi.spyOn(VectorMemory.prototype, "estimate").mockImplementation(function (this: VectorMemory, ...given) {
      now.vectors += given[1]
      return estimate.apply(this, given)
    }),
    vi.spyOn(Postings.prototype, "of").mockImplementation(function (this: Postings, term) {
      const found = of.call(this, term)
      now.postings += found === undefined ? 0 : (found.to - found.from) / 2
      return found
    })
  ]
  const searching = index.searching(query, 50)
  for (let isDone = false; !isDone; ) {
    isDone = searching.next().done === true
    steps.push(now)
    now = { vectors: 0, postings: 0 }
  }
  for (const spy of spies) spy.mockRestore()
  return steps
}

/** Whoever searches is interrupted as often as can be: so many milliseconds are over at each look at the clock. */
const interrupted = (later: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let now = 0
      return [
        vi.spyOn(Pace.prototype, "isDue").mockReturnValue(true),
        vi.spyOn(performance, "now").mockImplementation(() => (now += later))
      ]
    }),
    (spies) => Effect.sync(() => spies.forEach((spy) => spy.mockRestore()))
  )

describe("a search in memory", () => {
  it.each(ways)("looks at so much of a store before it may leave off, however large that is (%s)", (_, how) => {
    const copies = 25
    const due = vi.spyOn(Pace.prototype, "isDue").mockReturnValue(true)
    const index = new Index(128, how)
    for (let copy = 0; copy < copies; copy++)
      for (const snippet of real) index.put({ ...snippet, id: `${snippet.id}-${copy}` })
    const steps = lookedAt(index, questionOf(long))
    due.mockRestore()
    const [vectors, postings] = [steps.map((step) => step.vectors), steps.map((step) => step.postings)]
    const sum = (some: ReadonlyArray<number>) => some.reduce((all, one) => all + one, 0)
    // some blocks, and one term's list
    assert.isAtMost(Math.max(...vectors), 8 * 1_024)
    assert.isAtMost(Math.max(...postings), index.size)
    assert.isAbove(sum(vectors), 2 * 8 * 1_024)
    assert.isAbove(sum(postings), 10 * index.size)
  })

  it.each(ways)("may leave off wherever what it looks at grows with the store (%s)", (_, how) => {
    const index = new Index(128, how)
    for (const snippet of real) index.put(snippet)
    const places = new Set<string | undefined>()
    const due = vi.spyOn(Pace.prototype, "isDue").mockImplementation(() => {
      places.add(/memory[/](?!Pace)(\w+)[.]ts/.exec(new Error().stack ?? "")?.[1])
      return false
    })
    Array.from(index.searching(questionOf("median of a list"), 50))
    due.mockRestore()
    assert.sameMembers([...places], ["candidates", "passing", "Nearness", "Contest", "Finals"])
  })

  it.effect.each(ways)("finds what it would alone, while others search and change what there is (%s)", ([, how]) =>
    Effect.gen(function* () {
      const index = yield* SnippetIndex
      const change = (position: number, some: Partial<IndexChanges>) =>
        index.apply({ put: [], voted: [], removed: [], ...some }, { build: 1, position })
      const search = (task: string) => index.candidates(questionOf(task), 50)
      const some = [long, ...tasks.slice(0, 20)]
      const going = real.slice(0, 1)
      yield* change(1, { put: real })
      const before = yield* Effect.forEach(some, search)
      yield* change(2, { removed: going.map(({ id }) => id) })
      const after = yield* Effect.forEach(some, search)
      assert.notDeepEqual(after, before)
      yield* change(3, { put: going })

      yield* interrupted(1.5)
      const ended: Array<string> = []
      const begun = <A, E>(name: string, effect: Effect.Effect<A, E>) =>
        Effect.forkChild(
          Effect.tap(effect, () => Effect.sync(() => ended.push(name))),
          { startImmediately: true }
        )
      const first = yield* begun("first", search(some[0]!))
      const others = yield* Effect.forEach(some, (task) => begun("another", search(task)))
      const changed = yield* begun("changed", change(4, { removed: going.map(({ id }) => id) }))
      assert.deepStrictEqual(yield* Fiber.join(first), before[0])
      yield* Fiber.join(changed)
      // changes wait for the search that is under way, and not for those that wait themselves
      assert.deepStrictEqual(ended, ["first", "changed"])
      assert.deepStrictEqual(yield* Fiber.joinAll(others), after)
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(comparingBy(how), embeddings)))
  )

  it.effect("begins when those before it have ended: what waits is not read yet", () =>
    Effect.gen(function* () {
      const { put, search } = yield* searching
      yield* put(real)
      const some = tasks.slice(0, 3)
      const alone = yield* Effect.forEach(some, (task) => search(queryOf(task)))

      const seen: Array<string> = []
      const { query } = encoder
      const read = vi.spyOn(encoder, "query").mockImplementation((text) => {
        seen.push(`begins ${text}`)
        return query(text)
      })
      yield* interrupted(10)
      yield* Effect.addFinalizer(() => Effect.sync(() => read.mockRestore()))
      const together = yield* Effect.forEach(
        some,
        (task) => Effect.tap(search(queryOf(task)), () => Effect.sync(() => seen.push(`ends ${task}`))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(together, alone)
      assert.deepStrictEqual(
        seen,
        some.flatMap((task) => [`begins ${task}`, `ends ${task}`])
      )
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(comparingBy(comparing), embeddings)))
  )

  it.effect("of a long task is in line one at a time: others wait for no more than one of them", () =>
    Effect.gen(function* () {
      const { put, search } = yield* searching
      yield* put(real)
      const ended: Array<string> = []
      const some = [
        ["long", long],
        ["another long", `${long}.`],
        ["third long", `${long}!`],
        ["short", tasks[0]!],
        ["another", tasks[1]!]
      ] as const
      // also where one is over before the next begins, everyone comes before it ends
      yield* interrupted(10)
      yield* Effect.forEach(
        some,
        ([name, task]) => Effect.tap(search(queryOf(task)), () => Effect.sync(() => ended.push(name))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(ended, ["long", "short", "another", "another long", "third long"])
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(comparingBy(comparing), embeddings)))
  )

  it.effect("that nobody waits for any more leaves nothing to the next one", () =>
    Effect.gen(function* () {
      const index = yield* SnippetIndex
      yield* index.apply({ put: real, voted: [], removed: [] }, { build: 1, position: 1 })
      const expected = yield* index.candidates(questionOf(tasks[0]!), 50)
      yield* interrupted(10)
      for (let turns = 0; turns < 60; turns += 3) {
        const fiber = yield* Effect.forkChild(index.candidates(questionOf(long), 50), { startImmediately: true })
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* index.candidates(questionOf(tasks[0]!), 50), expected)
      }
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(comparingBy(ways[1][1]), embeddings)))
  )
})
