import { Deferred, Effect, Layer, type Scope, Semaphore } from "effect"
import { inSteps } from "#engine/pages.ts"
import type { Steps } from "#engine/steps.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { type IndexChanges, type IndexedSnippet, type IndexStand, SnippetIndex } from "#ports/SnippetIndex.ts"
import { unlessGivenUp } from "../givenUp.ts"
import { Index } from "./Index.ts"
import { type Comparing, comparing } from "./Nearness.ts"
import { type KeepingOptions, keeping, type Origin, originHere } from "./snapshot/keeping.ts"

export { forget, readEarly } from "./snapshot/keeping.ts"

/** Milliseconds for which changes are taken in before others get a turn. */
const long = 5
/** Terms that are counted before others get a turn: with thousands of homes, some milliseconds. */
const counted = 1_000

/** The same steps; throws `GivenUp` behind one if nobody waits for the rest. */
function* unlessLeft<A>(steps: Steps<A>): Steps<A> {
  for (;;) {
    unlessGivenUp()
    const { done, value } = steps.next()
    if (done) return value
    yield
  }
}

/** Whether a snippet was taken. Whatever is wrong with one must not keep the others from being found. */
const taken = (index: Index, snippet: IndexedSnippet): boolean => {
  try {
    return index.put(snippet)
  } catch {
    return false
  }
}

const nothing: IndexStand = { build: undefined, position: 0 }

/** What an index of this process is made of. `keep` begins to keep a snapshot of it. */
interface Made {
  readonly how: Comparing
  readonly dimensions: number
  readonly keep: (given: Parameters<typeof keeping>[2]) => Effect.Effect<Kept, never, Scope.Scope>
}

type Kept = Effect.Success<ReturnType<typeof keeping>>

/** No snapshot is kept. */
const unkept: Kept = { restored: Effect.undefined, gone: () => undefined, took: () => Effect.void }

