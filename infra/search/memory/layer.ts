import { Effect, Layer, Semaphore } from "effect"
import { fields } from "#domain/search/IndexedText.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { type IndexedSnippet, type IndexQuery, type IndexStand, SnippetIndex, type Votes } from "#ports/SnippetIndex.ts"
import { candidates } from "./candidates.ts"
import { Lists } from "./Lists.ts"
import { type Comparing, comparing, Nearness } from "./Nearness.ts"
import { Scratch } from "./Scratch.ts"
import { Segment } from "./Segment.ts"
import { Sieve } from "./Sieve.ts"
import { VectorMemory } from "./VectorMemory.ts"
import { Occurrences } from "./words.ts"

/** Snippets that are put or removed before others get a turn, and characters of their terms: a few milliseconds. */
const slice = 100
const most = 200_000
/** Terms whose snippets are counted before others get a turn: with thousands of homes some milliseconds. */
const counted = 1_000

const tasks = fields.indexOf("exampleQueries")

interface Located {
  readonly segment: Segment
  readonly home: string
  readonly isPublic: boolean
  readonly slot: number
}

/** All segments and where each snippet is. Everything here is synchronous; the layer cuts long work into slices. */
class Index {
  readonly #lists = new Lists()
  readonly #sieve = new Sieve()
  readonly #scratch = new Scratch()
  readonly #occurrences = new Occurrences()
  readonly #private = new Map<string, Segment>()
  readonly #public = new Map<string, Segment>()
  readonly #places = new Map<string, Located>()
  readonly #languages = new Map<string, string>()
  readonly #vectors: VectorMemory
  readonly #nearness: Nearness

  constructor(dimensions: number, how: Comparing) {
    this.#vectors = new VectorMemory(dimensions)
    this.#nearness = new Nearness(this.#vectors, how)
  }

