import { fieldCount } from "#domain/search/bm25f.ts"
import { verdict, verdictOdds } from "#domain/search/score.ts"
import { atOnce, type Steps } from "#engine/steps.ts"
import type { IndexedSnippet, Votes } from "#ports/SnippetIndex.ts"
import { countIn } from "../packedCount.ts"
import { Bits } from "./Bits.ts"
import { Ids } from "./Ids.ts"
import { concatenated, Lists, stretch } from "./Lists.ts"
import { type Names, nameless } from "./Names.ts"
import { Postings } from "./Postings.ts"
import { Profiles, type ProfilesImage } from "./Profiles.ts"
import type { Sieve } from "./Sieve.ts"
import { type Counted, countsIn } from "./termCounts.ts"
import { blockVectors, type VectorMemory } from "./VectorMemory.ts"
import { type BlockImage, Vectors } from "./Vectors.ts"

/** The verdict of a snippet without votes. */
export const neutral = verdict(0, 0)
/** The kind of a free slot in an image: an image has no kind that is none. */
const noKind: IndexedSnippet["kind"] = "file"

/** The columns of some slots of a segment: those of one block of vectors. */
export interface SlotsImage {
  /** An empty id: the slot is free. */
  readonly ids: ReadonlyArray<string>
  readonly agents: ReadonlyArray<string | null>
  readonly kinds: ReadonlyArray<IndexedSnippet["kind"]>
  readonly languages: ReadonlyArray<string>
  readonly lengths: Uint16Array
  readonly verdicts: Float64Array
  readonly completeness: Float64Array
  readonly humanUps: Uint32Array
  /** By slot, how many terms it has; then the numbers of these terms, one slot after another. */
  readonly termCounts: Uint32Array
  readonly terms: Uint32Array
  readonly profiles: ProfilesImage
  readonly vectors: BlockImage | undefined
}

/** What all segments of an index share. */
export interface Shared {
  readonly lists: Lists
  readonly vectors: VectorMemory
  readonly sieve: Sieve
  /** The names of kinds and languages. */
  readonly names: Names
}

/**
 * The public snippets of one home, or its private ones. A segment is the unit of visibility: a search sees whole
 * segments, so their statistics cover exactly what it may see. A document is a slot: an index into the columns.
 */
export class Segment {
  readonly postings: Postings
  readonly vectors: Vectors
  readonly profiles: Profiles
  readonly ids = new Ids()
  readonly agents: Array<string | null> = []
  /** Kinds and languages, as their numbers in `names`. */
  kinds = new Uint32Array(0)
  languages = new Uint32Array(0)
  /** Tokens per field, `fieldCount` entries a slot. */
  lengths = new Uint16Array(0)
  verdicts = new Float64Array(0)
  /** `verdictOdds` of the verdict. */
  verdictOdds = new Float64Array(0)
  completeness = new Float64Array(0)
  humanUps = new Uint32Array(0)
  /** Slots in use; of these, those with a verdict below the neutral one, or above it, and those of an agent's own. */
  readonly live = new Bits()
  readonly doubted = new Bits()
  readonly lifted = new Bits()
  readonly owned = new Bits()
  documents = 0
  /** Tokens per field over all documents. */
  readonly tokens = new Float64Array(fieldCount)

  /** The home whose snippets it has, and whether they are the public ones. */
  readonly home: string
  readonly isPublic: boolean
  readonly names: Names

  readonly #lists: Lists
  /** By slot, where the numbers of its terms lie, and how many there are: a removal has to visit them. */
  #terms = new Uint32Array(0)
  #termCounts = new Uint32Array(0)
  /** How many slots all columns have room for. */
  #room = 0
  readonly #freed: Array<number> = []

  constructor(home: string, isPublic: boolean, { lists, vectors, sieve, names }: Shared) {
    this.home = home
    this.isPublic = isPublic
    this.names = names
    this.#lists = lists
    this.postings = new Postings(lists, sieve)
    this.vectors = new Vectors(vectors)
    this.profiles = new Profiles(lists)
  }

  /** Slots in use are below this. */
  get slots(): number {
    return this.ids.length
  }

