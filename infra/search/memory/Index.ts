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

  /** Makes room for one more where it belongs: `put` does so too, in one go. */
  *growing({ home, isPublic }: Pick<IndexedSnippet, "home" | "isPublic">): Steps<void> {
    yield* this.segment(home, isPublic).growing()
  }

  /** Whether it could be taken; what is refused is out of the index. */
  put(snippet: IndexedSnippet): boolean {
    this.remove(snippet.id)
    // the kernel reads as many numbers as the table's vectors have
    if (snippet.vector !== null && snippet.vector.length !== this.#vectors.dimensions) return false
    const { home, isPublic } = snippet
    const segment = this.segment(home, isPublic)
    this.#places.add(segment, segment.add(snippet))
    return true
  }

  /** Whether it was there. */
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

  /** The terms of one; none where it is not there. */
  termsOf(id: string): ReadonlyArray<string> {
    const place = this.#places.get(id)
    return place === undefined ? [] : place.segment.termsOf(place.slot)
  }

  get size(): number {
    return this.#places.size
  }

  /** Ids of all that it has; what was given is not in the way of what is removed meanwhile. */
  *ids(): Generator<string> {
    for (const segment of this.segments())
      for (let slot = 0; slot < segment.slots; slot++) if (!segment.ids.isFree(slot)) yield segment.ids.at(slot)
  }

  vote(id: string, votes: Votes): void {
    const place = this.#places.get(id)
    place?.segment.vote(place.slot, votes)
  }

  /** The likeliest; until the last step nothing may be changed, and nothing else searched for. */
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

  /** What is searched: all of some homes, and the public ones of all others where they are asked for. */
  #seen({ homes, includePublic }: Pick<IndexQuery, "homes" | "includePublic">) {
    const some = [...new Set(homes)].flatMap((home) => [this.#private.get(home), this.#public.get(home)])
    const own = new Set(some.filter((segment) => segment !== undefined))
    const others = includePublic ? Array.from(this.#public.values()).filter((segment) => !own.has(segment)) : []
    return { own, others }
  }

  /** All of it, segment by segment; none without documents, as one is whose only snippet was refused. */
  *segments(): Generator<Segment> {
    for (const segments of [this.#private, this.#public])
      for (const segment of segments.values()) if (segment.documents > 0) yield segment
  }

  /** A segment with what some of its slots had, behind those that it has already. */
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
