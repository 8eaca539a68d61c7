/**
 * Docstrings of all kinds, as vectors of length 1. A text near many of them is near nearly every task, so being near
 * one task says less of it.
 */
export interface HubBank {
  readonly dimensions: number
  /** The vectors, one after the other. */
  readonly vectors: Float32Array
}

/** How many of the best cosines with the bank count. */
const counted = 10

/** How far a row's length may be from 1, since its numbers were rounded to bytes. */
const rounding = 0.02

/**
 * Reads a bank's file: a 32-bit float for each row, little-endian, then the rows, a byte a number. Throws an `Error`
 * that says what is wrong with it.
 */
export const readBank = (bytes: Uint8Array, dimensions: number): HubBank => {
  const rows = bytes.length / (4 + dimensions)
  if (!Number.isInteger(rows) || rows < counted)
    throw new Error(`its ${bytes.length} bytes are no rows of ${dimensions} numbers`)
  const scales = new DataView(bytes.buffer, bytes.byteOffset, 4 * rows)
  const numbers = new Int8Array(bytes.buffer, bytes.byteOffset + 4 * rows, rows * dimensions)
  const vectors = new Float32Array(rows * dimensions)
  for (let row = 0; row < rows; row++) {
    const scale = scales.getFloat32(4 * row, true)
    let squares = 0
    for (let at = row * dimensions; at < (row + 1) * dimensions; at++) {
      vectors[at] = scale * numbers[at]!
      squares += vectors[at]! ** 2
    }
    if (!(Math.abs(Math.sqrt(squares) - 1) <= rounding)) throw new Error(`its row ${row} is no vector of length 1`)
  }
  return { dimensions, vectors }
}

/** The mean of the best ten of some cosines, as a 32-bit float. */
export const hubOf = (cosines: Float32Array): number => {
  const best = new Float32Array(counted).fill(-1)
  for (const cosine of cosines) {
    if (cosine <= best[0]!) continue
    let at = 1
    for (; at < counted && best[at]! < cosine; at++) best[at - 1] = best[at]!
    best[at - 1] = cosine
  }
  return Math.fround(best.reduce((sum, cosine) => sum + cosine, 0) / counted)
}
