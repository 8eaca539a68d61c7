import { merged } from "#domain/search/query.ts"
import { setBit, wordsOf } from "./Bits.ts"

/** A larger column with the same content. */
const wider = <A extends Uint32Array | Float32Array | Float64Array>(column: A, bigger: A): A => {
  bigger.set(column)
  return bigger
}

/**
 * The snippets of a search that may be among its best, and what their words add up to so far. Kept between searches,
 * which run one after another, so that nothing is allocated twice.
 */
export class Rows {
  /** The first `count` entries: the place of a row, its cosine (`NaN`: not compared), and its prior. */
  places = new Uint32Array(0)
  cosines = new Float32Array(0)
  priors = new Float64Array(0)
  count = 0
  /** Texts of the task. Each row has a sum for each of them, one after another. */
  texts = 1
  sums = new Float32Array(0)
  /** What the best alternative of a row's last term gives so far, and the number of that term. */
  best = new Float32Array(0)
  terms = new Uint32Array(0)
  /** By place: whether it has a row, and which. */
  counted = new Uint32Array(0)
  rows = new Uint32Array(0)
  /** By place: whether it passes the filters, and whether it shares a word with the task. */
  passing = new Uint32Array(0)
  sharing = new Uint32Array(0)
  /** By place: whether it passes, and was not dealt with yet. */
  open = new Uint32Array(0)
  /** The score of each row, as far as its sums tell. */
  finals = new Float64Array(0)

  #term = 0

  /** Begins a search among this many places, for a task of this many texts. */
  begin(places: number, texts: number): void {
    if (places > this.rows.length) {
      const size = Math.max(places, Math.ceil(this.rows.length * 1.25))
      this.rows = new Uint32Array(size)
      this.counted = new Uint32Array(wordsOf(size))
      this.passing = new Uint32Array(wordsOf(size))
      this.sharing = new Uint32Array(wordsOf(size))
      this.open = new Uint32Array(wordsOf(size))
    }
    this.counted.fill(0, 0, wordsOf(places))
    this.count = 0
    if (this.places.length * texts > this.sums.length) this.sums = new Float32Array(this.places.length * texts)
    this.texts = texts
  }

  /** A number that no other term has had. */
  nextTerm(): number {
    if (this.#term === 0xffffffff) {
      this.terms.fill(0)
      this.#term = 0
    }
    return ++this.#term
  }

  add(place: number, cosine: number, prior: number): void {
    const row = this.count++
    if (row >= this.places.length) this.#grow()
    this.places[row] = place
    this.cosines[row] = cosine
    this.priors[row] = prior
    for (let at = row * this.texts; at < (row + 1) * this.texts; at++) this.sums[at] = 0
    this.rows[place] = row
    setBit(this.counted, place)
  }

  /** The sum of a row. For a long task, that of the whole and that of the best part are merged. */
  sum(row: number): number {
    const from = row * this.texts
    const whole = this.sums[from]!
    if (this.texts === 1) return whole
    let part = 0
    for (let at = from + 1; at < from + this.texts; at++) if (this.sums[at]! > part) part = this.sums[at]!
    return merged(whole, part)
  }

  #grow(): void {
    const size = Math.max(1024, 2 * this.places.length)
    this.places = wider(this.places, new Uint32Array(size))
    this.cosines = wider(this.cosines, new Float32Array(size))
    this.priors = wider(this.priors, new Float64Array(size))
    this.finals = wider(this.finals, new Float64Array(size))
    this.best = wider(this.best, new Float32Array(size))
    this.terms = wider(this.terms, new Uint32Array(size))
    if (size * this.texts > this.sums.length) this.sums = wider(this.sums, new Float32Array(size * this.texts))
  }
}
