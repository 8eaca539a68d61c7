/** Numbers whose direction is a meaning. */
export type Vector = Float32Array

/** Makes a vector's length 1, in place; one without a direction stays all zeros. */
export const toUnit = (vector: Vector): Vector => {
  let squares = 0
  for (let at = 0; at < vector.length; at++) squares += vector[at]! * vector[at]!
  if (squares === 0) return vector
  const factor = 1 / Math.sqrt(squares)
  for (let at = 0; at < vector.length; at++) vector[at]! *= factor
  return vector
}

/** Whether a vector has a direction. Zeros have none: the table knows no word of their text. */
export const hasDirection = (vector: Vector): boolean => vector.some((number) => number !== 0)

/** The dot product, which is the cosine of two vectors of length 1. */
export const dot = (one: Vector, other: Vector): number => {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!
  return sum
}

const steps = 32_767

/**
 * A vector as text, to store in a row: its greatest number as a 32-bit float, and all numbers as 16-bit shares of it,
 * little-endian, in base64. Takes half of what floats would; cosines differ by some millionths. `""` for zeros.
 */
export const vectorToText = (vector: Vector): string => {
  const greatest = Math.fround(vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0))
  if (greatest === 0) return ""
  const bytes = new DataView(new ArrayBuffer(4 + vector.length * 2))
  bytes.setFloat32(0, greatest, true)
  for (let at = 0; at < vector.length; at++)
    bytes.setInt16(4 + at * 2, Math.round((vector[at]! / greatest) * steps), true)
  return Buffer.from(bytes.buffer).toString("base64")
}

/**
 * The directions of sums of vectors that `vectorToText` wrote, each of length 1; `null` for a sum that has none. All
 * lie in one piece of memory: thousands of small ones would stay longer than they are needed.
 */
export const meaningsOf = (sums: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<Vector | null> => {
  const some = sums.flat().find((text) => text !== "")
  if (some === undefined) return sums.map(() => null)
  const bytes = Buffer.alloc(Buffer.byteLength(some, "base64"))
  const numbers = new DataView(bytes.buffer, bytes.byteOffset)
  const dimensions = (bytes.length - 4) / 2
  const all = new Float32Array(sums.length * dimensions)
  return sums.map((texts, place) => {
    const sum = all.subarray(place * dimensions, (place + 1) * dimensions)
    for (const text of texts) {
      if (text === "") continue
      bytes.write(text, "base64")
      const step = numbers.getFloat32(0, true) / steps
      for (let at = 0; at < dimensions; at++) sum[at]! += numbers.getInt16(4 + at * 2, true) * step
    }
    return hasDirection(sum) ? toUnit(sum) : null
  })
}

/** `meaningsOf` one sum: its direction, of length 1; `null` if it has none. */
export const meaningOf = (...texts: ReadonlyArray<string>): Vector | null => meaningsOf([texts])[0]!
