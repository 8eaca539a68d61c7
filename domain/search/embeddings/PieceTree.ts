const letters = 128
const nothing = -1

/** Bits of a place's number. A third of the places stay free, so that an edge is found in a step or two. */
const bitsFor = (edges: number): number => Math.ceil(Math.log2(edges * 1.5 + 1))

/**
 * The pieces of a table as a tree, a node a letter: the longest piece that stands at some place of a word is found in
 * as many steps as it has letters. Trying each length by itself made a strange word cost the square of its length.
 */
export class PieceTree {
  /** Edges by open addressing: from node and letter … */
  readonly #edges: Int32Array
  readonly #shift: number
  /** … to a node. */
  readonly #ends: Int32Array
  /** Per node, the number of the piece that ends there. */
  readonly #numbers: Int32Array
  /** The nodes where a piece that begins a word begins, and one that continues it. */
  readonly #first = 0
  readonly #next = 1
  /** Of the last `longest`: the number of the piece. */
  number = nothing

  /** Piece → its number; one with `##` before it continues a word. Only those of ASCII letters are found. */
  constructor(numbers: ReadonlyMap<string, number>) {
    // the root of each kind, and what the pieces could need at the most if none shared a letter with another
    let most = 2
    for (const piece of numbers.keys()) most += piece.length
    const bits = bitsFor(most)
    this.#shift = 32 - bits
    this.#edges = new Int32Array(2 ** bits).fill(nothing)
    this.#ends = new Int32Array(2 ** bits)
    this.#numbers = new Int32Array(most).fill(nothing)
    let nodes = 2
    for (const [piece, number] of numbers) {
      const continues = piece.startsWith("##")
      let node = continues ? this.#next : this.#first
      for (let at = continues ? 2 : 0; at < piece.length; at++) {
        const code = piece.charCodeAt(at)
        if (code >= letters) throw new Error(`the piece ${piece} is not of ASCII letters`)
        const place = this.#place(node, code)
        if (this.#edges[place] === nothing) {
          this.#edges[place] = node * letters + code
          this.#ends[place] = nodes++
        }
        node = this.#ends[place]!
      }
      this.#numbers[node] = number
    }
  }

  /**
   * Where the longest piece ends that stands in a word at a place; the place itself when none does. Its number is
   * `number` then.
   */
  longest(word: string, at: number): number {
    let node = at === 0 ? this.#first : this.#next
    let found = at
    this.number = nothing
    for (let to = at; to < word.length; ) {
      const code = word.charCodeAt(to)
      // as an edge it would be another node's
      if (code >= letters) break
      const place = this.#place(node, code)
      if (this.#edges[place] === nothing) break
      node = this.#ends[place]!
      to++
      if (this.#numbers[node] === nothing) continue
      this.number = this.#numbers[node]!
      found = to
    }
    return found
  }

  #place(node: number, code: number): number {
    const edge = node * letters + code
    const mask = this.#edges.length - 1
    // Fibonacci hashing: neighbours come to lie far apart
    let place = Math.imul(edge, 0x9e3779b1) >>> this.#shift
    while (this.#edges[place] !== nothing && this.#edges[place] !== edge) place = (place + 1) & mask
    return place
  }
}
