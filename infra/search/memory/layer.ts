import { Effect, Layer } from "effect"
import type { Encoder } from "#domain/search/embeddings/Encoder.ts"
import { fields } from "#domain/search/IndexedText.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { type IndexedSnippet, type IndexQuery, SnippetIndex, type Votes } from "#ports/SnippetIndex.ts"
import { Lists } from "./Lists.ts"
import { Scratch } from "./Scratch.ts"
import { Segment } from "./Segment.ts"
import { search } from "./search.ts"
import { VectorMemory } from "./VectorMemory.ts"

/** Snippets that are put or removed before others get a turn, and characters of their terms: a few milliseconds. */
const slice = 100
const most = 200_000

interface Place {
  readonly segment: Segment
  readonly home: string
  readonly isPublic: boolean
  readonly slot: number
}

/** All segments and where each snippet is. Everything here is synchronous; the layer cuts long work into slices. */
class Index {
  readonly #lists = new Lists()
  readonly #scratch = new Scratch()
  readonly #private = new Map<string, Segment>()
  readonly #public = new Map<string, Segment>()
  readonly #places = new Map<string, Place>()
  readonly #languages = new Map<string, string>()
  readonly #encoder: Encoder
  readonly #vectors: VectorMemory

  constructor(encoder: Encoder) {
    this.#encoder = encoder
    this.#vectors = new VectorMemory(encoder.dimensions)
  }

  get size(): number {
    return this.#places.size
  }

  put(snippet: IndexedSnippet): void {
    this.remove(snippet.id)
    const { id, home, isPublic } = snippet
    const segment = this.#segment(home, isPublic)
    // one string for all snippets of a language, not the row's own
    const language = this.#languages.get(snippet.language) ?? snippet.language
    this.#languages.set(language, language)
    this.#places.set(id, { segment, home, isPublic, slot: segment.add({ ...snippet, language }) })
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

  vote(id: string, votes: Votes): void {
    const place = this.#places.get(id)
    place?.segment.vote(place.slot, votes)
  }

  search(query: IndexQuery) {
    const homes = [...new Set(query.homes)]
    const own = homes.flatMap((home) => [this.#private.get(home), this.#public.get(home)])
    const segments = new Set(own.filter((segment) => segment !== undefined))
    if (query.includePublic) for (const segment of this.#public.values()) segments.add(segment)
    return search([...segments], query, { encoder: this.#encoder, vectors: this.#vectors, scratch: this.#scratch })
  }

  #segment(home: string, isPublic: boolean): Segment {
    const segments = isPublic ? this.#public : this.#private
    const found = segments.get(home)
    if (found !== undefined) return found
    const segment = new Segment(this.#lists, this.#vectors)
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

/** The index in this process: about a kilobyte a snippet, half of it its vector. Empty at start; its feeder fills it from the catalogue. */
export const layer = Layer.effect(
  SnippetIndex,
  Effect.map(Embeddings, (encoder) => {
    const index = new Index(encoder)
    return SnippetIndex.of({
      put: (snippets) => sliced(snippets, (snippet) => index.put(snippet), termsOf),
      remove: (ids) => sliced(ids, (id) => index.remove(id)),
      votes: (votes) => sliced(votes, ({ id, ...given }) => index.vote(id, given)),
      search: (query) => Effect.sync(() => index.search(query)),
      size: Effect.sync(() => index.size)
    })
  })
)
