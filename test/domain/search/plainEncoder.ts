import { readFileSync } from "node:fs"
import { readTable } from "#domain/search/embeddings/EmbeddingTable.ts"
import type { EncodedText } from "#domain/search/embeddings/Encoder.ts"

const table = readTable(readFileSync(new URL("../../../infra/search/embeddings/table.bin", import.meta.url)))

const numbers = new Map(
  new TextDecoder()
    .decode(table.pieces)
    .split("\n")
    .map((piece, number) => [piece, number])
)

const tokens =
  /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|\[::-1\]|\[::|\*\*|\/\/|<<|>>|==|!=|<=|>=|&&|\|\||\+\+|\+=|-=|\*=|=>|->|[%*/+<>&|^~?!@$-]/g

/** The pieces of a word: itself, else from the left the longest that there are. */
const piecesOf = (word: string): ReadonlyArray<number> => {
  const whole = numbers.get(word)
  if (whole !== undefined) return [whole]
  const pieces: Array<number> = []
  for (let at = 0; at < word.length; ) {
    let end = Math.min(word.length, at + 24)
    let piece: number | undefined
    for (; end > at && piece === undefined; end--) piece = numbers.get(`${at === 0 ? "" : "##"}${word.slice(at, end)}`)
    if (piece !== undefined) pieces.push(piece)
    at = piece === undefined ? at + 1 : end + 1
  }
  return pieces
}

const add = (sum: Float32Array, text: string, weight: number, power: number): void => {
  const counts = new Map<number, number>()
  const plain = text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "")
  for (const [token] of plain.matchAll(tokens))
    for (const piece of piecesOf(token.toLowerCase())) counts.set(piece, (counts.get(piece) ?? 0) + 1)
  const length = [...counts.values()].reduce((sum, count) => sum + 1 + Math.log(count), 0)
  for (const [piece, count] of counts) {
    const share = (weight / length ** power) * (1 + Math.log(count)) * table.scales[piece]!
    for (let at = 0; at < sum.length; at++) sum[at]! += share * table.rows[piece * sum.length + at]!
  }
}

const ofLengthOne = (sum: Float32Array): Float32Array => {
  const length = Math.sqrt(sum.reduce((squares, number) => squares + number * number, 0))
  return length === 0 ? sum : sum.map((number) => number / length)
}

/** What the encoder's vectors are by their definition, without its tree, its bounds and its counting in place. */
export const plainEncoder = {
  query: (text: string): Float32Array => {
    const sum = new Float32Array(table.dimensions)
    add(sum, text, 1, table.powers.query)
    return ofLengthOne(sum)
  },
  snippet: ({ name, description, source }: EncodedText): Float32Array => {
    const { weights, powers } = table
    const sum = new Float32Array(table.dimensions)
    add(sum, name, weights.name, powers.snippet)
    add(sum, description, weights.description, powers.snippet)
    add(sum, source.slice(0, 2_500), weights.source, powers.snippet)
    return ofLengthOne(sum)
  }
}
