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

/** A vector of zeros means nothing: there was no word in its text that the table knows. */
export const hasDirection = (vector: Vector): boolean => vector.some((number) => number !== 0)

/** A vector as text, for a row: its 32-bit floats, little-endian, in base64; `""` for one of zeros. */
export const vectorToText = (vector: Vector): string => {
  if (!hasDirection(vector)) return ""
  const bytes = new DataView(new ArrayBuffer(vector.length * 4))
  for (let at = 0; at < vector.length; at++) bytes.setFloat32(at * 4, vector[at]!, true)
  return Buffer.from(bytes.buffer).toString("base64")
}

/** The direction of a sum of vectors that `vectorToText` wrote, of length 1; `null` when it has none. */
export const meaningOf = (...texts: ReadonlyArray<string>): Vector | null => {
  let sum: Vector | undefined
  for (const text of texts) {
    if (text === "") continue
    const { buffer, byteOffset, byteLength } = Buffer.from(text, "base64")
    const bytes = new DataView(buffer, byteOffset, byteLength)
    sum ??= new Float32Array(byteLength / 4)
    for (let at = 0; at < sum.length; at++) sum[at]! += bytes.getFloat32(at * 4, true)
  }
  return sum !== undefined && hasDirection(sum) ? toUnit(sum) : null
}
