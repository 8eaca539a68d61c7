import { fieldCount } from "#domain/search/bm25f.ts"
import { eachTerm, fields } from "#domain/search/IndexedText.ts"
import { verdict, verdictOdds } from "#domain/search/score.ts"
import type { IndexedSnippet, Votes } from "#ports/SnippetIndex.ts"
import { countIn, packCount } from "../packedCount.ts"
import { Lists } from "./Lists.ts"
import { Postings } from "./Postings.ts"
import { Profiles } from "./Profiles.ts"
import type { Sieve } from "./Sieve.ts"
import type { VectorMemory } from "./VectorMemory.ts"
import { Vectors } from "./Vectors.ts"

const longestField = 0xffff

/**
 * The snippets of one home that are public, or those that are not: the unit of visibility, so that a search sees whole
 * segments and their statistics are exactly those of what it may see. A document is a slot: an index into the columns.
 */
export class Segment {
  readonly postings: Postings
  readonly vectors: Vectors
  readonly profiles: Profiles
  readonly ids: Array<string> = []
  readonly agents: Array<string | null> = []
  readonly kinds: Array<IndexedSnippet["kind"]> = []
  readonly languages: Array<string> = []
  /** Tokens per field, `fieldCount` entries a slot. */
  lengths = new Uint16Array(0)
  verdicts = new Float64Array(0)
  /** `verdictOdds` of the verdict. */
  verdictOdds = new Float64Array(0)
  completeness = new Float64Array(0)
  humanUps = new Uint32Array(0)
  documents = 0
  /** Tokens per field over all documents. */
  readonly tokens = new Float64Array(fieldCount)

  readonly #lists: Lists
  /** Per slot, the numbers of its terms: what a removal has to visit. */
  #terms = new Uint32Array(0)
  #termCounts = new Uint32Array(0)
  readonly #freed: Array<number> = []

  constructor(lists: Lists, memory: VectorMemory, sieve: Sieve) {
    this.#lists = lists
    this.postings = new Postings(lists, sieve)
    this.vectors = new Vectors(memory)
    this.profiles = new Profiles(lists)
  }

  /** Slots in use are below this. */
  get slots(): number {
    return this.ids.length
  }

  add(snippet: IndexedSnippet): number {
    const { id, agent, kind, language, text, vector, completeness } = snippet
    const slot = this.#freed.pop() ?? this.ids.length
    if (slot >= this.verdicts.length) this.#grow()
    this.ids[slot] = id
    this.agents[slot] = agent
    this.kinds[slot] = kind
    this.languages[slot] = language
    this.completeness[slot] = completeness
    this.vote(slot, snippet)
    this.vectors.set(slot, vector)
    this.profiles.add(slot, snippet.profile)
    this.#index(slot, text)
    this.documents++
    return slot
  }

  vote(slot: number, { up, down, humanUp }: Votes): void {
    const value = verdict(up, down)
    this.humanUps[slot] = humanUp
    this.verdicts[slot] = value
    this.verdictOdds[slot] = verdictOdds(value)
  }

  remove(slot: number): void {
    const count = this.#termCounts[slot]!
    const address = this.#terms[slot]!
    const from = this.#lists.offset(address)
    const words = this.#lists.page(address)
    for (let at = from; at < from + count; at++) this.postings.remove(words[at]!, slot)
    this.#lists.free(address, Lists.sizeClass(count))
    for (let field = 0; field < fieldCount; field++) this.tokens[field]! -= this.lengths[slot * fieldCount + field]!
    this.vectors.set(slot, null)
    this.profiles.remove(slot)
    this.ids[slot] = ""
    this.agents[slot] = null
    this.#freed.push(slot)
    this.documents--
  }

  /**
   * How often some terms occur in each field of a document: `fieldCount` numbers a place; `places`, from 1, are by the
   * terms' numbers, 0 of those that are not asked for.
   */
  counts(slot: number, places: Uint32Array, size: number): ReadonlyArray<number> {
    // not typed: to make one of those takes longer than to fill it
    const counts = new Array<number>(size * fieldCount).fill(0)
    const address = this.#terms[slot]!
    const from = this.#lists.offset(address)
    const numbers = this.#lists.page(address)
    for (let at = from; at < from + this.#termCounts[slot]!; at++) {
      const place = places[numbers[at]!]! - 1
      if (place < 0) continue
      const packed = this.postings.packedOf(numbers[at]!, slot)
      for (let field = 0; field < fieldCount; field++) counts[place * fieldCount + field] = countIn(packed, field)
    }
    return counts
  }

  /** Tokens per field of a document. */
  lengthsOf(slot: number): ReadonlyArray<number> {
    const lengths: Array<number> = []
    for (let field = 0; field < fieldCount; field++) lengths.push(this.lengths[slot * fieldCount + field]!)
    return lengths
  }

  #index(slot: number, text: IndexedSnippet["text"]): void {
    const counts = new Map<string, number>()
    for (let field = 0; field < fieldCount; field++) {
      let length = 0
      eachTerm(text[fields[field]!], (term, count) => {
        length += count
        counts.set(term, packCount(counts.get(term) ?? 0, field, count))
      })
      const kept = Math.min(length, longestField)
      this.lengths[slot * fieldCount + field] = kept
      this.tokens[field]! += kept
    }
    const address = this.#lists.allocate(Lists.sizeClass(counts.size))
    const words = this.#lists.page(address)
    let at = this.#lists.offset(address)
    // Pages never move, so `words` stays valid while postings grow.
    for (const [term, packed] of counts) words[at++] = this.postings.add(term, slot, packed)
    this.#terms[slot] = address
    this.#termCounts[slot] = counts.size
  }

  #grow(): void {
    const capacity = Math.max(16, this.verdicts.length * 2)
    const wider = <A extends { set(from: A): void }>(column: A, bigger: A): A => {
      bigger.set(column)
      return bigger
    }
    this.lengths = wider(this.lengths, new Uint16Array(capacity * fieldCount))
    this.verdicts = wider(this.verdicts, new Float64Array(capacity))
    this.verdictOdds = wider(this.verdictOdds, new Float64Array(capacity))
    this.completeness = wider(this.completeness, new Float64Array(capacity))
    this.humanUps = wider(this.humanUps, new Uint32Array(capacity))
    this.#terms = wider(this.#terms, new Uint32Array(capacity))
    this.#termCounts = wider(this.#termCounts, new Uint32Array(capacity))
  }
}