  /** Whether it could be taken; what is refused is out of the index. */
  put(snippet: IndexedSnippet): boolean {
    this.remove(snippet.id)
    // the kernel reads as many numbers as the table's vectors have
    if (snippet.vector !== null && snippet.vector.length !== this.#vectors.dimensions) return false
    const { id, home, isPublic } = snippet
    const segment = this.#segment(home, isPublic)
    // one string for all snippets of a language, not the row's own
    const language = this.#languages.get(snippet.language) ?? snippet.language
    this.#languages.set(language, language)
    this.#places.set(id, { segment, home, isPublic, slot: segment.add({ ...snippet, language }) })
    return true
  }

  remove(id: string): void {
    const place = this.#places.get(id)
    if (place === undefined) return
    const { segment, home, isPublic, slot } = place
    segment.remove(slot)
    this.#places.delete(id)
    if (segment.documents > 0) return
    segment.vectors.free()
    ;(isPublic ? this.#public : this.#private).delete(home)
  }

  get size(): number {
    return this.#places.size
  }

  /** Ids of all that it has. */
  get ids(): Iterable<string> {
    return this.#places.keys()
  }

  vote(id: string, votes: Votes): void {
    const place = this.#places.get(id)
    place?.segment.vote(place.slot, votes)
  }

  candidates(query: IndexQuery, most: number) {
    const { own, others } = this.#seen(query)
    const locate = (id: string) => this.#places.get(id)
    const means = { nearness: this.#nearness, scratch: this.#scratch, occurrences: this.#occurrences, locate }
    return candidates([...own, ...others], query, most, means)
  }

  frequencies(scope: Pick<IndexQuery, "homes" | "includePublic">, terms: ReadonlyArray<string>): ReadonlyArray<number> {
    const { own, others } = this.#seen(scope)
    return terms.map((term) => {
      if (!this.#sieve.mayHave(term)) return 0
      let sum = 0
      for (const { postings } of own) sum += postings.df(term)
      for (const { postings } of others) sum += postings.dfBeside(tasks, term)
      return sum
    })
  }

  mayHave(term: string): boolean {
    return this.#sieve.mayHave(term)
  }

  /** What is searched: all of some homes, and the public ones of all others where they are asked for. */
  #seen({ homes, includePublic }: Pick<IndexQuery, "homes" | "includePublic">) {
    const some = [...new Set(homes)].flatMap((home) => [this.#private.get(home), this.#public.get(home)])
    const own = new Set(some.filter((segment) => segment !== undefined))
    const others = includePublic ? Array.from(this.#public.values()).filter((segment) => !own.has(segment)) : []
    return { own, others }
  }

  #segment(home: string, isPublic: boolean): Segment {
    const segments = isPublic ? this.#public : this.#private
    const found = segments.get(home)
    if (found !== undefined) return found
    const segment = new Segment(this.#lists, this.#vectors, this.#sieve)
    segments.set(home, segment)
    return segment
  }
}

/** Applies to each item, a slice at a time; `weigh` says how many characters one has. */
const sliced = <A>(
  items: ReadonlyArray<A>,
  apply: (item: A) => void,
  weigh: (item: A) => number = () => 0
): Effect.Effect<void> =>
  Effect.gen(function* () {
    let [count, characters] = [0, 0]
    for (const item of items) {
      if (count === slice || characters >= most) {
        yield* Effect.yieldNow
        ;[count, characters] = [0, 0]
      }
      apply(item)
      count++
      characters += weigh(item)
    }
  })

const termsOf = ({ text }: IndexedSnippet): number => fields.reduce((sum, field) => sum + text[field].length, 0)

/** Whether a snippet was taken; whatever is wrong with one must not keep the others from being found. */
const taken = (index: Index, snippet: IndexedSnippet): boolean => {
  try {
    return index.put(snippet)
  } catch {
    return false
  }
}

const nothing: IndexStand = { build: undefined, position: 0 }

/**
 * The index in this process: some three quarters of a kilobyte a snippet, a third of it its vector. Empty at start;
 * its feeder fills it from the catalogue.
 */
export const comparingBy = (how: Comparing) =>
  Layer.effect(
    SnippetIndex,
    Effect.gen(function* () {
      const index = new Index((yield* Embeddings).dimensions, how)
      const one = yield* Semaphore.make(1)
      let stand = nothing
      /** While another build comes in: how far the one before it was, and what the new one has so far. */
      let anew: { readonly bar: number; readonly has: Set<string> } | undefined
      return SnippetIndex.of({
        apply: ({ put, voted, removed }, upTo) =>
          Effect.gen(function* () {
            const refused: Array<string> = []
            if (stand.build === upTo.build && upTo.position <= stand.position) return { refused }
            if (stand.build !== undefined && stand.build !== upTo.build)
              anew = { bar: anew?.bar ?? stand.position, has: new Set() }
            const take = (snippet: IndexedSnippet) => {
              anew?.has.add(snippet.id)
              if (!taken(index, snippet)) refused.push(snippet.id)
            }
            yield* sliced(put, take, termsOf)
            yield* sliced(voted, ({ id, ...given }) => index.vote(id, given))
            yield* sliced(removed, (id) => {
              anew?.has.delete(id)
              index.remove(id)
            })
            if (anew !== undefined && upTo.position >= anew.bar) {
              const { has } = anew
              const left = Array.from(index.ids).filter((id) => !has.has(id))
              yield* sliced(left, (id) => index.remove(id))
              anew = undefined
            }
            stand = upTo
            return { refused }
          }).pipe(one.withPermits(1)),
        stand: Effect.sync(() => stand),
        candidates: (query, most) => Effect.sync(() => index.candidates(query, most)),
        frequencies: Effect.fnUntraced(function* (scope, terms) {
          const counts: Array<number> = []
          for (let from = 0; from < terms.length; from += counted) {
            if (from > 0) yield* Effect.yieldNow
            counts.push(...index.frequencies(scope, terms.slice(from, from + counted)))
          }
          return counts
        }),
        mayHave: (term) => index.mayHave(term),
        size: Effect.sync(() => index.size)
      })
    })
  )

/** The same, by what its measurements say. */
export const layer = comparingBy(comparing)
