const letters = 128
const nothing = -1
const [lineFeed, hash] = [10, 35]

/** Edges by open addressing: from node and letter to a node. */
class Edges {
  readonly from: Int32Array
  readonly to: Int32Array
  /** The most edges: a quarter of the places or more stays free, so that an edge is found in a step or two. */
  readonly most: number
  /** Bits of a hash that are left out. */
  readonly shift: number

  constructor(bits: number) {
    this.shift = 32 - bits
    this.most = 0.75 * 2 ** bits
    this.from = new Int32Array(2 ** bits).fill(nothing)
    this.to = new Int32Array(2 ** bits)
  }

  /** Where an edge is, or would be. */
  place(edge: number): number {
    const { from } = this
    const mask = from.length - 1
    // Fibonacci hashing: puts neighbours far apart
    let place = Math.imul(edge, 0x9e3779b1) >>> this.shift
    while (from[place] !== nothing && from[place] !== edge) place = (place + 1) & mask
    return place
  }

  put(edge: number, node: number): void {
    const place = this.place(edge)
    this.from[place] = edge
    this.to[place] = node
  }

  /** The same edges with room for twice as many. */
  doubled(): Edges {
    const more = new Edges(33 - this.shift)
    for (let place = 0; place < this.from.length; place++)
      if (this.from[place] !== nothing) more.put(this.from[place]!, this.to[place]!)
    return more
  }
}

/** The roots of the pieces that begin a word, and of those that continue one. */
const [first, next] = [0, 1]

/**
 * The pieces of a table as a tree, with a node per letter. The longest piece at a place of a word is found in as many
 * steps as it has letters. Trying each length made an unknown word cost the square of its length.
 */
export class PieceTree {
  readonly #edges: Edges
  /** Per node, the number of the piece that ends there. */
  readonly #numbers: Int32Array
  /** The number of the piece that the last `longest` found. */
  number = nothing

  /**
   * Takes a table's pieces as its file has them, numbered from 0. Making a string of each of the 33,000 took most of
   * the time. Throws an `Error` for a piece that is not of ASCII letters, or occurs twice.
   */
  constructor(pieces: Uint8Array) {
    // the number of edges is not known: of the shipped pieces' letters, two thirds are in shared beginnings
    let edges = new Edges(10)
    /** Per node. */
    const numbers = [nothing, nothing]
    let number = 0
    let node = first
    for (let at = 0; at <= pieces.length; at++) {
      // the last piece has no line feed behind it
      const code = pieces[at] ?? lineFeed
      if (code >= letters) throw new Error(`piece ${number} is not of ASCII letters`)
      if (code === lineFeed) {
        if (numbers[node] !== nothing) throw new Error(`piece ${number} is also piece ${numbers[node]}`)
        numbers[node] = number++
        node = first
      } else if (node === first && code === hash && pieces[at + 1] === hash) {
        node = next
        at++
      } else {
        const edge = node * letters + code
        const place = edges.place(edge)
        if (edges.from[place] === nothing) {
          node = numbers.push(nothing) - 1
          if (node > edges.most) edges = edges.doubled()
          edges.put(edge, node)
        } else node = edges.to[place]!
      }
    }
    this.#edges = edges
    this.#numbers = Int32Array.from(numbers)
  }

  /**
   * Where the longest piece at a place of a word ends; the place itself if there is none. `number` is then the piece's
   * number.
   */
  longest(word: string, at: number): number {
    const { from, to } = this.#edges
    let node = at === 0 ? first : next
    let found = at
    this.number = nothing
    for (let end = at; end < word.length; ) {
      const code = word.charCodeAt(end)
      // such a code would give another node's edge
      if (code >= letters) break
      const place = this.#edges.place(node * letters + code)
      if (from[place] === nothing) break
      node = to[place]!
      end++
      if (this.#numbers[node] === nothing) continue
      this.number = this.#numbers[node]!
      found = end
    }
    return found
  }
}