const make = Effect.fnUntraced(function* ({ how, dimensions, keep }: Made) {
  let index = new Index(dimensions, how)
  const one = yield* Semaphore.make(1)
  // what a search looks at stays as it is until it ends. Searches first queue for `search`, one by one, so that changes
  // wait at `look` for one search and not for all
  const search = yield* Semaphore.make(1)
  const look = yield* Semaphore.make(1)
  const inLine = (yield* Semaphore.make(1)).withPermits(1)
  const beforeIt = (yield* Semaphore.make(1)).withPermits(1)
  /** Takes all steps. Whenever 5 ms have gone by, lets whoever waits look at the index. */
  const changing = Effect.fnUntraced(function* (steps: Steps<void>) {
    const some = Effect.sync(() => {
      const until = performance.now() + long
      for (let step = steps.next(); !step.done; step = steps.next()) if (performance.now() >= until) return false
      return true
    })
    while (!(yield* look.withPermits(1)(some))) yield* Effect.yieldNow
  })
  let stand = nothing
  const refused = new Set<string>()
  /** While another build comes in: how far the one before it had come, and what the new one has so far. */
  let anew: { readonly bar: number; readonly has: Set<string> } | undefined
  /** Whether it has all changes up to where it stands, and none beyond. */
  let isWhole = true
  let waiting = 0

  const kept = yield* keep({
    dimensions,
    how,
    one,
    isWanted: () => waiting > 0,
    standing: () => {
      const { build, position } = stand
      if (build === undefined || anew !== undefined || !isWhole) return undefined
      return { index, build, position, refused: [...refused] }
    }
  })
  const begun = yield* Deferred.make<void>()
  const begin = Effect.map(kept.restored, (found) => {
    if (found === undefined) return
    index = found.index
    stand = { build: found.head.build, position: found.head.position }
    for (const id of found.head.refused) refused.add(id)
  })
  // without a snapshot, it is there at once
  yield* Effect.forkScoped(Effect.ensuring(begin, Deferred.succeed(begun, undefined)), { startImmediately: true })

  const take = (snippet: IndexedSnippet) => {
    anew?.has.add(snippet.id)
    const had = index.termsOf(snippet.id)
    if (taken(index, snippet)) refused.delete(snippet.id)
    else refused.add(snippet.id)
    // most snippets are new
    if (had.length === 0) return
    const has = new Set(index.termsOf(snippet.id))
    if (had.some((term) => !has.has(term))) kept.gone()
  }
  const remove = (id: string) => {
    anew?.has.delete(id)
    refused.delete(id)
    index.remove(id)
    // a snapshot may have what this index does not: one that could not be read, or another process's
    kept.gone()
  }

  function* taking({ put, voted, removed }: IndexChanges): Steps<void> {
    for (const snippet of put) {
      yield* index.growing(snippet)
      take(snippet)
      yield
    }
    for (const { id, ...given } of voted) {
      index.vote(id, given)
      yield
    }
    for (const id of removed) {
      remove(id)
      yield
    }
  }
  /** Removes all snippets but these. */
  function* removingOthers(some: ReadonlySet<string>): Steps<void> {
    // removing what the walk has passed does not disturb it
    for (const id of index.ids()) {
      if (!some.has(id)) remove(id)
      yield
    }
  }

  const apply: SnippetIndex["Service"]["apply"] = Effect.fnUntraced(function* (changes, upTo) {
    if (stand.build === upTo.build && upTo.position <= stand.position) return { refused: [] }
    if (stand.build !== undefined && stand.build !== upTo.build) {
      anew = { bar: anew?.bar ?? stand.position, has: new Set() }
      refused.clear()
    }
    isWhole = false
    yield* changing(unlessLeft(taking(changes)))
    if (anew !== undefined && upTo.position >= anew.bar) {
      yield* changing(unlessLeft(removingOthers(anew.has)))
      anew = undefined
    }
    stand = upTo
    isWhole = true
    return { refused: changes.put.flatMap(({ id }) => (refused.has(id) ? [id] : [])) }
  })

  return SnippetIndex.of({
    apply: (changes, upTo) =>
      Effect.suspend(() => {
        waiting++
        const { put, voted, removed } = changes
        return apply(changes, upTo).pipe(
          // whatever was taken in, and whether or not it was finished
          Effect.ensuring(Effect.suspend(() => kept.took(put.length + voted.length + removed.length))),
          one.withPermits(1),
          Effect.ensuring(Effect.sync(() => waiting--))
        )
      }).pipe((applied) => Effect.andThen(Deferred.await(begun), applied)),
    stand: Effect.map(Deferred.await(begun), () => (refused.size === 0 ? stand : { ...stand, refused: [...refused] })),
    candidates: (query, most) =>
      Effect.suspend(() => inSteps(unlessLeft(index.searching(query, most)))).pipe(
        look.withPermits(1),
        search.withPermits(1)
      ),
    frequencies: Effect.fnUntraced(function* (scope, terms) {
      const counts: Array<number> = []
      for (let from = 0; from < terms.length; from += counted) {
        if (from > 0) yield* Effect.yieldNow
        counts.push(...index.frequencies(scope, terms.slice(from, from + counted)))
      }
      return counts
    }),
    inLine: (search, isLong) => (isLong ? beforeIt(inLine(search)) : inLine(search)),
    mayHave: (term) => index.mayHave(term),
    size: Effect.sync(() => index.size)
  })
})

/**
 * The index in this thread. A snippet takes some three quarters of a kilobyte, a third of it for its vector. The index
 * starts empty; its feeder fills it from the catalogue. `dimensions`: the numbers of its vectors, if not the table's.
 */
export const comparingBy = (how: Comparing, dimensions?: number) =>
  Layer.effect(
    SnippetIndex,
    Effect.gen(function* () {
      const keep = () => Effect.succeed(unkept)
      return yield* make({ how, dimensions: dimensions ?? (yield* Embeddings).dimensions, keep })
    })
  )

/** The same, with `comparing` as it was measured. */
export const layer = comparingBy(comparing)

/** The same for vectors of this many numbers. */
export const layerOf = (dimensions: number) => comparingBy(comparing, dimensions)

/** The same, which begins where a snapshot on the disk stands, and keeps one of this log (docs/decisions/0103). */
export const layerOfLog = (origin: Origin, options: KeepingOptions, how: Comparing = comparing) =>
  Layer.effect(
    SnippetIndex,
    Effect.gen(function* () {
      const { dimensions } = yield* Embeddings
      return yield* make({ how, dimensions, keep: (given) => keeping(options, origin, given) })
    })
  )

/** The same for the log of this process. */
export const layerKept = (options: KeepingOptions, how: Comparing = comparing) =>
  Layer.unwrap(Effect.map(originHere, (origin) => layerOfLog(origin, options, how)))