  add(snippet: IndexedSnippet): number {
    const { id, agent, kind, language, text, vector, completeness } = snippet
    const slot = this.#freed.at(-1) ?? this.ids.length
    atOnce(this.growing(slot + 1))
    // what may fail comes first, and leaves no trace: until it has its id, the slot is free
    const counts = countsIn(text)
    this.profiles.add(slot, snippet.profile)
    try {
      this.vectors.set(slot, vector)
    } catch (error) {
      this.profiles.remove(slot)
      throw error
    }
    this.#index(slot, counts)
    this.agents[slot] = agent
    this.kinds[slot] = this.names.put(kind)
    this.languages[slot] = this.names.put(language)
    this.completeness[slot] = completeness
    this.vote(slot, snippet)
    this.ids.set(slot, id)
    this.live.put(slot, true)
    this.owned.put(slot, agent !== null)
    this.#freed.pop()
    this.documents++
    return slot
  }

  vote(slot: number, { up, down, humanUp }: Votes): void {
    const value = verdict(up, down)
    this.humanUps[slot] = humanUp
    this.#judge(slot, value)
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
    // nothing is left of it, here or in a snapshot
    this.ids.set(slot, "")
    this.agents[slot] = null
    for (const column of [this.kinds, this.languages]) {
      this.names.drop(column[slot]!)
      column[slot] = nameless
    }
    for (const bits of [this.live, this.doubted, this.lifted, this.owned]) bits.put(slot, false)
    this.lengths.fill(0, slot * fieldCount, (slot + 1) * fieldCount)
    for (const column of [this.verdicts, this.verdictOdds, this.completeness, this.humanUps, this.#termCounts])
      column[slot] = 0
    this.#freed.push(slot)
    this.documents--
  }

  /** The terms of a document. */
  termsOf(slot: number): ReadonlyArray<string> {
    const numbers = this.#lists.words(this.#terms[slot]!, this.#termCounts[slot]!)
    return Array.from(numbers, (number) => this.postings.term(number))
  }

  /**
   * Writes into `into` how often some terms occur in each field of a document: `fieldCount` numbers a term. `places`
   * has, by a term's number, its place from 1, or 0 if it is not asked for.
   */
  count(slot: number, places: Uint32Array, into: Array<number>): void {
    into.fill(0)
    const address = this.#terms[slot]!
    const from = this.#lists.offset(address)
    const numbers = this.#lists.page(address)
    for (let at = from; at < from + this.#termCounts[slot]!; at++) {
      const place = places[numbers[at]!]! - 1
      if (place < 0) continue
      const packed = this.postings.packedOf(numbers[at]!, slot)
      for (let field = 0; field < fieldCount; field++) into[place * fieldCount + field] = countIn(packed, field)
    }
  }

  /** Tokens per field of a document. */
  lengthsOf(slot: number): ReadonlyArray<number> {
    const lengths: Array<number> = []
    for (let field = 0; field < fieldCount; field++) lengths.push(this.lengths[slot * fieldCount + field]!)
    return lengths
  }

  /** Images of its slots, block by block. Each is valid until the next change. */
  *images(): Generator<SlotsImage> {
    for (let from = 0; from < this.slots; from += blockVectors) {
      const to = Math.min(from + blockVectors, this.slots)
      const isFree = (slot: number) => this.ids.isFree(slot)
      const terms: Array<Uint32Array> = []
      for (let slot = from; slot < to; slot++)
        if (!isFree(slot)) terms.push(this.#lists.words(this.#terms[slot]!, this.#termCounts[slot]!))
      yield {
        ids: this.ids.slice(from, to),
        agents: this.agents.slice(from, to),
        kinds: this.#named(this.kinds, from, to).map((kind) => (kind || noKind) as IndexedSnippet["kind"]),
        languages: this.#named(this.languages, from, to),
        lengths: this.lengths.subarray(from * fieldCount, to * fieldCount),
        verdicts: this.verdicts.subarray(from, to),
        completeness: this.completeness.subarray(from, to),
        humanUps: this.humanUps.subarray(from, to),
        termCounts: this.#termCounts.subarray(from, to),
        terms: concatenated(terms),
        profiles: this.profiles.image(from, to, isFree),
        vectors: this.vectors.image(from / blockVectors)
      }
    }
  }

  /** Adds the slots of an image behind those restored so far. */
  *restore(image: SlotsImage): Steps<void> {
    const from = this.slots
    const to = from + image.ids.length
    yield* this.growing(to)
    for (const [at, id] of image.ids.entries()) {
      this.ids.set(from + at, id)
      this.agents.push(image.agents[at]!)
      // a free slot uses no name; a column begins with that of none
      if (id === "") continue
      this.kinds[from + at] = this.names.put(image.kinds[at]!)
      this.languages[from + at] = this.names.put(image.languages[at]!)
    }
    this.lengths.set(image.lengths, from * fieldCount)
    this.verdicts.set(image.verdicts, from)
    this.completeness.set(image.completeness, from)
    this.humanUps.set(image.humanUps, from)
    this.#termCounts.set(image.termCounts, from)
    yield* this.profiles.restore(from, image.profiles, (slot) => this.ids.isFree(slot))
    if (image.vectors !== undefined) this.vectors.restore(from / blockVectors, image.vectors)
    let used = 0
    for (let slot = from; slot < to; slot++) {
      if (slot % stretch === 0) yield
      if (this.ids.isFree(slot)) {
        this.#freed.push(slot)
        continue
      }
      const next = used + this.#termCounts[slot]!
      this.#terms[slot] = this.#lists.put(image.terms.subarray(used, next))
      used = next
      this.#judge(slot, this.verdicts[slot]!)
      this.live.put(slot, true)
      this.owned.put(slot, this.agents[slot] !== null)
      for (let field = 0; field < fieldCount; field++) this.tokens[field]! += this.lengths[slot * fieldCount + field]!
      this.documents++
    }
  }

  #named(column: Uint32Array, from: number, to: number): ReadonlyArray<string> {
    return Array.from(column.subarray(from, to), (number) => this.names.name(number))
  }

  #judge(slot: number, value: number): void {
    this.verdicts[slot] = value
    this.verdictOdds[slot] = verdictOdds(value)
    this.doubted.put(slot, value < neutral)
    this.lifted.put(slot, value > neutral)
  }

  #index(slot: number, { counts, lengths }: Counted): void {
    for (const [field, length] of lengths.entries()) {
      this.lengths[slot * fieldCount + field] = length
      this.tokens[field]! += length
    }
    const address = this.#lists.allocate(Lists.sizeClass(counts.size))
    const words = this.#lists.page(address)
    let at = this.#lists.offset(address)
    // Pages never move, so `words` stays valid while postings grow.
    for (const [term, packed] of counts) words[at++] = this.postings.add(term, slot, packed)
    this.#terms[slot] = address
    this.#termCounts[slot] = counts.size
  }

