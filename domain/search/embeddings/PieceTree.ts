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
  #edges = new Int32Array(0)
  #shift = 0
  /** … to a node. */
  #ends = new Int32Array(0)
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
    this.#makeRoom(most)
    const ending = new Int32Array(most).fill(nothing)
    let nodes = 2
    for (const [piece, number] of numbers) {
      const continues = piece.startsWith("##")
      let node = continues ? this.#next : this.#first
      for (let at = continues ? 2 : 0; at < piece.length; at++) {
        const code = piece.charCodeAt(at)
        if (code >= letters) throw new Error(`the piece ${piece} is not of ASCII letters`)
        const edge = node * letters + code
        const place = this.#place(edge)
        node = this.#edges[place] === nothing ? nodes++ : this.#ends[place]!
        this.#edges[place] = edge
        this.#ends[place] = node
      }
      ending[node] = number
    }
    this.#numbers = ending.slice(0, nodes)
    // beginnings are shared: of the shipped pieces there are a third as many edges as letters
    const [edges, ends] = [this.#edges, this.#ends]
    this.#makeRoom(nodes)
    for (let at = 0; at < edges.length; at++) {
      const edge = edges[at]!
      if (edge === nothing) continue
      const place = this.#place(edge)
      this.#edges[place] = edge
      this.#ends[place] = ends[at]!
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
      const place = this.#place(node * letters + code)
      if (this.#edges[place] === nothing) break
      node = this.#ends[place]!
      to++
      if (this.#numbers[node] === nothing) continue
      this.number = this.#numbers[node]!
      found = to
    }
    return found
  }

  #makeRoom(edges: number): void {
    const bits = bitsFor(edges)
    this.#shift = 32 - bits
    this.#edges = new Int32Array(2 ** bits).fill(nothing)
    this.#ends = new Int32Array(2 ** bits)
  }

  /** Where an edge is, or would be. */
  #place(edge: number): number {
    const mask = this.#edges.length - 1
    // Fibonacci hashing: neighbours come to lie far apart
    let place = Math.imul(edge, 0x9e3779b1) >>> this.#shift
    while (this.#edges[place] !== nothing && this.#edges[place] !== edge) place = (place + 1) & mask
    return place
  }
}
