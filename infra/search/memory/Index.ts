import type { Candidates } from "#domain/search/Candidate.ts"
import { fields } from "#domain/search/IndexedText.ts"
import type { Steps } from "#engine/steps.ts"
import type { IndexedSnippet, IndexQuery, Votes } from "#ports/SnippetIndex.ts"
import { unlessGivenUp } from "../givenUp.ts"
import { Assessed } from "./Assessed.ts"
import { candidates } from "./candidates.ts"
import { Lists, stretch } from "./Lists.ts"
import { Names } from "./Names.ts"
import { type Comparing, Nearness } from "./Nearness.ts"
import { Places } from "./Places.ts"
import { Reach } from "./Reach.ts"
import { Rows } from "./Rows.ts"
import { Segment, type SlotsImage } from "./Segment.ts"
import { Sieve } from "./Sieve.ts"
import { TermPlaces } from "./TermPlaces.ts"
import { VectorMemory } from "./VectorMemory.ts"
import { Occurrences } from "./words.ts"

const tasks = fields.indexOf("exampleQueries")

/** All segments and where each snippet is. Everything here is synchronous; the layer cuts long work into slices. */
export class Index {
  readonly #lists = new Lists()
  readonly #sieve = new Sieve()
  readonly #rows = new Rows()
  readonly #reach = new Reach()
  readonly #assessed = new Assessed()
  readonly #occurrences = new Occurrences()
  readonly #termPlaces = new TermPlaces()
  readonly #private = new Map<string, Segment>()
  readonly #public = new Map<string, Segment>()
  readonly #places = new Places<Segment>()
  readonly #names = new Names()
  readonly #vectors: VectorMemory
  readonly #nearness: Nearness

  constructor(dimensions: number, how: Comparing) {
    this.#vectors = new VectorMemory(dimensions)
    this.#nearness = new Nearness(this.#vectors, how)
  }

  /** Makes room for one more snippet in its segment, step by step. (`put` also does, in one go.) */
  *growing({ home, isPublic }: Pick<IndexedSnippet, "home" | "isPublic">): Steps<void> {
    yield* this.segment(home, isPublic).growing()
  }

  /** Puts a snippet in place of any with its id. `false`: it is refused, and not in the index any more. */
  put(snippet: IndexedSnippet): boolean {
    this.remove(snippet.id)
    // the kernel reads `dimensions` numbers, however many there are
    if (snippet.vector !== null && snippet.vector.length !== this.#vectors.dimensions) return false
    const { home, isPublic } = snippet
    const segment = this.segment(home, isPublic)
    this.#places.add(segment, segment.add(snippet))
    return true
  }

  /** Gives whether the snippet was there. */
  remove(id: string): boolean {
    const place = this.#places.delete(id)
    if (place === undefined) return false
    const { segment, slot } = place
    segment.remove(slot)
    if (segment.documents > 0) return true
    segment.vectors.free()
    this.#places.forget(segment)
    ;(segment.isPublic ? this.#public : this.#private).delete(segment.home)
    return true
  }

  /** The terms of a snippet; none if it is not there. */
  termsOf(id: string): ReadonlyArray<string> {
    const place = this.#places.get(id)
    return place === undefined ? [] : place.segment.termsOf(place.slot)
  }

  get size(): number {
    return this.#places.size
  }

  /** The ids of all snippets. A snippet whose id was given may be removed meanwhile. */
  *ids(): Generator<string> {
    for (const segment of this.segments())
      for (let slot = 0; slot < segment.slots; slot++) if (!segment.ids.isFree(slot)) yield segment.ids.at(slot)
  }

  vote(id: string, votes: Votes): void {
    const place = this.#places.get(id)
    place?.segment.vote(place.slot, votes)
  }

  /** The likeliest snippets. Until the last step, nothing may change the index, and no other search may run. */
  searching(query: IndexQuery, most: number): Steps<Candidates> {
    const { own, others } = this.#seen(query)
    return candidates([...own, ...others], query, most, {
      nearness: this.#nearness,
      rows: this.#rows,
      reach: this.#reach,
      assessed: this.#assessed,
      occurrences: this.#occurrences,
      termPlaces: this.#termPlaces,
      locate: (id) => this.#places.get(id)
    })
  }

  frequencies(scope: Pick<IndexQuery, "homes" | "includePublic">, terms: ReadonlyArray<string>): ReadonlyArray<number> {
    const { own, others } = this.#seen(scope)
    return terms.map((term) => {
      unlessGivenUp()
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

  /** The segments that are searched: all of these homes and, if asked for, the public ones of all others. */
  #seen({ homes, includePublic }: Pick<IndexQuery, "homes" | "includePublic">) {
    const some = [...new Set(homes)].flatMap((home) => [this.#private.get(home), this.#public.get(home)])
    const own = new Set(some.filter((segment) => segment !== undefined))
    const others = includePublic ? Array.from(this.#public.values()).filter((segment) => !own.has(segment)) : []
    return { own, others }
  }

  /** All segments that have documents. (One whose only snippet was refused has none.) */
  *segments(): Generator<Segment> {
    for (const segments of [this.#private, this.#public])
      for (const segment of segments.values()) if (segment.documents > 0) yield segment
  }

  /** Adds the slots of an image to a segment, behind those that it has already. */
  *restore(home: string, isPublic: boolean, image: SlotsImage): Steps<void> {
    const segment = this.segment(home, isPublic)
    const from = segment.slots
    yield* segment.restore(image)
    for (let slot = from; slot < segment.slots; slot++) {
      if (!segment.ids.isFree(slot)) this.#places.add(segment, slot)
      if (slot % stretch === 0) yield
    }
  }

  segment(home: string, isPublic: boolean): Segment {
    const segments = isPublic ? this.#public : this.#private
    const found = segments.get(home)
    if (found !== undefined) return found
    const segment = new Segment(home, isPublic, {
      lists: this.#lists,
      vectors: this.#vectors,
      sieve: this.#sieve,
      names: this.#names
    })
    segments.set(home, segment)
    return segment
  }
}