  /** Makes room for this many slots, or for one more. Copying a column of a million takes some milliseconds. */
  *growing(slots = (this.#freed.at(-1) ?? this.slots) + 1): Steps<void> {
    if (slots <= this.#room) return
    let capacity = Math.max(16, this.#room * 2)
    while (capacity < slots) capacity *= 2
    const wider = <A extends { set(from: A): void }>(column: A, bigger: A): A => {
      bigger.set(column)
      return bigger
    }
    this.ids.grow(capacity)
    yield
    this.kinds = wider(this.kinds, new Uint32Array(capacity))
    yield
    this.languages = wider(this.languages, new Uint32Array(capacity))
    yield
    this.lengths = wider(this.lengths, new Uint16Array(capacity * fieldCount))
    yield
    this.verdicts = wider(this.verdicts, new Float64Array(capacity))
    yield
    this.verdictOdds = wider(this.verdictOdds, new Float64Array(capacity))
    yield
    this.completeness = wider(this.completeness, new Float64Array(capacity))
    yield
    this.humanUps = wider(this.humanUps, new Uint32Array(capacity))
    yield
    this.#terms = wider(this.#terms, new Uint32Array(capacity))
    yield
    this.#termCounts = wider(this.#termCounts, new Uint32Array(capacity))
    this.#room = capacity
  }
}
