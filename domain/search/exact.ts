/**
 * The natural logarithm and its inverse, made of sums, products and quotients alone, which every runtime rounds alike.
 * `Math.log` and `Math.exp` differ in their last bits from one release of an engine to the next, and so would scores.
 */

const ln2 = Math.LN2
const bits = new DataView(new ArrayBuffer(8))

/** How many terms of the series below count; the last is too small for a float to tell. */
const logTerms = 12
const expTerms = 16

/** 2 to the power of a whole number. */
const powerOfTwo = (exponent: number): number => {
  bits.setUint32(0, (exponent + 1023) << 20)
  bits.setUint32(4, 0)
  return bits.getFloat64(0)
}

/** The natural logarithm of a positive number that is neither infinite nor below 2 ** −1022. */
export const log = (value: number): number => {
  bits.setFloat64(0, value)
  const high = bits.getUint32(0)
  let exponent = (high >>> 20) - 1023
  bits.setUint32(0, (high & 0xfffff) | (1023 << 20))
  let part = bits.getFloat64(0)
  if (part > Math.SQRT2) {
    part /= 2
    exponent++
  }
  // ln m = 2 (s + s³/3 + s⁵/5 + …), s = (m − 1) / (m + 1)
  const ratio = (part - 1) / (part + 1)
  const square = ratio * ratio
  let sum = 0
  for (let term = logTerms; term >= 0; term--) sum = sum * square + 1 / (2 * term + 1)
  return exponent * ln2 + 2 * ratio * sum
}

/** e to the power of a number: 0 below −700; above 700 the same as at 700. */
export const exp = (value: number): number => {
  if (value < -700) return 0
  const bounded = Math.min(value, 700)
  const exponent = Math.floor(bounded / ln2 + 0.5)
  const rest = bounded - exponent * ln2
  let sum = 1
  for (let term = expTerms; term >= 1; term--) sum = 1 + (sum * rest) / term
  return sum * powerOfTwo(exponent)
}
