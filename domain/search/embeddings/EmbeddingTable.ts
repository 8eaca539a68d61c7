/** What each word piece means: a row of numbers, near the rows of pieces with a similar meaning. */
export interface EmbeddingTable {
  /** Numbers in a row. */
  readonly dimensions: number
  /** The pieces as text, one a line, in the order of their rows. A piece that begins with `##` continues a word. */
  readonly pieces: Uint8Array
  /** The rows one after the other, as integers. */
  readonly rows: Int8Array
  /** What a row's integers are multiplied by. */
  readonly scales: Float32Array
  /** What the fields of a snippet weigh. */
  readonly weights: { readonly name: number; readonly description: number; readonly source: number }
  /** Power of a text's length that its sum is divided by, in snippets and in queries: 0 would let long texts win. */
  readonly powers: { readonly snippet: number; readonly query: number }
}

const magic = "SEM1"

/** Fields of the file's header: dimensions, rows, bits of a number, bytes of the vocabulary, weights and powers. */
const headerFields = ["dim", "rows", "bits", "vocabBytes", "wn", "wd", "ws", "p", "qp"] as const
type Header = { readonly [field in (typeof headerFields)[number]]: number }

const isHeader = (value: unknown): value is Header =>
  typeof value === "object" &&
  value !== null &&
  headerFields.every((field) => Number.isFinite((value as { readonly [field: string]: unknown })[field]))

const headerOf = (json: string): Header => {
  const header: unknown = JSON.parse(json)
  if (!isHeader(header)) throw new Error(`its header must have the numbers ${headerFields.join(", ")}`)
  if (header.bits !== 8) throw new Error(`its rows have ${header.bits} bits a number, and only 8 are understood`)
  if (header.dim % 4 !== 0)
    throw new Error(`its rows have ${header.dim} numbers, and only multiples of 4 are understood`)
  return header
}

const lineFeed = 10

const linesIn = (text: Uint8Array): number => {
  let lines = 1
  for (let at = 0; at < text.length; at++) if (text[at] === lineFeed) lines++
  return lines
}

/**
 * Reads a table's file: `SEM1`, the header's length (32 bits, little-endian), the header in JSON, the pieces one a
 * line, padding to a multiple of 4, a 32-bit float for each row, the rows. Throws an `Error` that says what is wrong
 * with it.
 */
export const readTable = (bytes: Uint8Array): EmbeddingTable => {
  const text = (from: number, length: number) => new TextDecoder().decode(bytes.subarray(from, from + length))
  if (bytes.length < 8 || text(0, 4) !== magic) throw new Error(`it does not begin with ${magic}`)
  const headerLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
  const header = headerOf(text(8, headerLength))
  const vocabulary = 8 + headerLength
  // a copy, so that keeping it does not keep the file in memory; a Buffer's `slice` would not copy
  const pieces = new Uint8Array(bytes.subarray(vocabulary, vocabulary + header.vocabBytes))
  const floats = Math.ceil((vocabulary + header.vocabBytes) / 4) * 4
  const size = header.rows * (4 + header.dim)
  if (linesIn(pieces) !== header.rows || bytes.length !== floats + size)
    throw new Error(`it has not the ${header.rows} pieces and ${floats + size} bytes that its header tells of`)
  // floats begin at a multiple of 4: in the file, and so in a buffer that holds nothing else
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  const scales = byteOffset + floats
  return {
    dimensions: header.dim,
    pieces,
    rows: new Int8Array(buffer, scales + header.rows * 4, header.rows * header.dim),
    scales: new Float32Array(buffer, scales, header.rows),
    weights: { name: header.wn, description: header.wd, source: header.ws },
    powers: { snippet: header.p, query: header.qp }
  }
}
